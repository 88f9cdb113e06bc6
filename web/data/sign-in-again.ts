// Asks for a new sign-in when the session has expired, once for all waiting requests; none of them is lost.
import { useSyncExternalStore } from 'react'
import type { SiteInfo, Waymark } from '../../client/client.ts'
import { createTakeEarly } from './early.ts'

type Answer = (isSignedIn: boolean) => void

export function createSignInAgain() {
  let waiting: readonly Answer[] = []
  let isOver = false
  const listeners = new Set<() => void>()

  function change(next: readonly Answer[]): void {
    waiting = next
    for (const listener of listeners) listener()
  }

  function answer(isSignedIn: boolean): void {
    const answered = waiting
    change([])
    for (const resolve of answered) resolve(isSignedIn)
  }

  return {
    /** @returns whether the user signed in; false if they declined. */
    ask: (): Promise<boolean> =>
      isOver ? Promise.resolve(false) : new Promise((resolve) => change([...waiting, resolve])),
    answer,
    /** Stops asking: the account was deleted, and remaining requests would ask its user to sign in. */
    retire: (): void => {
      isOver = true
      answer(false)
    },
    isAsking: (): boolean => waiting.length > 0,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export type SignInAgain = ReturnType<typeof createSignInAgain>

export const useIsAsking = ({ subscribe, isAsking }: SignInAgain): boolean =>
  useSyncExternalStore(subscribe, isAsking, () => false)

/**
 * @returns fetch, which on a 401 asks for a new sign-in and then repeats the request. Only if somebody was signed in
 * when the page was loaded: requests never ask visitors.
 */
export function createFetch(again: SignInAgain, wasSignedIn: () => boolean): typeof fetch {
  const takeEarly = createTakeEarly()
  return async (input, init) => {
    const request = new Request(input, init)
    const spare = request.clone()
    const response = await (takeEarly(request)?.catch(() => fetch(request)) ?? fetch(request))
    if (response.status !== 401 || !wasSignedIn()) {
      // An unread copy would retain the whole body.
      void spare.body?.cancel()
      return response
    }
    const isSignedIn = await again.ask()
    if (!isSignedIn) return response
    void response.body?.cancel()
    return fetch(spare)
  }
}

/** Nothing of the one before may stay on a page then, or be sent as the other's. */
export const isSomebodyElse = (before: SiteInfo, { viewer }: SiteInfo): boolean =>
  before.viewer !== null && viewer !== null && viewer.acctID !== before.viewer.acctID

/**
 * After a refetch, the site may report no user. A user who was signed in is asked to sign in and stays, whatever they
 * answer: without a viewer, their pages and what they typed there would disappear.
 * @param before the session that the page had until now.
 */
export async function readSite(
  waymark: Pick<Waymark, 'site'>,
  again: Pick<SignInAgain, 'ask'>,
  before: SiteInfo | undefined,
): Promise<SiteInfo> {
  const site = await waymark.site()
  if (!before?.viewer || site.viewer) return site
  return (await again.ask()) ? waymark.site() : { ...site, viewer: before.viewer }
}

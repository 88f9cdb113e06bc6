// Asks for a new sign-in where the old one has ended, once for all requests that wait for it; none of them is lost.
import { useSyncExternalStore } from 'react'

type Answer = (isSignedIn: boolean) => void

export function createSignInAgain() {
  let waiting: readonly Answer[] = []
  const listeners = new Set<() => void>()

  function change(next: readonly Answer[]): void {
    waiting = next
    for (const listener of listeners) listener()
  }

  return {
    /** @returns whether the person signed in; false where they chose not to. */
    ask: (): Promise<boolean> => new Promise((resolve) => change([...waiting, resolve])),
    answer: (isSignedIn: boolean): void => {
      const answered = waiting
      change([])
      for (const resolve of answered) resolve(isSignedIn)
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
  useSyncExternalStore(subscribe, isAsking)

/**
 * @returns fetch, which on a 401 asks for a new sign-in and then sends the same request once more. Only where somebody was
 * signed in when the page was loaded: a visitor is never asked by a request.
 */
export function createFetch(again: SignInAgain, wasSignedIn: () => boolean): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const spare = request.clone()
    const response = await fetch(request)
    if (response.status !== 401 || !wasSignedIn()) {
      // A copy that nobody reads would keep the whole body.
      void spare.body?.cancel()
      return response
    }
    const isSignedIn = await again.ask()
    if (!isSignedIn) return response
    void response.body?.cancel()
    return fetch(spare)
  }
}

// The queries of the account pages, and how mutations invalidate them.
import { useMutation, useQuery, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import type { HiddenSize, Me, Waymark } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'

const fetchers = {
  keys: (waymark: Waymark) => waymark.me.keys.list(),
  sessions: (waymark: Waymark) => waymark.me.sessions.list(),
  apps: (waymark: Waymark) => waymark.me.apps.list(),
  clients: (waymark: Waymark) => waymark.me.clients.list(),
  zones: (waymark: Waymark) => waymark.me.zones.list(),
  passkeys: (waymark: Waymark) => waymark.me.passkeys.list(),
  webhooks: (waymark: Waymark) => waymark.webhooks.list(),
} as const

type SetName = keyof typeof fetchers
export type ItemOf<Name extends SetName> = Awaited<ReturnType<(typeof fetchers)[Name]>>[number]

const keyOf = (name: SetName | 'deliveries') => [...keys.me, name]

export const deliveriesKey = (webhookId: number) => [...keyOf('deliveries'), webhookId]

const profileKey = [...keys.me, 'profile']

export function useMe() {
  const waymark = useWaymark()
  return useQuery<Me>({ queryKey: profileKey, queryFn: () => waymark.me.get() })
}

/** Stores the account from a response, so that saved values do not flash back until it is fetched again. */
export function useKeepMe(): (me: Me) => void {
  const queries = useQueryClient()
  return (me) => queries.setQueryData(profileKey, me)
}

/** A list without pagination. */
export function useSet<Name extends SetName>(name: Name) {
  const waymark = useWaymark()
  return useQuery({
    queryKey: keyOf(name),
    queryFn: () => fetchers[name](waymark) as Promise<readonly ItemOf<Name>[]>,
  })
}

/** What a new privacy zone would hide; it does not change. */
export function useHiddenSizes() {
  const waymark = useWaymark()
  return useQuery<readonly HiddenSize[]>({
    queryKey: [...keyOf('zones'), 'hidden-sizes'],
    queryFn: () => waymark.me.zones.hiddenSizes(),
    staleTime: Infinity,
  })
}

interface ChangeOptions<Input, Result> {
  readonly act: (waymark: Waymark, input: Input) => Promise<Result>
  /** The query to fetch again; everything of the account if none is given. */
  readonly stale?: SetName | 'deliveries' | 'none'
  /** The error message at the bottom of the page. */
  readonly successText?: (result: Result, input: Input) => string
  readonly onDone?: (result: Result, input: Input) => void
}

/** A mutation. Whether or not it succeeded, the list is fetched again: a response may have been lost. */
export function useChange<Input = void, Result = unknown>({
  act,
  stale,
  successText,
  onDone,
}: ChangeOptions<Input, Result>): UseMutationResult<Result, Error, Input> {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: (input) => act(waymark, input),
    onSuccess: (result, input) => {
      if (successText) toast({ message: successText(result, input) })
      onDone?.(result, input)
    },
    onSettled: () =>
      stale === 'none'
        ? undefined
        : queries.invalidateQueries({ queryKey: stale === undefined ? keys.me : keyOf(stale) }),
  })
}

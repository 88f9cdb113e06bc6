// What the admin pages ask for and change, with what becomes stale by it.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient, type QueryKey } from '@tanstack/react-query'
import type { Waymark } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'

interface PageOf<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** A list in pages, one after the other. */
export function useList<Item>(
  key: QueryKey,
  page: (waymark: Waymark, cursor: string | undefined) => Promise<PageOf<Item>>,
) {
  const waymark = useWaymark()
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => page(waymark, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
}

export function useAsked<Data>(key: QueryKey, ask: (waymark: Waymark) => Promise<Data>) {
  const waymark = useWaymark()
  return useQuery({ queryKey: key, queryFn: () => ask(waymark) })
}

/**
 * What is read to be edited. Asked anew behind somebody's back it might differ by now, as a trail does with each photo, and
 * what they typed would be of another reading: so it stays as it was read, until it is asked for or saved.
 */
export function useToEdit<Data>(key: QueryKey, ask: (waymark: Waymark) => Promise<Data>) {
  const waymark = useWaymark()
  return useQuery({ queryKey: key, queryFn: () => ask(waymark), staleTime: Infinity, gcTime: 0 })
}

interface Change<Input, Result> {
  readonly run: (waymark: Waymark, input: Input) => Promise<Result>
  /** Beyond everything of the administration. */
  readonly stale?: readonly QueryKey[]
  /** What is no more: asked anew it would be a refusal. */
  readonly gone?: QueryKey
  readonly onDone?: (result: Result, input: Input) => void
}

/** A change; what is shown of it is asked anew once it is done. */
export function useChange<Input, Result>({ run, stale = [], gone, onDone }: Change<Input, Result>) {
  const waymark = useWaymark()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => run(waymark, input),
    onSuccess: async (result, input) => {
      onDone?.(result, input)
      const isGone = (queryKey: QueryKey): boolean =>
        gone !== undefined && JSON.stringify(queryKey) === JSON.stringify(gone)
      await Promise.all(
        [keys.admin, ...stale].map((queryKey) =>
          queries.invalidateQueries({
            queryKey: [...queryKey],
            predicate: (query) => !isGone(query.queryKey),
          }),
        ),
      )
    },
  })
}

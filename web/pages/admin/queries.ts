// The queries and mutations of the admin pages, and what they invalidate.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient, type QueryKey } from '@tanstack/react-query'
import type { Waymark } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'

interface PageOf<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** A paginated list, page after page. */
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
 * Data that is being edited. If it were refetched in the background, it might change under the user's input, as a trail
 * does with each photo: so it stays until it is saved or fetched explicitly.
 */
export function useToEdit<Data>(key: QueryKey, ask: (waymark: Waymark) => Promise<Data>) {
  const waymark = useWaymark()
  return useQuery({ queryKey: key, queryFn: () => ask(waymark), staleTime: Infinity, gcTime: 0 })
}

interface Change<Input, Result> {
  readonly run: (waymark: Waymark, input: Input) => Promise<Result>
  /** Other queries outside the admin area to invalidate. */
  readonly stale?: readonly QueryKey[]
  /** Removed items, whose refetch would be an error. */
  readonly gone?: QueryKey
  /** Whether the page is then reloaded; nothing more is fetched for the old one. */
  readonly reloads?: (result: Result) => boolean
  readonly onDone?: (result: Result, input: Input) => void
}

/** A mutation; its queries are fetched again afterwards. */
export function useChange<Input, Result>({ run, stale = [], gone, reloads, onDone }: Change<Input, Result>) {
  const waymark = useWaymark()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => run(waymark, input),
    onSuccess: async (result, input) => {
      if (reloads?.(result) === true) {
        location.reload()
        return
      }
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

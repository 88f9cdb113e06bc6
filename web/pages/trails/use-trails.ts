// The trails for the filters in the URL: all pages, since the map shows every one.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo } from 'react'
import type { TrailSummary } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { readBox } from '../../map/box-text.ts'

/** The number that the server renders (trail-list.tsx): without scripts the rest is on the next page. */
const firstPage = 100
const laterPages = 500

export interface TrailSearch {
  readonly q: string
  readonly bbox: string | undefined
  readonly view: 'list' | 'map'
  /** The start of the list, for users without scripts who page through it; null for the first page. */
  readonly cursor: string | null
}

export function useTrailSearch() {
  const { q, bbox, view, cursor }: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const search: TrailSearch = {
    q: typeof q === 'string' ? q : '',
    bbox: readBox(bbox) && String(bbox),
    view: view === 'map' ? 'map' : 'list',
    cursor: typeof cursor === 'string' && cursor !== '' ? cursor : null,
  }
  const change = useCallback(
    (next: Partial<Record<keyof TrailSearch, string | undefined>>, { isStep = true } = {}) =>
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({ ...before, cursor: undefined, ...next }),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  )
  return { search, box: readBox(search.bbox), change }
}

export function useTrails({ q, bbox, cursor }: TrailSearch) {
  const waymark = useWaymark()
  const query = useInfiniteQuery({
    queryKey: [...keys.trails, 'list', q, bbox, cursor],
    queryFn: ({ pageParam, signal }) =>
      waymark.trails.page(
        {
          q: q || null,
          bbox,
          cursor: pageParam,
          limit: pageParam === cursor ? firstPage : laterPages,
        },
        { signal },
      ),
    initialPageParam: cursor,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  })
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage()
  }, [hasNextPage, isFetching, isError, fetchNextPage])
  const trails = useMemo<readonly TrailSummary[] | undefined>(
    () => data?.pages.flatMap(({ items }) => items),
    [data],
  )
  return {
    ...query,
    trails,
    isWhole: trails !== undefined && !hasNextPage && cursor === null,
    next: data?.pages.at(-1)?.next ?? null,
  }
}

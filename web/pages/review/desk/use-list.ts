// The photos of the list in the URL, as the reviewer sees them; more are loaded as needed.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { isWaitingView, type DeskView } from './desk-view.ts'
import { arrange } from './queue-cursor.ts'
import { useReviewSession } from '../decisions/review-session-store.ts'
import { decidedPhotos, stampOf, type DeskItem, type ReviewSession } from '../decisions/review-session.ts'

const photosAPage = 50
/** Decisions of others arrive as events; claims have to be polled. */
const claimsEveryMs = 15_000

interface ListPage {
  readonly items: readonly DeskItem[]
  readonly next: string | null
}

export interface DeskList {
  readonly shown: readonly DeskItem[]
  readonly isLoading: boolean
  readonly error: unknown
  readonly refetch: () => void
  readonly hasMore: boolean
  /** What the server has returned, including photos decided here since. */
  readonly loaded: readonly DeskItem[]
  readonly loadMore: () => void
}

/** The view of decided photos shows the server's data, without photos that were just decided on. */
const shownOf = (
  view: DeskView,
  items: readonly DeskItem[],
  reviewSession: ReviewSession,
): readonly DeskItem[] => {
  if (view.show === 'sitting') return decidedPhotos(reviewSession)
  if (isWaitingView(view.show)) {
    const { trailId, submitterId } = view
    const fits = ({ item }: { readonly item: DeskItem }): boolean =>
      item.queue !== undefined &&
      (trailId === undefined || item.trailID === trailId) &&
      (submitterId === undefined || item.submitterID === submitterId) &&
      (view.show === 'all' || item.queue.why.some((why) => why === view.show))
    return arrange(items, { ...reviewSession, returned: reviewSession.returned.filter(fits) }, stampOf)
  }
  return arrange(items, { ...reviewSession, returned: [], skipped: [] }, stampOf)
}

export function useList(view: DeskView): DeskList {
  const waymark = useWaymark()
  const reviewSession = useReviewSession()
  const { show, trailId, submitterId } = view
  const isWaiting = isWaitingView(show)
  const filters = { trailID: trailId, submitterID: submitterId, limit: photosAPage }
  const query = useInfiniteQuery({
    queryKey: [...(isWaiting ? keys.queue : keys.images), 'desk', show, trailId ?? 0, submitterId ?? 0],
    queryFn: ({ pageParam: cursor, signal }): Promise<ListPage> => {
      if (isWaitingView(show)) {
        const status = show === 'all' ? undefined : show
        return waymark.review.queue.page({ ...filters, status, cursor }, { signal })
      }
      const status = show === 'sitting' ? undefined : show
      return waymark.images.page({ ...filters, status, cursor }, { signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: ListPage) => next ?? undefined,
    enabled: show !== 'sitting',
    refetchInterval: isWaiting ? claimsEveryMs : false,
  })
  const { data, hasNextPage, isFetching, fetchNextPage, refetch } = query
  const loaded = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const shown = useMemo(() => shownOf(view, loaded, reviewSession), [view, loaded, reviewSession])
  return {
    shown,
    isLoading: query.isPending && show !== 'sitting',
    error: data === undefined ? query.error : null,
    refetch: () => void refetch(),
    hasMore: hasNextPage,
    loaded,
    loadMore: () => {
      if (hasNextPage && !isFetching && !query.isFetchNextPageError) void fetchNextPage()
    },
  }
}

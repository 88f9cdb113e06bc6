// The current photo: from the list, or fetched if the URL or an undo leads to one that no list has loaded.
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Image, Waymark } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { upcoming } from '../desk/queue-cursor.ts'
import { changeReviewSession, useReviewSession } from '../decisions/review-session-store.ts'
import { arrive, type DeskItem, type Ways } from '../decisions/review-session.ts'

export interface Photo {
  readonly item: DeskItem | undefined
  /** ETag of the texts that are shown. */
  readonly etag: string | undefined
  /** Whether it has left its list, or was never in it. */
  readonly isElsewhere: boolean
  readonly isLoading: boolean
  readonly error: unknown
}

const seenKey = (imageId: number) => [...keys.image(imageId), 'seen']

interface Seen {
  readonly image: Image
  readonly etag: string | undefined
}

const seenOf = (waymark: Waymark, imageId: number) => ({
  queryKey: seenKey(imageId),
  queryFn: async (): Promise<Seen> => {
    const { data, etag } = await waymark.images.getWithEtag(imageId)
    return { image: data, etag }
  },
})

/** Pending requests have arrived, so data that was read before is outdated and fetched again. */
export async function haveArrived(queries: QueryClient, ways: Ways): Promise<void> {
  const readings = Array.from(ways, async ([id, standing]) => {
    queries.setQueryData<Seen>(
      seenKey(id),
      (before) => before && { ...before, image: { ...before.image, ...standing } },
    )
    await queries.invalidateQueries({ queryKey: keys.image(id) })
  })
  await Promise.all(readings)
  changeReviewSession((before) => arrive(before, ways))
}

/** The queue has no query for one photo, so this requests those of the same trail and submitter, which are few. */
async function lookUp(waymark: Waymark, { imageID, trailID, submitterID }: DeskItem) {
  const filters = { trailID, submitterID, limit: 100 }
  for await (const item of waymark.review.queue.each(filters)) if (item.imageID === imageID) return item
  return null
}

/** Texts and ETags of the next photos, so that a decision on them refers to what was seen. */
function usePrefetched(shown: readonly DeskItem[], at: number | undefined): void {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const next = upcoming(shown, at, 2)
    .map(({ imageID }) => imageID)
    .join(' ')
  useEffect(() => {
    for (const id of next.split(' ')) if (id !== '') void queries.prefetchQuery(seenOf(waymark, Number(id)))
  }, [waymark, queries, next])
}

export function usePhoto(shown: readonly DeskItem[], at: number | undefined): Photo {
  const waymark = useWaymark()
  // As last seen in the list: if someone else decides on it, it stays visible.
  const [last, setLast] = useState<DeskItem>()
  const found = shown.find(({ imageID }) => imageID === at)
  if (found && found !== last) setLast(found)
  const base = found ?? (last?.imageID === at ? last : undefined)
  const seen = useQuery({ ...seenOf(waymark, at ?? 0), enabled: at !== undefined })
  const image = seen.data?.image
  const isLookedUp =
    base?.queue === undefined &&
    image !== undefined &&
    (image.status === 'pending' || image.status === 'approved')
  const queued = useQuery({
    queryKey: [...keys.queue, 'one', at ?? 0],
    queryFn: () => (image ? lookUp(waymark, image) : null),
    enabled: isLookedUp,
  })
  usePrefetched(shown, at)

  const queue = found?.queue ?? queued.data?.queue ?? base?.queue
  const known: DeskItem | undefined = image ? { ...image, queue } : base
  const heading = useReviewSession().heading.get(at ?? 0)
  const item = known && heading ? { ...known, ...heading } : known
  return {
    item,
    etag: seen.data?.etag,
    isElsewhere: found === undefined,
    isLoading: item === undefined && seen.isPending,
    error: seen.error,
  }
}

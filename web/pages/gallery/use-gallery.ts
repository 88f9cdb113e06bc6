// A trail with its public photos as filtered by the URL, loaded as far as the user has scrolled, and kept up to date.
import { useInfiniteQuery, useQuery, useQueryClient, type Query } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useRef } from 'react'
import { isWaymarkProblem, type Image } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useLiveEvents } from '../../data/live.ts'
import { trailNamed } from '../../data/trail-named.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { readBox } from '../../map/box-text.ts'
import { without, withImage, type ListedPages } from './listed.ts'
import { isOrder, type GalleryOrder } from './gallery-orders.ts'
import { daysOf, isTaken } from './taken-period.ts'
import { imageIdOf } from './use-open-photo.ts'

/** The first page is about one window of photos, so that they appear quickly. */
const firstPage = 60
const laterPages = 500

export interface GalleryFilters {
  readonly bbox: string | undefined
  /** A date, as in `<input type=date>`. */
  readonly since: string | undefined
  readonly order: GalleryOrder
  /** The first month shown when sorted by date taken, such as 2026-05. */
  readonly from: string | undefined
  /** The year or month in which they were taken, such as 2026 or 2026-05. */
  readonly taken: string | undefined
  /** The start of the list, for users without scripts who page through it. */
  readonly cursor: string | undefined
}

const isMonth = (text: unknown): text is string =>
  typeof text === 'string' && /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)

const isDay = (text: unknown): text is string =>
  typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))

export function useGalleryAddress() {
  const { slug = '', imageId }: { readonly slug?: string; readonly imageId?: string } = useParams({
    strict: false,
  })
  const { bbox, since, map, order, from, taken, cursor }: Record<string, unknown> = useSearch({
    strict: false,
  })
  const navigate = useNavigate()
  const change = useCallback(
    (next: Readonly<Record<string, string | undefined>>) =>
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({ ...before, cursor: undefined, ...next }),
        resetScroll: false,
      }),
    [navigate],
  )
  const filters: GalleryFilters = {
    bbox: readBox(bbox) && String(bbox),
    since: isDay(since) ? since : undefined,
    // The name of this order before the server had it.
    order: order === 'line' ? 'along' : isOrder(order) ? order : 'posted',
    from: order === 'taken' && isMonth(from) ? from : undefined,
    // The router reads a year as text, as it is in the URL.
    taken: isTaken(taken) ? taken : undefined,
    cursor: typeof cursor === 'string' && cursor !== '' ? cursor : undefined,
  }
  return {
    slug,
    filters,
    box: readBox(filters.bbox),
    isFiltered: [filters.bbox, filters.since, filters.from, filters.taken].some(
      (filter) => filter !== undefined,
    ),
    isMapHidden: map === 'off',
    openId: imageIdOf(imageId),
    change,
  }
}

export function useTrail(slug: string) {
  return useQuery(trailNamed(useWaymark(), slug))
}

interface Sought extends GalleryFilters {
  readonly trailId: number | undefined
}

/** Undefined for the default. */
const listedOrder = ({ order }: Pick<GalleryFilters, 'order'>): GalleryOrder | undefined =>
  order === 'posted' ? undefined : order

const listedKey = (trailId: number, { bbox, since, from, taken, cursor, ...filters }: GalleryFilters) =>
  [...keys.listed(trailId), bbox, since, listedOrder(filters), from, taken, cursor] as const

/** The number of photos per month. */
export function useMonths(trailId: number) {
  const waymark = useWaymark()
  return useQuery({
    queryKey: [...keys.trails, 'months', trailId],
    queryFn: ({ signal }) => waymark.images.months(trailId, { signal }),
    staleTime: 300_000,
  })
}

/** Some lists are in the cache from earlier filters or sort orders. */
const isFiltered = ({ queryKey }: Query): boolean =>
  queryKey.slice(keys.listed(0).length).some((filter) => filter !== undefined)

/** Receives events of the trail's photos and updates only those; a gallery of thousands is never fetched again. */
function useFreshPhotos(trailId: number | undefined): void {
  const waymark = useWaymark()
  const queries = useQueryClient()
  /** Photos being fetched, and whether another event has arrived meanwhile. */
  const looking = useRef(new Map<number, { hasChanged: boolean }>())

  /** Undefined for one that is not public, or no longer. */
  async function look(imageId: number): Promise<Image | undefined> {
    try {
      const image = await waymark.images.get(imageId)
      return image.status === 'approved' ? image : undefined
    } catch (error) {
      if (isWaymarkProblem(error) && error.status === 404) return undefined
      throw error
    }
  }

  async function refresh(trailID: number, imageID: number): Promise<void> {
    const queryKey = keys.listed(trailID)
    const image = await look(imageID)
    if (image) {
      const isWhole = (query: Query): boolean => !isFiltered(query)
      queries.setQueriesData<ListedPages>(
        { queryKey, predicate: isWhole },
        (pages) => pages && withImage(pages, image),
      )
      // Only the server knows whether a filter matches it.
      await queries.invalidateQueries({ queryKey, predicate: isFiltered })
    } else {
      queries.setQueriesData<ListedPages>({ queryKey }, (pages) => pages && without(pages, imageID))
    }
    await queries.invalidateQueries({ queryKey: keys.trails })
  }

  /** An event during the fetch may be newer than its response: then it is fetched again. */
  async function follow(trailID: number, imageID: number): Promise<void> {
    const mark = { hasChanged: true }
    looking.current.set(imageID, mark)
    try {
      while (mark.hasChanged) {
        mark.hasChanged = false
        await refresh(trailID, imageID)
      }
    } finally {
      looking.current.delete(imageID)
    }
  }

  useLiveEvents(({ type, data }) => {
    const { imageID, trailID } = data as { readonly imageID?: number; readonly trailID?: number }
    if (!type.startsWith('image.') || imageID === undefined) return
    if (trailID === undefined || trailID !== trailId) return
    const mark = looking.current.get(imageID)
    if (mark) mark.hasChanged = true
    else void follow(trailID, imageID).catch(() => undefined) // the next event, or the next visit, fetches it again
  })
}

/** The later of two days, if there are two. */
const later = (one: string | undefined, other: string | undefined): string | undefined =>
  one !== undefined && other !== undefined && one > other ? one : (other ?? one)

export function useListed(sought: Sought) {
  const { trailId, bbox, since, from, taken, cursor = null } = sought
  const days = taken === undefined ? undefined : daysOf(taken)
  const waymark = useWaymark()
  useFreshPhotos(trailId)
  const query = useInfiniteQuery({
    queryKey: listedKey(trailId ?? 0, sought),
    enabled: trailId !== undefined,
    queryFn: ({ pageParam, signal }) =>
      waymark.images.onTrail.page(
        trailId ?? 0,
        {
          bbox,
          since: since && new Date(`${since}T00:00:00`),
          order: listedOrder(sought),
          takenFrom: later(from && `${from}-01`, days?.from),
          takenTo: days?.to,
          cursor: pageParam,
          limit: pageParam === cursor ? firstPage : laterPages,
        },
        { signal },
      ),
    initialPageParam: cursor,
    getNextPageParam: ({ next }) => next,
    // Page after page, ten for five thousand: changes arrive as events, or when the gallery is opened again.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Comparing thousands of photos to find unchanged ones would block the page.
    structuralSharing: false,
    staleTime: 300_000,
  })
  const images = useMemo<readonly Image[] | undefined>(
    () => query.data?.pages.flatMap(({ items }) => items),
    [query.data],
  )
  return { ...query, images }
}

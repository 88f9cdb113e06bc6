// The public routes for the filters in the URL, page after page.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { PublicRoute, TrailSummary, Waymark } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { readBox } from '../../../map/box-text.ts'
import { readRange } from './ranges.ts'

const routesPerPage = 24
const maxWords = 200
/** Number of trails matching the typed text, among which an exact match is looked for. */
const maxTrails = 50

export const orders = ['newest', 'length', 'ascent'] as const
export type Order = (typeof orders)[number]

/** As in the URL; empty if missing. */
export interface RouteSearch {
  readonly q: string
  /** `least-most`, in miles; either may be missing. */
  readonly distance: string
  /** The same in metres. */
  readonly ascent: string
  /** Slug or name of a trail. */
  readonly near: string
  readonly order: Order
  readonly bbox: string
  readonly cursor: string
  readonly view: 'list' | 'map'
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

export function useRouteSearch() {
  const found: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const search: RouteSearch = {
    q: textOf(found['q']).slice(0, maxWords),
    distance: readRange(found['distance']) ? textOf(found['distance']) : '',
    ascent: readRange(found['ascent']) ? textOf(found['ascent']) : '',
    near: textOf(found['near']).slice(0, maxWords),
    order: orders.find((order) => order === found['order']) ?? 'newest',
    bbox: readBox(found['bbox']) ? textOf(found['bbox']) : '',
    cursor: textOf(found['cursor']),
    view: found['view'] === 'map' ? 'map' : 'list',
  }
  /** With other filters, the list starts at the first page. */
  const change = useCallback(
    (next: Partial<Record<keyof RouteSearch, string>>, { isStep = true } = {}) =>
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({ ...before, cursor: undefined, ...next }),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  )
  return { search, change }
}

/** The trail with that slug or name, otherwise the first whose name contains it. */
async function findTrail(waymark: Waymark, text: string, signal: AbortSignal): Promise<TrailSummary | null> {
  const { items } = await waymark.trails.page({ q: text, limit: maxTrails }, { signal })
  const folded = text.toLowerCase()
  return (
    items.find(({ slug }) => slug === text) ??
    items.find(({ name }) => name.toLowerCase() === folded) ??
    items[0] ??
    null
  )
}

export interface RoutesPage {
  readonly items: readonly PublicRoute[]
  readonly next: string | null
  /** The trail that they use; null if none was requested, or none matches. */
  readonly trail: { readonly name: string; readonly slug: string } | null
}

export function usePublicRoutes({ q, distance, ascent, near, order, bbox, cursor }: RouteSearch) {
  const waymark = useWaymark()
  const query = useInfiniteQuery({
    queryKey: [...keys.routes, 'public', q, distance, ascent, near, order, bbox, cursor],
    queryFn: async ({ pageParam, signal }): Promise<RoutesPage> => {
      const trail = near === '' ? null : await findTrail(waymark, near, signal)
      if (near !== '' && trail === null) return { items: [], next: null, trail: null }
      const [miles, metres] = [readRange(distance), readRange(ascent)]
      const filters = {
        q: q || null,
        bbox: bbox || null,
        minMiles: miles?.min,
        maxMiles: miles?.max,
        minAscent: metres?.min,
        maxAscent: metres?.max,
        nearTrail: trail?.trailID,
        order,
        limit: routesPerPage,
        cursor: pageParam,
      }
      const { items, next } = await waymark.routes.public.page(filters, { signal })
      return { items, next, trail: trail && { name: trail.name, slug: trail.slug } }
    },
    initialPageParam: cursor || null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  })
  const { data } = query
  const routes = useMemo(() => data?.pages.flatMap(({ items }) => items), [data])
  return { ...query, routes, trail: data?.pages[0]?.trail ?? null, next: data?.pages.at(-1)?.next ?? null }
}

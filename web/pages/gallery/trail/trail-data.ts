// Further queries of a trail's page: its cover, its elevations, and routes near it.
import { queryOptions } from '@tanstack/react-query'
import type { Waymark } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'

/** Changes arrive as events, or are fetched when the page is opened again. */
const staleTime = 300_000

export const coverOf = (waymark: Waymark, cover: number | null) =>
  queryOptions({
    queryKey: keys.image(cover ?? 0),
    enabled: cover !== null,
    queryFn: ({ signal }) => waymark.images.get(cover ?? 0, { signal }),
    staleTime,
  })

export const profileOf = (waymark: Waymark, trailId: number) =>
  queryOptions({
    queryKey: [...keys.trails, 'profile', trailId],
    queryFn: ({ signal }) => waymark.trails.profile(trailId, { signal }),
    staleTime,
  })

/** Cards on the page; the page of routes has all of them. */
const maxNearRoutes = 6

export const nearRoutesOf = (waymark: Waymark, trailId: number) =>
  queryOptions({
    queryKey: [...keys.routes, 'near', trailId],
    queryFn: ({ signal }) =>
      waymark.routes.public.page({ nearTrail: trailId, limit: maxNearRoutes }, { signal }),
    staleTime,
  })

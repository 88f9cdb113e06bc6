// What a trail's page asks for beside the trail and its photos: its first picture, its heights, routes near it.
import { queryOptions } from '@tanstack/react-query'
import type { Trail, Waymark } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import type { ProfilePoint } from './profile-shape.ts'

export interface TrailFacts {
  readonly description?: string
  readonly ascent?: number | null
  readonly descent?: number | null
  readonly highest?: number | null
  readonly lowest?: number | null
}

export type TrailWithFacts = Trail & TrailFacts

export interface TrailProfile {
  readonly points: readonly ProfilePoint[]
  readonly ascent: number | null
  readonly descent: number | null
}

/** What changes is heard, or seen when the page is opened again. */
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
    queryFn: async ({ signal }) =>
      (await waymark.send<TrailProfile>('GET', `/v2/trails/${trailId}/profile`, { signal })).data,
    staleTime,
  })

// In which order the gallery shows what is loaded: as the server lists it, or along the trail, for which all must be here.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { Image, Trail } from '../../../client/client.ts'
import { ofBrowser } from '../../rendering/page-state.ts'

export const galleryOrders = ['posted', 'taken', 'line'] as const
export type GalleryOrder = (typeof galleryOrders)[number]

/** More photos are not loaded at once for the sake of their order. */
const maxAlongLine = 2_000

/**
 * What the trail can be ordered by.
 * @param isDated false where nobody knows when any photo was taken, or the site tells nobody (setting TAKEN_AT).
 */
export const ordersOf = (
  { geometry, images }: Pick<Trail, 'geometry' | 'images'>,
  isDated: boolean,
): readonly GalleryOrder[] =>
  galleryOrders.filter(
    (order) =>
      order === 'posted' ||
      (order === 'taken' && isDated) ||
      (order === 'line' && geometry !== null && images <= maxAlongLine),
  )

/** @param more asks for the next photos. */
export function useOrdered(
  trail: Trail,
  images: readonly Image[] | undefined,
  {
    order,
    hasMore,
    more,
  }: { readonly order: GalleryOrder; readonly hasMore: boolean; readonly more: () => void },
): readonly Image[] | undefined {
  const isAlong = order === 'line'
  useEffect(() => {
    if (isAlong && hasMore) more()
  }, [isAlong, hasMore, more])
  const { geometry } = trail
  const { data } = useQuery({
    queryKey: ['along-trail chunk'],
    meta: ofBrowser,
    enabled: isAlong,
    queryFn: async () => ({ sort: (await import('./along-trail.ts')).sortAlongTrail }),
    staleTime: Infinity,
    structuralSharing: false,
  })
  return useMemo(
    () => (isAlong && images && data ? data.sort(images, geometry) : images),
    [isAlong, images, data, geometry],
  )
}

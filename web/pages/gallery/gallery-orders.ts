// The sort orders of a gallery, all provided by the server.
import type { Trail } from '../../../client/client.ts'

export const galleryOrders = ['posted', 'taken', 'along'] as const
export type GalleryOrder = (typeof galleryOrders)[number]

export const isOrder = (text: unknown): text is GalleryOrder => galleryOrders.some((order) => order === text)

/**
 * The available orders of the trail.
 * @param isDated false if no photo has a known date, or the site does not publish dates (setting TAKEN_AT).
 */
export const ordersOf = ({ geometry }: Pick<Trail, 'geometry'>, isDated: boolean): readonly GalleryOrder[] =>
  galleryOrders.filter(
    (order) =>
      order === 'posted' || (order === 'taken' && isDated) || (order === 'along' && geometry !== null),
  )

// The orders in which a gallery can be shown, all of them the server's.
import type { Trail } from '../../../client/client.ts'

export const galleryOrders = ['posted', 'taken', 'along'] as const
export type GalleryOrder = (typeof galleryOrders)[number]

export const isOrder = (text: unknown): text is GalleryOrder => galleryOrders.some((order) => order === text)

/**
 * What the trail can be ordered by.
 * @param isDated false where nobody knows when any photo was taken, or the site tells nobody (setting TAKEN_AT).
 */
export const ordersOf = ({ geometry }: Pick<Trail, 'geometry'>, isDated: boolean): readonly GalleryOrder[] =>
  galleryOrders.filter(
    (order) =>
      order === 'posted' || (order === 'taken' && isDated) || (order === 'along' && geometry !== null),
  )

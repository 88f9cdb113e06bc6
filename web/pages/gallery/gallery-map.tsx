// The map above the photos: the line of the trail, and a pin for each loaded photo with a location.
import { useMemo } from 'react'
import type { Image, Trail } from '../../../client/client.ts'
import { boundsOf } from '../../map/geometry.ts'
import type { Bounds, MapPoint, MapViewProps } from '../../map/kinds.ts'
import { SearchMap } from '../../map/search-map.tsx'
import { boxOf, linesOf } from '../../map/trail-lines.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import styles from './gallery.module.css'

interface GalleryMapProps {
  readonly trail: Trail
  readonly images: readonly Image[]
  /** Photos that are not loaded yet are dots from the vector tiles. */
  readonly hasMore: boolean
  readonly box: Bounds | undefined
  readonly hoveredId: number | undefined
  readonly onHover: (imageId: number | undefined) => void
  readonly onOpen: (imageId: number) => void
  readonly onSearchHere: (bounds: Bounds) => void
  readonly onMap?: MapViewProps['onMap']
}

export const pinOf = ({ imageID, lat, lon }: Pick<Image, 'imageID' | 'lat' | 'lon'>): MapPoint[] =>
  lat === null || lon === null ? [] : [{ id: String(imageID), lon, lat, tone: 'photo' }]

/** The location of the trail, from its line or otherwise from its photos. */
export const placeOf = (trail: Trail, images: readonly Image[]): Bounds | undefined =>
  boxOf(trail) ?? boundsOf(images.flatMap(pinOf).map(({ lon, lat }) => [lon, lat]))

/** The line of the trail also reacts to the pointer, but is not a photo. */
const imageIdOf = (id: string | undefined): number | undefined =>
  id !== undefined && /^\d+$/.test(id) ? Number(id) : undefined

export function GalleryMap(props: GalleryMapProps) {
  const { trail, images, hasMore, box, hoveredId, onHover, onOpen, onSearchHere, onMap } = props
  const lines = useMemo(() => linesOf(trail), [trail])
  const points = useMemo(() => images.flatMap(pinOf), [images])
  const select = (id: string): void => {
    const imageId = imageIdOf(id)
    if (imageId !== undefined) onOpen(imageId)
  }
  return (
    <SearchMap
      placeClassName={styles.mapPlace}
      searchLabel={galleryStrings.photosHere}
      onSearchHere={onSearchHere}
      label={galleryStrings.mapLabel(trail.name)}
      className={styles.map}
      initialBounds={box ?? placeOf(trail, images)}
      lines={lines}
      points={points}
      neighbours={hasMore ? 'trails-and-photos' : 'trails'}
      letsPageScroll
      hoveredId={hoveredId === undefined ? undefined : String(hoveredId)}
      onHover={(id) => onHover(imageIdOf(id))}
      onSelect={select}
      onMap={onMap}
      onNeighbour={({ kind, id, trailId }) => kind === 'photo' && trailId === trail.trailID && onOpen(id)}
    />
  )
}

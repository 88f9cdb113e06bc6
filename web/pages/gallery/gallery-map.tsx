// The strip above the photos: the line of the trail, and a pin for each loaded photo whose place is known.
import { Button } from '@mantine/core'
import { Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Image, Trail } from '../../../client/client.ts'
import { boundsOf } from '../../map/geometry.ts'
import type { Bounds, MapPoint } from '../../map/kinds.ts'
import { MapView } from '../../map/map-view.tsx'
import { linesOf } from '../../map/trail-lines.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import styles from './gallery.module.css'

interface GalleryMapProps {
  readonly trail: Trail
  readonly images: readonly Image[]
  /** Photos that are not loaded yet are dots of the vector tiles. */
  readonly hasMore: boolean
  readonly box: Bounds | undefined
  readonly hoveredId: number | undefined
  readonly onHover: (imageId: number | undefined) => void
  readonly onOpen: (imageId: number) => void
  readonly onSearchHere: (bounds: Bounds) => void
}

export const pinOf = ({ imageID, lat, lon }: Pick<Image, 'imageID' | 'lat' | 'lon'>): MapPoint[] =>
  lat === null || lon === null ? [] : [{ id: String(imageID), lon, lat, tone: 'photo' }]

/** Where the trail is, by its line and else by its photos. */
export function placeOf(trail: Trail, images: readonly Image[]): Bounds | undefined {
  const { bbox } = trail
  if (bbox) {
    const [west = 0, south = 0, east = 0, north = 0] = bbox
    return [west, south, east, north]
  }
  return boundsOf(images.flatMap(pinOf).map(({ lon, lat }) => [lon, lat]))
}

export function GalleryMap(props: GalleryMapProps) {
  const { trail, images, hasMore, box, hoveredId, onHover, onOpen, onSearchHere } = props
  const lines = useMemo(() => linesOf(trail), [trail])
  const points = useMemo(() => images.flatMap(pinOf), [images])
  const [moved, setMoved] = useState<Bounds>()
  return (
    <div className={styles.mapPlace}>
      <MapView
        label={galleryStrings.mapLabel(trail.name)}
        className={styles.map}
        initialBounds={box ?? placeOf(trail, images)}
        lines={lines}
        points={points}
        isClustered
        neighbours={hasMore ? 'trails-and-photos' : 'trails'}
        letsPageScroll
        hoveredId={hoveredId === undefined ? undefined : String(hoveredId)}
        onHover={(id) => onHover(id === undefined || !/^\d+$/.test(id) ? undefined : Number(id))}
        onSelect={(id) => /^\d+$/.test(id) && onOpen(Number(id))}
        onNeighbour={({ kind, id, trailId }) => kind === 'photo' && trailId === trail.trailID && onOpen(id)}
        onMove={(bounds, { isByHand }) => isByHand && setMoved(bounds)}
      />
      {moved && (
        <Button
          className={styles.searchHere ?? ''}
          size="compact-md"
          variant="default"
          leftSection={<Search size={16} aria-hidden />}
          onClick={() => {
            onSearchHere(moved)
            setMoved(undefined)
          }}
        >
          {galleryStrings.photosHere}
        </Button>
      )}
    </div>
  )
}

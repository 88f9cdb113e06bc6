// The location of a photo on a map, with the line of its trail.
import { useMemo } from 'react'
import type { Image, Trail } from '../../../client/client.ts'
import { MapView } from '../../map/map-view.tsx'
import { linesOf } from '../../map/trail-lines.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import { placeOf, pinOf } from './gallery-map.tsx'

interface PhotoMapProps {
  readonly image: Image
  readonly trail: Trail
  readonly className: string | undefined
}

export function PhotoMap({ image, trail, className }: PhotoMapProps) {
  const lines = useMemo(() => linesOf(trail), [trail])
  const points = useMemo(() => pinOf(image), [image])
  return (
    <MapView
      label={galleryStrings.photoMap}
      className={className}
      initialBounds={placeOf(trail, [image])}
      lines={lines}
      points={points}
      selectedId={String(image.imageID)}
      letsPageScroll
    />
  )
}

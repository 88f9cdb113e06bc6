// The line of a trail with the locations of photos as a drawing, below the map.
import { memo, useMemo } from 'react'
import type { Image, Trail } from '../../../../client/client.ts'
import { LineDrawing } from '../../../map/line-drawing.tsx'
import { partsOf } from '../../../map/trail-lines.ts'
import { galleryStrings } from '../../../strings/gallery.ts'

interface TrailSketchProps {
  readonly trail: Pick<Trail, 'name' | 'geometry'>
  readonly images: readonly Pick<Image, 'lat' | 'lon'>[]
}

export const TrailSketch = memo(function TrailSketch({ trail, images }: TrailSketchProps) {
  const { name, geometry } = trail
  const parts = useMemo(() => partsOf(geometry), [geometry])
  const places = useMemo(
    () => images.flatMap(({ lat, lon }) => (lat === null || lon === null ? [] : [[lon, lat] as const])),
    [images],
  )
  return <LineDrawing label={galleryStrings.sketch(name)} parts={parts} places={places} />
})

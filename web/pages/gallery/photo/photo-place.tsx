// Where a photo was taken: the map when it is about to scroll into view, and below it the line of the trail as a
// drawing.
import type { Image, Trail } from '../../../../client/client.ts'
import { galleryStrings } from '../../../strings/gallery.ts'
import { WhenSeen } from '../../../ui/when-seen.tsx'
import { PhotoMap } from '../photo-map.tsx'
import { TrailSketch } from '../trail/trail-sketch.tsx'
import { useMemo } from 'react'
import trail from '../trail/trail.module.css'

interface PhotoPlaceProps {
  readonly trail: Trail
  readonly image: Image
}

/** Nothing for a photo without a location. */
export function PhotoPlace({ trail: of, image }: PhotoPlaceProps) {
  const images = useMemo(() => [image], [image])
  if (image.lat === null || image.lon === null) return null
  return (
    <section id="map" className={trail.section} aria-labelledby="photo-map">
      <h2 id="photo-map">{galleryStrings.mapTitle}</h2>
      <div className={trail.map}>
        <TrailSketch trail={of} images={images} />
        <WhenSeen standIn={null} className={trail.mapAbove}>
          <PhotoMap image={image} trail={of} className={trail.mapWhole} />
        </WhenSeen>
      </div>
    </section>
  )
}

// The line of a trail and the places of photos as a drawing: what a server and paper show instead of the map.
import { memo, useMemo } from 'react'
import type { Image, Trail } from '../../../../client/client.ts'
import { sketchOf } from '../../../map/line-sketch.ts'
import { partsOf } from '../../../map/trail-lines.ts'
import { galleryStrings } from '../../../strings/gallery.ts'
import styles from './trail.module.css'

const frame = { width: 480, height: 300, margin: 24 } as const
/** More would hide the line. */
const maxDots = 200

interface TrailSketchProps {
  readonly trail: Pick<Trail, 'name' | 'geometry'>
  readonly images: readonly Pick<Image, 'lat' | 'lon'>[]
  readonly className?: string | undefined
}

export const TrailSketch = memo(function TrailSketch({ trail, images, className = '' }: TrailSketchProps) {
  const { name, geometry } = trail
  const { paths, dots } = useMemo(() => {
    const places = images.flatMap(({ lat, lon }) =>
      lat === null || lon === null ? [] : [[lon, lat] as const],
    )
    return sketchOf(partsOf(geometry), places.slice(0, maxDots), frame)
  }, [geometry, images])
  return (
    <svg
      className={`${styles.sketch} ${className}`}
      viewBox={`0 0 ${frame.width} ${frame.height}`}
      role="img"
      aria-label={galleryStrings.sketch(name)}
    >
      {paths.map((path) => (
        <path key={path} d={path} />
      ))}
      <path
        className={styles.places}
        d={dots.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join('')}
      />
    </svg>
  )
})

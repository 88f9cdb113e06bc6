// A line with places as a drawing: shown instead of the map on the server and on paper.
import { memo, useMemo } from 'react'
import type { Position } from './kinds.ts'
import styles from './line-drawing.module.css'
import { sketchOf } from './line-sketch.ts'

const frame = { width: 480, height: 300, margin: 24 } as const
/** More would hide the line. */
const maxPlaces = 200

interface LineDrawingProps {
  readonly label: string
  readonly parts: readonly (readonly Position[])[]
  readonly places?: readonly Position[] | undefined
  readonly className?: string | undefined
}

const none: readonly Position[] = []

export const LineDrawing = memo(function LineDrawing(props: LineDrawingProps) {
  const { label, parts, places = none, className = '' } = props
  const { paths, dots } = useMemo(() => sketchOf(parts, places.slice(0, maxPlaces), frame), [parts, places])
  return (
    <svg
      className={`${styles.drawing} ${className}`}
      viewBox={`0 0 ${frame.width} ${frame.height}`}
      role="img"
      aria-label={label}
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

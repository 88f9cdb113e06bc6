// The cursor on the map for the position along the line: follows the profile, and reports hovering over the line.
import type { Map as MapLibreMap, MapMouseEvent } from 'maplibre-gl'
import type { Trail } from '../../../../client/client.ts'
import {
  measureLine,
  nearestOnLine,
  pointAtMiles,
  type MeasuredLine,
} from '../../../../src/shared/geo/along.ts'
import { lineOf } from '../../../../src/shared/geo/points.ts'
import { partsOf } from '../../../map/trail-lines.ts'
import { nothingPointed, type Pointing } from './pointing.ts'
import styles from './trail.module.css'

/** How near to the line the pointer has to be. */
const nearPixels = 24

interface Followed {
  readonly geometry: Trail['geometry']
  readonly pointing: Pointing
  /** A photo's pin takes precedence over the line below it. */
  readonly isOnPin: () => boolean
}

/** @returns a function that ends it. */
export function followOnMap(map: MapLibreMap, { geometry, pointing, isOnPin }: Followed): () => void {
  let measured: MeasuredLine | undefined
  const line = (): MeasuredLine => {
    measured ??= measureLine(
      partsOf(geometry).map((part) => lineOf(part.map(([lon, lat]) => ({ lat, lon })))),
    )
    return measured
  }
  // Not a map layer, whose data would be rebuilt with every pixel that the pointer moves.
  const mark = document.createElement('div')
  mark.className = styles.here ?? ''
  mark.hidden = true
  map.getCanvasContainer().append(mark)

  const draw = (): void => {
    const { miles } = pointing.read()
    mark.hidden = miles === undefined
    if (miles === undefined) return
    const { lat, lon } = pointAtMiles(line(), miles)
    const { x, y } = map.project([lon, lat])
    mark.style.transform = `translate(${x}px, ${y}px)`
  }

  let isOurs = false
  const leave = (): void => {
    if (isOurs) pointing.point(nothingPointed)
    isOurs = false
  }
  const follow = ({ lngLat, point }: MapMouseEvent): void => {
    if (isOnPin()) {
      isOurs = false
      return
    }
    const near = nearestOnLine(line(), { lat: lngLat.lat, lon: lngLat.lng })
    const at = near && map.project([near.lon, near.lat])
    if (!near || !at || Math.hypot(at.x - point.x, at.y - point.y) > nearPixels) return leave()
    isOurs = true
    pointing.point({ imageId: undefined, miles: near.miles })
  }

  const forget = pointing.subscribe(draw)
  map.on('move', draw)
  map.on('mousemove', follow)
  map.on('mouseout', leave)
  draw()
  return () => {
    forget()
    map.off('move', draw)
    map.off('mousemove', follow)
    map.off('mouseout', leave)
    mark.remove()
  }
}

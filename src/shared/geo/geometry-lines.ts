// The lines of a GeoJSON geometry as columns of numbers: those of a LineString or MultiLineString, none of anything
// else.
import { createPoints, type Line } from './points.ts'

function isPosition(value: unknown): value is readonly [lon: number, lat: number, ...rest: unknown[]] {
  return Array.isArray(value) && Number.isFinite(value[0]) && Number.isFinite(value[1])
}

function listsIn(geometry: unknown): readonly unknown[] {
  if (typeof geometry !== 'object' || geometry === null || !('type' in geometry)) return []
  const coordinates = 'coordinates' in geometry ? geometry.coordinates : undefined
  if (geometry.type === 'LineString') return [coordinates]
  return geometry.type === 'MultiLineString' && Array.isArray(coordinates) ? coordinates : []
}

/** With elevations if they have any. Invalid positions are skipped. */
export function linesOfGeometry(geometry: unknown): Line[] {
  const points = createPoints()
  return listsIn(geometry).map((list) => {
    const first = points.count
    for (const position of Array.isArray(list) ? list : []) {
      if (!isPosition(position)) continue
      const [lon, lat, height] = position
      points.add(lat, lon)
      if (typeof height === 'number') points.setEle(height)
    }
    return { points, first, end: points.count }
  })
}

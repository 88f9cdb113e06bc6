// Outlines that cross the antimeridian: a jump from 180 to -180 would be drawn right across the map, so longitudes go on
// beyond 180 instead, and the map shows the rest on the other side.
import type { Geometry, Position } from 'geojson'

/** @returns the same line without jumps. */
export function unrollLine(line: readonly Position[]): Position[] {
  let turns = 0
  let before: number | undefined
  return line.map(([lon = 0, lat = 0]) => {
    if (before !== undefined && Math.abs(lon - before) > 180) turns += lon < before ? 1 : -1
    before = lon
    return [lon + turns * 360, lat]
  })
}

/** A ring around a pole ends a whole turn from where it began, and is closed along that pole. */
function unrollRing(ring: readonly Position[]): Position[] {
  const unrolled = unrollLine(ring)
  const [firstLon = 0, firstLat = 0] = unrolled[0] ?? []
  const [lastLon = 0] = unrolled.at(-1) ?? []
  if (Math.abs(lastLon - firstLon) < 180) return unrolled
  const pole = unrolled.reduce((sum, [, lat = 0]) => sum + lat, 0) < 0 ? -90 : 90
  return [...unrolled, [lastLon, pole], [firstLon, pole], [firstLon, firstLat]]
}

export function unroll(geometry: Geometry): Geometry {
  switch (geometry.type) {
    case 'LineString':
      return { ...geometry, coordinates: unrollLine(geometry.coordinates) }
    case 'MultiLineString':
      return { ...geometry, coordinates: geometry.coordinates.map(unrollLine) }
    case 'Polygon':
      return { ...geometry, coordinates: geometry.coordinates.map(unrollRing) }
    case 'MultiPolygon':
      return { ...geometry, coordinates: geometry.coordinates.map((rings) => rings.map(unrollRing)) }
    case 'GeometryCollection':
      return { ...geometry, geometries: geometry.geometries.map(unroll) }
    case 'Point':
    case 'MultiPoint':
      return geometry
  }
}

// The line of a trail and the box around it, as the map takes them.
import type { LineGeometry, Trail } from '../../client/client.ts'
import type { Bounds, MapLine, Position } from './kinds.ts'

/** The parts of a line, whichever of the two kinds it is; none where none is known. */
export function partsOf(geometry: LineGeometry | null): readonly (readonly Position[])[] {
  if (geometry === null) return []
  const { type, coordinates } = geometry
  // The server answers what it documents: positions of two numbers.
  return (type === 'LineString' ? [coordinates] : coordinates) as readonly (readonly Position[])[]
}

/** One line, of as many parts as the trail has; none where none is known. */
export function linesOf({ trailID, geometry }: Pick<Trail, 'trailID' | 'geometry'>): readonly MapLine[] {
  if (geometry === null) return []
  return [{ id: `trail ${trailID}`, coordinates: partsOf(geometry), tone: 'trail' }]
}

/** Undefined for a trail without a line. */
export function boxOf({ bbox }: Pick<Trail, 'bbox'>): Bounds | undefined {
  const [west, south, east, north] = bbox ?? []
  if (west === undefined || south === undefined || east === undefined || north === undefined) return undefined
  return [west, south, east, north]
}

/** Of the box; none without a line. */
export function cornersOf(trail: Pick<Trail, 'bbox'>): readonly Position[] {
  const box = boxOf(trail)
  if (!box) return []
  const [west, south, east, north] = box
  return [
    [west, south],
    [east, north],
  ]
}

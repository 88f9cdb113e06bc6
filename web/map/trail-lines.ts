// The line of a trail and its bounding box, in the form that the map takes.
import type { LineGeometry, Trail } from '../../client/client.ts'
import type { Bounds, MapLine, Position } from './kinds.ts'

/** The parts of a line of either geometry type; empty if there is none. */
export function partsOf(geometry: LineGeometry | null): readonly (readonly Position[])[] {
  if (geometry === null) return []
  const { type, coordinates } = geometry
  // The server documents positions of two numbers.
  return (type === 'LineString' ? [coordinates] : coordinates) as readonly (readonly Position[])[]
}

/** One line with all parts of the trail; empty if there is none. */
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

/** From the box; empty without a line. */
export function cornersOf(trail: Pick<Trail, 'bbox'>): readonly Position[] {
  const box = boxOf(trail)
  if (!box) return []
  const [west, south, east, north] = box
  return [
    [west, south],
    [east, north],
  ]
}

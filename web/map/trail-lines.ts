// The line of a trail as the map takes it.
import type { Trail } from '../../client/client.ts'
import type { MapLine, Position } from './kinds.ts'

/** One line, of as many parts as the trail has; none where none is known. */
export function linesOf({ trailID, geometry }: Pick<Trail, 'trailID' | 'geometry'>): readonly MapLine[] {
  if (geometry === null) return []
  const { type, coordinates } = geometry
  // The server answers what it documents: positions of two numbers.
  const parts = (type === 'LineString' ? [coordinates] : coordinates) as readonly (readonly Position[])[]
  return [{ id: `trail ${trailID}`, coordinates: parts, tone: 'trail' }]
}

// Photos in the order in which somebody passes them who walks the trail.
import type { Image, Trail } from '../../../client/client.ts'
import { measureLine, nearestOnLine } from '../../../src/shared/geo/along.ts'
import { lineOf } from '../../../src/shared/geo/points.ts'
import { partsOf } from '../../map/trail-lines.ts'

/** Those without a place come last, in the order that they have. */
export function sortAlongTrail<Photo extends Pick<Image, 'lat' | 'lon'>>(
  photos: readonly Photo[],
  geometry: Trail['geometry'],
): readonly Photo[] {
  const line = measureLine(partsOf(geometry).map((part) => lineOf(part.map(([lon, lat]) => ({ lat, lon })))))
  const milesOf = ({ lat, lon }: Photo): number =>
    lat === null || lon === null ? Infinity : (nearestOnLine(line, { lat, lon })?.miles ?? Infinity)
  const placed = photos.map((photo) => ({ photo, miles: milesOf(photo) }))
  // Of equal miles, and of none, the order stays; Infinity less itself is no number.
  return placed
    .toSorted((one, other) => (one.miles === other.miles ? 0 : one.miles - other.miles))
    .map(({ photo }) => photo)
}

// The approximate distance of a photo from its trail's line, for display; the server computes the flag
// far-from-trail.

export interface Place {
  readonly lat: number
  readonly lon: number
}

type Line = readonly (readonly [lon: number, lat: number])[]

const metresPerDegree = 111_320

/** Metres east and north of the place, on a tangent plane: accurate to a percent at the scale of a trail. */
function onPlane({ lat, lon }: Place, [otherLon, otherLat]: readonly [number, number]): [number, number] {
  const turned = ((((otherLon - lon + 180) % 360) + 360) % 360) - 180
  const east = turned * metresPerDegree * Math.cos((lat * Math.PI) / 180)
  return [east, (otherLat - lat) * metresPerDegree]
}

/** From the origin to a leg. */
function toLeg([ax, ay]: readonly [number, number], [bx, by]: readonly [number, number]): number {
  const [dx, dy] = [bx - ax, by - ay]
  const squared = dx * dx + dy * dy
  const along = squared === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / squared))
  return Math.hypot(ax + along * dx, ay + along * dy)
}

/** @returns metres; undefined if there is no line. */
export function metresToLines(place: Place, lines: readonly Line[]): number | undefined {
  let nearest = Number.POSITIVE_INFINITY
  for (const line of lines) {
    const points = line.map((point) => onPlane(place, point))
    for (const [index, point] of points.entries()) {
      nearest = Math.min(nearest, toLeg(point, points[index + 1] ?? point))
    }
  }
  return Number.isFinite(nearest) ? nearest : undefined
}

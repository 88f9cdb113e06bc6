// Distance marks along a line, at every whole kilometre or mile from its start.
import type { Feature, FeatureCollection, Point } from 'geojson'
import type { Preferences } from '../ui/preferences.ts'
import type { MapLine, Position } from './kinds.ts'

const metresOf = { kilometres: 1_000, miles: 1_609.344 } as const
const unitTexts = { kilometres: 'km', miles: 'mi' } as const

/** Beyond this number, marks farther apart would be better; nobody walks that far on one map. */
const maxMarks = 2_000

/**
 * Metres per degree northwards and eastwards at a latitude, on WGS 84: accurate to a millionth for legs of a trail,
 * where a geodesic for each of 20,000 would take several frames.
 */
function metresPerDegree(lat: number): readonly [north: number, east: number] {
  const angle = (lat * Math.PI) / 180
  return [
    111_132.954 - 559.822 * Math.cos(2 * angle) + 1.175 * Math.cos(4 * angle),
    111_412.84 * Math.cos(angle) - 93.5 * Math.cos(3 * angle) + 0.118 * Math.cos(5 * angle),
  ]
}

function legMetres([fromLon, fromLat]: Position, [toLon, toLat]: Position): number {
  const [north, east] = metresPerDegree((fromLat + toLat) / 2)
  return Math.hypot((toLat - fromLat) * north, (toLon - fromLon) * east)
}

/** Marks with a higher weight are shown from farther away: every tenth, then every fifth, then all. */
const weightOf = (count: number): number => (count % 10 === 0 ? 10 : count % 5 === 0 ? 5 : 1)

function marksOf({ coordinates }: MapLine, units: Preferences['units']): Feature<Point>[] {
  const step = metresOf[units]
  const marks: Feature<Point>[] = []
  let walked = 0
  for (const part of coordinates)
    for (const [at, to] of part.entries()) {
      const from = part[at - 1]
      if (from === undefined) continue
      const metres = legMetres(from, to)
      while (marks.length < maxMarks && (marks.length + 1) * step <= walked + metres) {
        const count = marks.length + 1
        const share = (count * step - walked) / metres
        marks.push({
          type: 'Feature',
          properties: { text: `${count} ${unitTexts[units]}`, weight: weightOf(count) },
          geometry: {
            type: 'Point',
            coordinates: [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])],
          },
        })
      }
      walked += metres
    }
  return marks
}

/** Only for lines that are not being drawn or dimmed. */
export const distanceMarks = (
  lines: readonly MapLine[],
  units: Preferences['units'],
): FeatureCollection<Point> => ({
  type: 'FeatureCollection',
  features: lines
    .filter(({ tone }) => tone === 'trail' || tone === 'route')
    .flatMap((line) => marksOf(line, units)),
})

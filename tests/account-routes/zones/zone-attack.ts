// An attacker who searches for a home in the routes that others get: homes, routes from there, and every known attack.
import { clipLines } from '../../../src/account-routes/zones/clip.ts'
import {
  circleOf,
  type Circle,
  type Displacement,
  type Zone,
} from '../../../src/account-routes/zones/zone-circle.ts'
import { atOnce } from '../../../src/shared/yielding.ts'
import { lineOf } from '../../../src/shared/geo/points.ts'
import { apart, centroid, fitCircle, placesOf, randomFrom, type Flat } from './zone-cases.ts'
import type { Walks } from './zone-walks.ts'

export type CircleMaker = (zone: Zone, salt: string) => Circle

export const circlesOf =
  (displacement: Displacement): CircleMaker =>
  (zone, salt) =>
    circleOf(zone, { salt, displacement })

const metresPerDegree = 111_320
const homeLat = 46.9

const east = metresPerDegree * Math.cos((homeLat * Math.PI) / 180)
const placeOf = (home: { lat: number; lon: number }, [x, y]: Flat) => ({
  lat: home.lat + y / metresPerDegree,
  lon: home.lon + x / east,
})
const flatOf = (home: { lat: number; lon: number }, { lat, lon }: { lat: number; lon: number }): Flat => [
  (lon - home.lon) * east,
  (lat - home.lat) * metresPerDegree,
]

interface Seen {
  /** Where a route finally leaves the hole, and the same route 1 and 4 points later and at its end. */
  readonly end: Flat
  readonly headings: readonly Flat[]
}

/** The point closest to all lines through the ends along their headings. */
function crossing(seen: readonly Seen[], heading: number): Flat {
  let [xx, xy, yy, x, y] = [0, 0, 0, 0, 0]
  for (const { end, headings } of seen) {
    const [dx, dy] = headings[heading] ?? [1, 0]
    const length = Math.hypot(dx, dy)
    if (length === 0) continue
    const [nx, ny] = [-dy / length, dx / length]
    const offset = nx * end[0] + ny * end[1]
    xx += nx * nx
    xy += nx * ny
    yy += ny * ny
    x += nx * offset
    y += ny * offset
  }
  const determinant = xx * yy - xy * xy
  return determinant < 1e-9 ? [0, 0] : [(yy * x - xy * y) / determinant, (xx * y - xy * x) / determinant]
}

interface Looked {
  /** From the centre of the circle, which the attacker knows exactly. */
  readonly home: Flat
  readonly fitted: Flat
  /** Estimates that the attacker combines; each rotates and scales with the scene. */
  readonly clues: readonly Flat[]
}

function look(seen: readonly Seen[], home: Flat, radius: number): Looked {
  const ends = seen.map(({ end }) => end)
  const units = seen.map(({ headings }): Flat => {
    const [x, y] = headings[1] ?? [1, 0]
    const length = Math.hypot(x, y) || 1
    return [(x / length) * radius, (y / length) * radius]
  })
  const farthest = seen.map(({ end, headings }): Flat => {
    const [x, y] = headings[2] ?? [0, 0]
    return [end[0] + x, end[1] + y]
  })
  const crossings = [0, 1, 2].map((heading): Flat => {
    const at = crossing(seen, heading)
    const share = Math.min(1, radius / Math.hypot(...at))
    return Number.isFinite(share) ? [at[0] * share, at[1] * share] : at
  })
  return {
    home,
    fitted: fitCircle(ends),
    clues: [centroid(ends), centroid(units), centroid(farthest), ...crossings],
  }
}

/** Least squares: weights of the estimates, trained on homes that the attacker invented. */
function learn(scenes: readonly Looked[]): number[] {
  const count = scenes[0]?.clues.length ?? 0
  const rows = Array.from({ length: count }, (_, row) =>
    Array.from({ length: count + 1 }, (__, column) => {
      const sum = scenes.reduce((total, { clues, home }) => {
        const [one, other] = [clues[row] ?? [0, 0], column === count ? home : (clues[column] ?? [0, 0])]
        return total + one[0] * other[0] + one[1] * other[1]
      }, 0)
      return row === column ? sum * 1.001 + 1e-6 : sum
    }),
  )
  for (const [index, pivot] of rows.entries())
    for (const row of rows) {
      const factor = row === pivot ? 0 : (row[index] ?? 0) / (pivot[index] ?? 1)
      for (const [column, value] of pivot.entries()) row[column] = (row[column] ?? 0) - factor * value
    }
  return rows.map((row, index) => (row[count] ?? 0) / (row[index] ?? 1))
}

const scaled = ([x, y]: Flat, share: number): Flat => [x * share, y * share]

function guesses({ fitted, clues }: Looked, weights: readonly number[]): Record<string, Flat> {
  const [middle = [0, 0], , , near = [0, 0], along = [0, 0], far = [0, 0]] = clues
  return {
    'the centre': [0, 0],
    'the fitted circle': fitted,
    'the middle of the ends': middle,
    'the middle, twice as far': scaled(middle, 2),
    '450 m towards the middle': scaled(middle, 450 / (Math.hypot(...middle) || 1)),
    'where the last steps point back to': near,
    'where the headings point back to': along,
    'where the whole routes point back to': far,
    'all clues, as learnt from other homes': clues.reduce<Flat>(
      ([x, y], clue, index) => [x + clue[0] * (weights[index] ?? 0), y + clue[1] * (weights[index] ?? 0)],
      [0, 0],
    ),
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN

export interface Attacked {
  readonly radiusMetres: number
  readonly walks: Walks
  readonly circles: CircleMaker
  readonly routes: number
  readonly homes: number
  readonly seed: number
}

/** The median error of each attack over the second half of the homes, in metres; the first half is the training set. */
export function attack({ radiusMetres, walks, circles, routes, homes, seed }: Attacked): Map<string, number> {
  const random = randomFrom(seed)
  const scenes = Array.from({ length: homes }, (_, index) => {
    const zone = { lat: homeLat + random() / 10, lon: 7 + random(), radiusMetres }
    const circle = circles(zone, `salt ${seed} ${index}`)
    const centre = flatOf(zone, circle)
    const walk = walks(random)
    const seen: Seen[] = []
    for (let route = 0; route < routes; route += 1) {
      const positions = walk(random).map((at) => placeOf(zone, at))
      const chunk = placesOf(atOnce(clipLines([lineOf(positions)], [circle]))).at(-1) ?? []
      const points = chunk.map((place): Flat => {
        const [x, y] = flatOf(zone, place)
        return [x - centre[0], y - centre[1]]
      })
      const [end] = points
      if (!end) continue // completely hidden
      const headings = [1, 4, points.length].map((on): Flat => {
        const [x, y] = points[Math.min(on, points.length - 1)] ?? end
        return [x - end[0], y - end[1]]
      })
      seen.push({ end, headings })
    }
    return look(seen, [-centre[0], -centre[1]], circle.radiusMetres)
  })
  const weights = learn(scenes.slice(0, homes / 2))
  const errors = new Map<string, number[]>()
  for (const scene of scenes.slice(homes / 2))
    for (const [name, guess] of Object.entries(guesses(scene, weights)))
      errors.set(name, [...(errors.get(name) ?? []), apart(guess, scene.home)])
  return new Map([...errors].map(([name, values]) => [name, median(values)]))
}

export function bestOf(errors: ReadonlyMap<string, number>): { name: string; metres: number } {
  const [best = ['none', NaN]] = [...errors].toSorted(([, one], [, other]) => one - other)
  return { name: best[0], metres: best[1] }
}

// Who looks for a home through the routes that others get: homes, the routes of who lives there, and every attack we know.
import { clipLines } from '../../src/account-routes/zones/clip.ts'
import {
  circleOf,
  type Circle,
  type Displacement,
  type Zone,
} from '../../src/account-routes/zones/zone-circle.ts'
import { atOnce } from '../../src/shared/in-turns.ts'
import { lineOf } from '../../src/shared/geo/points.ts'
import { apart, centroid, fitCircle, placesOf, randomFrom, type Flat, type Random } from './zone-cases.ts'

/** Metres from home. A family of routes is what one person walks; all lengths grow with the zone. */
export type Walks = (random: Random) => (random: Random) => Flat[]

interface Scale {
  /** Of the zone. */
  readonly radius: number
  /** How far routes go at least. */
  readonly far: number
}

const gauss = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

const onwards = ([x, y]: Flat, angle: number, metres: number): Flat => [
  x + metres * Math.cos(angle),
  y + metres * Math.sin(angle),
]

function straight(from: Flat, angle: number, { metres, step }: { metres: number; step: number }): Flat[] {
  return Array.from({ length: Math.ceil(metres / step) }, (_, index) =>
    onwards(from, angle, (index + 1) * step),
  )
}

const destinations = 12

/** Each of these is how people get about somewhere. Routes of one home share no more than the family says. */
export function familiesOf({ radius, far }: Scale): Readonly<Record<string, Walks>> {
  const step = radius / 4
  /** Routes end anywhere, else their ends would lie on a circle around home. */
  const somewhere = (random: Random): number => far * (1 + random())

  const winding: Walks = () => (random) => {
    const points: Flat[] = [[0, 0]]
    let angle = random() * 2 * Math.PI
    let at: Flat = [0, 0]
    const end = somewhere(random)
    while (Math.hypot(...at) < end && points.length < 1_500) {
      angle += gauss(random) * 0.9
      at = onwards(at, angle, 2 * step)
      points.push(at)
    }
    return points.slice(0, Math.ceil(points.length * (0.6 + 0.4 * random())))
  }

  /** Turns from a street into the next, towards one of the places where this person goes. */
  const streets: Walks = (random) => {
    const block = radius / 2
    const turned = random() * 2 * Math.PI
    const places = Array.from({ length: destinations }, () =>
      onwards([0, 0], random() * 2 * Math.PI, somewhere(random)),
    )
    return (own) => {
      const [toX, toY] = places[Math.floor(own() * places.length)] ?? [0, 0]
      const mayTurn = 1 / (1 + Math.floor(own() * 8))
      let [x, y] = [0, 0]
      let alongX = own() < 0.5
      const points: Flat[] = [[0, 0]]
      for (;;) {
        const [leftX, leftY] = [toX - x, toY - y]
        const [isThereX, isThereY] = [Math.abs(leftX) < block, Math.abs(leftY) < block]
        if (isThereX && isThereY) break
        if (own() < mayTurn) alongX = !alongX
        if (isThereX || isThereY) alongX = isThereY
        if (alongX) x += Math.sign(leftX) * block
        else y += Math.sign(leftY) * block
        points.push([x, y])
      }
      const [cos, sin] = [Math.cos(turned), Math.sin(turned)]
      return points.map(([east, north]): Flat => [east * cos - north * sin, east * sin + north * cos])
    }
  }

  /** Bends to and fro about one direction; again and again on the same few ways. */
  const ways: Walks = (random) => {
    const known = Array.from({ length: destinations }, () => {
      const angle = random() * 2 * Math.PI
      let bend = gauss(random) * 0.7
      let at: Flat = [0, 0]
      const points: Flat[] = [at]
      const end = somewhere(random)
      while (Math.hypot(...at) < end && points.length < 3_000) {
        bend += -bend / 4 + gauss(random) * 0.7 * Math.sqrt(0.5)
        at = onwards(at, angle + bend, step)
        points.push(at)
      }
      return points
    })
    return (own) => known[Math.floor(own() * known.length)] ?? []
  }

  /** Home stands on one straight road, which others cross here and there; whoever turns into one follows it out. */
  const roads: Walks = (random) => {
    const angle = random() * 2 * Math.PI
    const crossings = Array.from({ length: 4 }, () => ({
      at: (random() * 2 - 1) * 9 * radius,
      angle: angle + Math.PI / 2 + (random() - 0.5) * 1.2,
    }))
    return (own) => {
      const metres = somewhere(own)
      const crossing = own() < 0.5 ? undefined : crossings[Math.floor(own() * crossings.length)]
      const turned = own() < 0.5 ? 0 : Math.PI
      if (!crossing) return [[0, 0], ...straight([0, 0], angle + turned, { metres, step })]
      const corner = onwards([0, 0], angle, crossing.at)
      const towards = crossing.at < 0 ? angle + Math.PI : angle
      return [
        [0, 0],
        ...straight([0, 0], towards, { metres: Math.abs(crossing.at), step }),
        ...straight(corner, crossing.angle + turned, { metres, step }),
      ]
    }
  }
  return { winding, streets, ways, roads }
}

/** Straight out of the door into every direction. No hole can hide where these come from. */
export const rays =
  ({ radius, far }: Scale): Walks =>
  () =>
  (random) => [
    [0, 0],
    ...straight([0, 0], random() * 2 * Math.PI, { metres: far * (1 + random()), step: radius / 4 }),
  ]

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
  /** Where a route comes out of the hole for good, and the same route 1 and 4 points on and at its end. */
  readonly end: Flat
  readonly headings: readonly Flat[]
}

/** The point nearest to all lines through the ends along their headings. */
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
  /** From the centre of the circle, which the attacker knows to the millimetre. */
  readonly home: Flat
  readonly fitted: Flat
  /** What an attacker combines: each turns and grows as the scene does. */
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

/** Least squares: how much of each clue leads to the homes that the attacker made up to learn from. */
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

/** The median error of each attack over the second half of the homes, in metres; the first half is what is learnt from. */
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
      const piece = placesOf(atOnce(clipLines([lineOf(positions)], [circle]))).at(-1) ?? []
      const points = piece.map((place): Flat => {
        const [x, y] = flatOf(zone, place)
        return [x - centre[0], y - centre[1]]
      })
      const [end] = points
      if (!end) continue // hidden whole
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

// Families of routes from a home: streets, straight ways, loops. All lengths scale with the zone.
import type { Flat, Random } from './zone-cases.ts'

/** Metres from home. A family contains the routes of one person. */
export type Walks = (random: Random) => (random: Random) => Flat[]

interface Scale {
  /** Of the zone. */
  readonly radius: number
  /** Minimum extent of routes. */
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

/** Each is a realistic way of moving. Routes from one home have nothing else in common. */
export function familiesOf({ radius, far }: Scale): Readonly<Record<string, Walks>> {
  const step = radius / 4
  /** Routes end anywhere; otherwise their ends would form a circle around the home. */
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

  /** Turns from street to street towards one of this person's destinations. */
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

  /** Bends to and fro around one direction; repeated on the same few ways. */
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

  /** The home is on a straight road with a few crossings; a route that turns follows the new road to its end. */
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

/** Straight from the door in every direction. No hole can hide where these start. */
export const rays =
  ({ radius, far }: Scale): Walks =>
  () =>
  (random) => [
    [0, 0],
    ...straight([0, 0], random() * 2 * Math.PI, { metres: far * (1 + random()), step: radius / 4 }),
  ]

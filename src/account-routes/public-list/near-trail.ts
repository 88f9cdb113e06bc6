// Decides whether a route uses a trail: whether enough of its public line follows the trail.
import type { Line } from '../../shared/geo/points.ts'
import type { Box } from '../../shared/geo/measures.ts'

/**
 * A point within this distance is on the trail: under trees a receiver is off by about 20 m, and so is the trail's
 * line.
 */
export const nearMetres = 50
/** A path that only crosses the trail is within 50 m of it for 100 m. */
export const minMetresAlong = 200
const metresOfDegree = 111_320
/** Distance between two sampled points of the route. */
const stepMetres = 10
/** On longer routes the steps grow, so that there are no more than this. */
const maxSteps = 20_000
const cellMetres = 100
/** Yields to other requests after this many steps. */
const stepsOfTurn = 2_000

/** From -180 to 180. */
const turned = (degrees: number): number => degrees - 360 * Math.round(degrees / 360)

/** How far outside the box a line may be and still count as near. */
export function widened({ west, south, east, north }: Box): Box {
  const tall = nearMetres / metresOfDegree
  const poleward = Math.min(89, Math.max(Math.abs(south), Math.abs(north)))
  const wide = tall / Math.cos((poleward * Math.PI) / 180)
  const width = east >= west ? east - west : east - west + 360
  const isAround = width + 2 * wide >= 360
  return {
    west: isAround ? -180 : turned(west - wide),
    east: isAround ? 180 : turned(east + wide),
    south: Math.max(-90, south - tall),
    north: Math.min(90, north + tall),
  }
}

interface Leg {
  readonly x: number
  readonly y: number
  readonly dx: number
  readonly dy: number
}

/**
 * Metres on a plane around the middle of the route. A thousand kilometres away it is a few per cent off, but nothing
 * there is near.
 */
function planeOf(lines: readonly Line[], box: Box) {
  const lat = (box.south + box.north) / 2
  const east = metresOfDegree * Math.cos((lat * Math.PI) / 180)
  const lon = lines[0]?.points.lon(lines[0].first) ?? 0
  const x = (degrees: number): number => turned(degrees - lon) * east
  const y = (degrees: number): number => (degrees - lat) * metresOfDegree
  return function* legsOf(some: readonly Line[]): Generator<Leg, void> {
    for (const { points, first, end } of some) {
      for (let index = first + 1; index < end; index += 1) {
        const [fromX, fromY] = [x(points.lon(index - 1)), y(points.lat(index - 1))]
        // The shorter way around, even across the antimeridian.
        const dx = turned(points.lon(index) - points.lon(index - 1)) * east
        yield { x: fromX, y: fromY, dx, dy: y(points.lat(index)) - fromY }
      }
    }
  }
}

const cellOf = (x: number, y: number): string => `${Math.floor(x / cellMetres)} ${Math.floor(y / cellMetres)}`

interface Bounds {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

interface Extent {
  readonly metres: number
  /** The area in which something near may be. */
  readonly bounds: Bounds
}

function* extentOf(legs: Iterable<Leg>): Generator<undefined, Extent> {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  let metres = 0
  let done = 0
  for (const { x, y, dx, dy } of legs) {
    west = Math.min(west, x, x + dx)
    east = Math.max(east, x, x + dx)
    south = Math.min(south, y, y + dy)
    north = Math.max(north, y, y + dy)
    metres += Math.hypot(dx, dy)
    done += 1
    if (done % stepsOfTurn === 0) yield
  }
  const bounds = {
    west: west - nearMetres,
    south: south - nearMetres,
    east: east + nearMetres,
    north: north + nearMetres,
  }
  return { metres, bounds }
}

/** Indexes the trail's legs by the squares they cross, leaving out those far from the route. */
function* squaresOf(legs: Iterable<Leg>, near: Bounds): Generator<undefined, Map<string, Set<Leg>>> {
  const squares = new Map<string, Set<Leg>>()
  let done = 0
  for (const leg of legs) {
    const { x, y, dx, dy } = leg
    const isFar =
      Math.max(x, x + dx) < near.west ||
      Math.min(x, x + dx) > near.east ||
      Math.max(y, y + dy) < near.south ||
      Math.min(y, y + dy) > near.north
    const steps = isFar ? -1 : Math.ceil(Math.hypot(dx, dy) / (cellMetres / 2))
    for (let step = 0; step <= steps; step += 1) {
      const share = steps === 0 ? 0 : step / steps
      const cell = cellOf(x + dx * share, y + dy * share)
      const known = squares.get(cell)
      if (known) known.add(leg)
      else squares.set(cell, new Set([leg]))
    }
    done += 1 + Math.max(0, steps)
    if (done < stepsOfTurn) continue
    done = 0
    yield
  }
  return squares
}

function isWithin(leg: Leg, x: number, y: number): boolean {
  const [px, py] = [x - leg.x, y - leg.y]
  const squared = leg.dx * leg.dx + leg.dy * leg.dy
  const share = squared === 0 ? 0 : Math.min(1, Math.max(0, (px * leg.dx + py * leg.dy) / squared))
  return Math.hypot(px - share * leg.dx, py - share * leg.dy) <= nearMetres
}

const around = [-1, 0, 1] as const

function isNear(squares: ReadonlyMap<string, ReadonlySet<Leg>>, x: number, y: number): boolean {
  for (const right of around) {
    for (const up of around) {
      const legs = squares.get(cellOf(x + right * cellMetres, y + up * cellMetres))
      if (legs === undefined) continue
      for (const leg of legs) if (isWithin(leg, x, y)) return true
    }
  }
  return false
}

/**
 * In steps. True if 200 m of the route are within 50 m of the trail, or half of a route that is shorter than 400 m.
 * @param box of the route.
 */
export function* usesTrail(
  route: readonly Line[],
  box: Box,
  trail: readonly Line[],
): Generator<undefined, boolean> {
  const legsOf = planeOf(route, box)
  const { metres: length, bounds } = yield* extentOf(legsOf(route))
  if (length === 0) return false
  const squares = yield* squaresOf(legsOf(trail), bounds)
  if (squares.size === 0) return false
  const enough = Math.min(minMetresAlong, length / 2)
  const step = Math.max(stepMetres, length / maxSteps)
  let along = 0
  let done = 0
  for (const { x, y, dx, dy } of legsOf(route)) {
    const metres = Math.hypot(dx, dy)
    const parts = Math.ceil(metres / step)
    for (let part = 0; part < parts; part += 1) {
      const share = (part + 0.5) / parts
      if (isNear(squares, x + dx * share, y + dy * share)) along += metres / parts
      if (along >= enough) return true
      done += 1
      if (done % stepsOfTurn === 0) yield
    }
  }
  return false
}

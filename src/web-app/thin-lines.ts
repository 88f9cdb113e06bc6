// Limits the size of a drawing for any route: leaves out points that make no visible difference.
import type { Place } from './route-drawing.ts'

type Lines = readonly (readonly Place[])[]

/** Points and lines together: in the page a point takes at most 12 bytes, a line 14 more. */
export const maxParts = 12_000
/** Tolerances in pixels, smallest first: larger ones only if the drawing is full of lines. */
const tolerances = [0.5, 1, 2, 8, 32] as const
/** Yields after this many points. */
const pointsOfTurn = 5_000

const partsOf = (lines: Lines): number => lines.reduce((sum, line) => sum + line.length + 1, 0)

/** The directions from a point in which a line stays within the tolerance of every point passed so far. */
function createCone(from: Place, tolerance: number) {
  let middle: number | undefined
  let [min, greatest] = [-Math.PI, Math.PI]
  let farthest = 0

  return (to: Place): boolean => {
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    const distance = Math.hypot(dx, dy)
    if (distance < farthest - tolerance) return false // it turns back: the turning point must stay
    farthest = Math.max(farthest, distance)
    if (distance <= tolerance) return true
    const direction = Math.atan2(dy, dx)
    middle ??= direction
    const off = direction - middle
    const turned = off > Math.PI ? off - 2 * Math.PI : off < -Math.PI ? off + 2 * Math.PI : off
    if (turned < min || turned > greatest) return false
    const half = Math.asin(tolerance / distance)
    min = Math.max(min, turned - half)
    greatest = Math.min(greatest, turned + half)
    return true
  }
}

/** In a single pass, because quadratic time would be a denial-of-service risk; both ends stay. */
function* straightened(line: readonly Place[], tolerance: number): Generator<undefined, Place[]> {
  const [first] = line
  if (first === undefined) return []
  const kept = [first]
  let fits = createCone(first, tolerance)
  let before = first
  for (const [at, place] of line.entries()) {
    if (at % pointsOfTurn === 0) yield
    if (at === 0) continue
    if (!fits(place)) {
      kept.push(before)
      fits = createCone(before, tolerance)
      fits(place)
    }
    before = place
  }
  if (line.length > 1) kept.push(before)
  return kept
}

/** Lines that are no larger than a dot, once per place. */
function withoutRepeatedDots(lines: Lines, size: number): Lines {
  const taken = new Set<string>()
  return lines.filter((line) => {
    const [from, to = from, third] = line
    if (from === undefined || to === undefined || third !== undefined) return true
    if (Math.hypot(to.x - from.x, to.y - from.y) > size) return true
    const square = `${Math.floor(from.x / size)} ${Math.floor(from.y / size)}`
    if (taken.has(square)) return false
    taken.add(square)
    return true
  })
}

/** As many of the first lines as fit, the last one truncated. */
function firstParts(lines: Lines): Lines {
  const first: (readonly Place[])[] = []
  let left = maxParts
  for (const line of lines) {
    if (left < 2) break
    const fitting = line.slice(0, left - 1)
    first.push(fitting)
    left -= fitting.length + 1
  }
  return first
}

/** @returns the lines themselves if they are few enough, otherwise the closest approximation that fits. */
export function* thinLines(lines: Lines): Generator<undefined, Lines> {
  if (partsOf(lines) <= maxParts) return lines
  let thinned: Lines = lines
  for (const tolerance of tolerances) {
    const made: Place[][] = []
    for (const line of lines) made.push(yield* straightened(line, tolerance))
    thinned = withoutRepeatedDots(made, Math.max(tolerance, 1))
    if (partsOf(thinned) <= maxParts) return thinned
  }
  return firstParts(thinned) // thousands of lines from edge to edge: the drawing is already full
}

// The part of a route's lines that others may see: new lines without any point or path between points inside a
// circle.
import { countOf, createPoints } from '../../shared/geo/points.ts'
import type { GrowingPoints, Line } from '../../shared/geo/points.ts'
import { createHole, createSpot, isInside, passesThrough, setSpot } from './holes.ts'
import type { Circle } from './zone-circle.ts'

export interface Clipped {
  /**
   * Parts of the lines, in order, in their own columns: no hidden point remains in memory behind them. Without times.
   */
  readonly lines: Line[]
  /** For each remaining point, its index among the original ones. */
  readonly origins: (index: number) => number
  /** Whether any point, or any path between two, was left out. */
  readonly isClipped: boolean
}

/** About 2 ms, however many of the twenty possible circles an account has; a long path counts as many points. */
const pointsOfStep = 1_000
const halvingsOfPoint = 8

/**
 * Removes every point on or inside a circle, and breaks lines where the path between two points crosses one. No point
 * is added, especially not on the circle. A single point that remains of a longer line is dropped.
 */
export function* clipLines(
  lines: readonly Line[],
  circles: readonly Circle[],
): Generator<undefined, Clipped> {
  const holes = circles.map(createHole)
  const kept = createPoints()
  const origins = createOrigins()
  const keep = (line: Line, index: number): void => {
    copy(line, index, kept)
    origins.add(index)
  }
  const pieces: Line[] = []
  let isClipped = false
  let untilTurn = pointsOfStep
  const tally = { halvings: 0 }

  for (const line of lines) {
    const { points, first, end } = line
    const isAlone = countOf(line) < 2
    let [here, before] = [createSpot(), createSpot()]
    let pieceFirst = kept.count
    // The first point of a part waits for the second, so that a single point is never stored.
    let waiting: number | undefined
    let isOpen = false

    for (let index = first; index < end; index += 1) {
      untilTurn -= 1
      if (untilTurn * halvingsOfPoint <= tally.halvings) {
        untilTurn = pointsOfStep
        tally.halvings = 0
        yield
      }
      if (holes.length > 0) setSpot(here, points.lat(index), points.lon(index))
      const isHidden = isInside(here, holes)
      if (isHidden || (isOpen && passesThrough(before, here, holes, tally))) {
        isClipped = true
        if (kept.count > pieceFirst) pieces.push({ points: kept, first: pieceFirst, end: kept.count })
        pieceFirst = kept.count
        waiting = undefined
        isOpen = false
      }
      if (isHidden) continue
      if (!isOpen && !isAlone) waiting = index
      else {
        if (waiting !== undefined) keep(line, waiting)
        waiting = undefined
        keep(line, index)
      }
      isOpen = true
      ;[here, before] = [before, here]
    }

    const isEmpty = first === end
    if (kept.count > pieceFirst || isEmpty) pieces.push({ points: kept, first: pieceFirst, end: kept.count })
  }
  return { lines: pieces, origins: origins.at, isClipped }
}

function copy({ points }: Line, index: number, to: GrowingPoints): void {
  to.add(points.lat(index), points.lon(index))
  const ele = points.ele(index)
  if (!Number.isNaN(ele)) to.setEle(ele)
}

/** A growing column of integers. */
function createOrigins(): { readonly add: (origin: number) => void; readonly at: (index: number) => number } {
  let values = new Uint32Array(64)
  let count = 0
  return {
    add(origin) {
      if (count === values.length) values = new Uint32Array(values.buffer.transfer(values.byteLength * 2))
      values[count] = origin
      count += 1
    },
    at: (index) => values[index] ?? 0,
  }
}

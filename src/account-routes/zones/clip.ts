// What others than the owner may see of a route's lines: new lines without a point, or a way between two, in any circle.
import { countOf, createPoints } from '../../shared/geo/points.ts'
import type { GrowingPoints, Line } from '../../shared/geo/points.ts'
import { createHole, createSpot, isInside, passesThrough, setSpot } from './holes.ts'
import type { Circle } from './zone-circle.ts'

export interface Clipped {
  /** Pieces of the lines, in order, in columns of their own: no hidden point is in memory behind them. No times. */
  readonly lines: Line[]
  /** Of a point of the pieces, its index among those that it was taken from. */
  readonly origins: (index: number) => number
  /** Whether any point, or the way between any two, was left out. */
  readonly isClipped: boolean
}

/** Some 2 ms, with the twenty circles that an account may have as with none; a long way counts as many points. */
const pointsOfStep = 1_000
const halvingsOfPoint = 8

/**
 * Leaves out every point on or inside a circle, and breaks lines where the way between two points leads through one. No
 * point is made up, least of all on the circle. A point that is left alone from a line that had more is dropped.
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
    // The first point of a piece waits for its second, so that one that is dropped was never kept.
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

/** A column of whole numbers that grows. */
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

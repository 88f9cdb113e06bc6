// The profile of a line: its heights by the miles, thinned out so that no rise or fall is lost.
import type { Line } from './points.ts'

export interface ProfilePoint {
  readonly miles: number
  /** Metres. */
  readonly elevation: number
}

interface Found {
  readonly at: number
  readonly miles: number
  readonly elevation: number
}

/** Millionths: some millimetres. */
const rounded = (miles: number): number => Math.round(miles * 1e6) / 1e6

function heightsOf(lines: readonly Line[], miles: Float64Array): Found[] {
  const found: Found[] = []
  let at = 0
  for (const { points, first, end } of lines)
    for (let index = first; index < end; index += 1) {
      const elevation = points.ele(index)
      if (!Number.isNaN(elevation)) found.push({ at, miles: rounded(miles[at] ?? NaN), elevation })
      at += 1
    }
  return found
}

/** The lowest and the highest of each stretch of the same length, and both ends. */
function* extremesOf(heights: readonly Found[], stretches: number): Generator<Found, void> {
  const [first, last] = [heights.at(0), heights.at(-1)]
  if (first === undefined || last === undefined) return
  const length = last.miles - first.miles
  const stretchOf = ({ miles }: Found): number =>
    length === 0 ? 0 : Math.min(stretches - 1, Math.floor(((miles - first.miles) / length) * stretches))
  let [low, high] = [first, first]
  let current = 0
  const both = (): Found[] => (low.at < high.at ? [low, high] : low.at > high.at ? [high, low] : [low])
  yield first
  for (const height of heights) {
    const stretch = stretchOf(height)
    if (stretch !== current) {
      yield* both()
      current = stretch
      ;[low, high] = [height, height]
    }
    if (height.elevation < low.elevation) low = height
    if (height.elevation > high.elevation) high = height
  }
  yield* both()
  yield last
}

/**
 * At most `max` points, in order; points without a height are passed over. The highest, the lowest, the first and the last
 * are among them.
 * @param miles of each point of the lines, one line after the other.
 */
export function profileOf(lines: readonly Line[], miles: Float64Array, max: number): ProfilePoint[] {
  const heights = heightsOf(lines, miles)
  const sampled = heights.length <= max ? heights : [...extremesOf(heights, Math.floor((max - 2) / 2))]
  return sampled
    .filter(({ at }, place) => at !== sampled[place - 1]?.at)
    .map(({ miles: along, elevation }) => ({ miles: along, elevation }))
}

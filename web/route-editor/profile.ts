// The elevation profile: elevation by distance from the start, thinned to what a chart can show.
import { countOf, type Chunk } from './columns.ts'
import type { RouteMeter } from './route-meter.ts'
import { pointCount, type Segment } from './route-state.ts'

export interface Profile {
  /** Miles from the start; gaps between lines are not counted. */
  readonly miles: readonly number[]
  /** Metres; null where a line ends, so that the chart has a gap as well. */
  readonly eles: readonly (number | null)[]
  /** The index of each among all points; -1 at a gap. */
  readonly ordinals: readonly number[]
  readonly lowest: number
  readonly highest: number
}

interface Sample {
  readonly miles: number
  readonly ele: number
  readonly ordinal: number
}

/** How far along its chunk each point is, from 0 to 1. */
function sharesOf({ count, lats, lons }: Chunk): Float64Array {
  const shares = new Float64Array(count)
  // A fast approximation between neighbours: the length of the chunk is exact, and its points are scaled to it.
  const shrink = Math.cos(((lats[0] ?? 0) * Math.PI) / 180)
  for (let index = 1; index < count; index += 1) {
    const gap = Math.abs((lons[index] ?? 0) - (lons[index - 1] ?? 0))
    const across = (gap > 180 ? 360 - gap : gap) * shrink
    const up = (lats[index] ?? 0) - (lats[index - 1] ?? 0)
    shares[index] = (shares[index - 1] ?? 0) + Math.sqrt(across * across + up * up)
  }
  const whole = shares[count - 1] ?? 0
  return whole === 0 ? shares : shares.map((share) => share / whole)
}

/** The lowest and the highest of every group of points, in order: no summit is lost. */
function createThinner(pointsOfStretch: number) {
  const kept: Sample[] = []
  let stretch = -1
  let low: Sample | undefined
  let high: Sample | undefined
  const finish = (): void => {
    if (low === undefined || high === undefined) return
    if (low === high) kept.push(low)
    else kept.push(...(low.ordinal < high.ordinal ? [low, high] : [high, low]))
  }
  return {
    add: (miles: number, ele: number, ordinal: number): void => {
      const at = Math.floor(ordinal / pointsOfStretch)
      if (at !== stretch) {
        finish()
        stretch = at
        low = { miles, ele, ordinal }
        high = low
        return
      }
      if (ele < (low?.ele ?? Infinity)) low = { miles, ele, ordinal }
      if (ele > (high?.ele ?? -Infinity)) high = { miles, ele, ordinal }
    },
    end: (): readonly Sample[] => {
      finish()
      return kept
    },
  }
}

interface Along {
  readonly meter: RouteMeter
  readonly startMiles: number
  readonly firstOrdinal: number
  readonly pointsOfStretch: number
}

/** The points of a line that have an elevation, each with its distance from the start of the route. */
function samplesOf({ chunks }: Segment, along: Along): readonly Sample[] {
  const { meter, startMiles, pointsOfStretch } = along
  const { starts } = meter.milesAlong(chunks)
  const thinner = createThinner(pointsOfStretch)
  let ordinal = along.firstOrdinal
  for (const [at, chunk] of chunks.entries()) {
    const from = startMiles + (starts[at] ?? 0)
    const long = meter.milesOf(chunk)
    const shares = sharesOf(chunk)
    for (let index = 0; index < chunk.count; index += 1) {
      const ele = chunk.eles[index] ?? NaN
      if (!Number.isNaN(ele)) thinner.add(from + (shares[index] ?? 0) * long, ele, ordinal)
      ordinal += 1
    }
  }
  return thinner.end()
}

/** Undefined unless two points have an elevation. */
export function profileOf(
  segments: readonly Segment[],
  meter: RouteMeter,
  stretches = 600,
): Profile | undefined {
  const miles: number[] = []
  const eles: (number | null)[] = []
  const ordinals: number[] = []
  const pointsOfStretch = Math.max(1, Math.floor(pointCount({ segments }) / stretches))
  let [lowest, highest, startMiles, firstOrdinal, known] = [Infinity, -Infinity, 0, 0, 0]
  for (const segment of segments) {
    const samples = samplesOf(segment, { meter, startMiles, firstOrdinal, pointsOfStretch })
    if (miles.length > 0 && samples.length > 0) {
      miles.push(startMiles)
      eles.push(null)
      ordinals.push(-1)
    }
    for (const sample of samples) {
      miles.push(sample.miles)
      eles.push(sample.ele)
      ordinals.push(sample.ordinal)
      lowest = Math.min(lowest, sample.ele)
      highest = Math.max(highest, sample.ele)
    }
    known += samples.length
    startMiles += meter.milesAlong(segment.chunks).end
    firstOrdinal += countOf(segment.chunks)
  }
  return known < 2 ? undefined : { miles, eles, ordinals, lowest, highest }
}

/** The position in the profile nearest to a point of the route. */
export function profileIndexOf({ ordinals }: Profile, ordinal: number): number | undefined {
  let nearest: number | undefined
  let min = Infinity
  for (const [index, other] of ordinals.entries()) {
    const distance = other < 0 ? Infinity : Math.abs(other - ordinal)
    if (distance >= min) continue
    min = distance
    nearest = index
  }
  return nearest
}

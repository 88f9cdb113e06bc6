// Points of lines in columns of numbers: an 8 MiB document holds 380,000 of them, too many for an object each.

export interface Position {
  /** Degrees on WGS84. */
  readonly lat: number
  readonly lon: number
  /** Metres; absent if none was recorded. */
  readonly ele?: number
  /** Milliseconds since 1970, UTC. */
  readonly timeMs?: number
}

/** The columns of a document's points. A missing elevation or time is NaN. */
export interface Points {
  readonly count: number
  readonly lat: (index: number) => number
  readonly lon: (index: number) => number
  readonly ele: (index: number) => number
  readonly timeMs: (index: number) => number
}

export interface GrowingPoints extends Points {
  readonly add: (lat: number, lon: number) => void
  /** For the last point. */
  readonly setEle: (ele: number) => void
  readonly setTimeMs: (timeMs: number) => void
}

/** Points that belong together in this order: the points from `first` up to, and without, `end`. */
export interface Line {
  readonly points: Points
  readonly first: number
  readonly end: number
}

export function createPoints(): GrowingPoints {
  let count = 0
  let lats = new Float64Array(16)
  let lons = new Float64Array(16)
  // Created with the first value: many routes have neither.
  let eles: Float64Array<ArrayBuffer> | undefined
  let times: Float64Array<ArrayBuffer> | undefined

  return {
    get count() {
      return count
    },
    lat: (index) => lats[index] ?? NaN,
    lon: (index) => lons[index] ?? NaN,
    ele: (index) => eles?.[index] ?? NaN,
    timeMs: (index) => times?.[index] ?? NaN,
    add(lat, lon) {
      if (count === lats.length) {
        lats = grown(lats)
        lons = grown(lons)
        eles &&= grown(eles)
        times &&= grown(times)
      }
      lats[count] = lat
      lons[count] = lon
      if (eles) eles[count] = NaN
      if (times) times[count] = NaN
      count += 1
    },
    setEle(ele) {
      eles ??= new Float64Array(lats.length).fill(NaN, 0, count)
      eles[count - 1] = ele
    },
    setTimeMs(timeMs) {
      times ??= new Float64Array(lats.length).fill(NaN, 0, count)
      times[count - 1] = timeMs
    },
  }
}

/** The old column is freed at once, and unused space is never touched: neither takes memory. */
function grown(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  return new Float64Array(column.buffer.transfer(column.buffer.byteLength * 2))
}

/** A line of positions that is not from a document: from an editor, or a clipped route. */
export function lineOf(positions: Iterable<Position>): Line {
  const points = createPoints()
  for (const { lat, lon, ele, timeMs } of positions) {
    points.add(lat, lon)
    if (ele !== undefined) points.setEle(ele)
    if (timeMs !== undefined) points.setTimeMs(timeMs)
  }
  return { points, first: 0, end: points.count }
}

export function countOf(line: Line): number {
  return line.end - line.first
}

/** `index` counts from the document's first point, as `first` and `end` of a line do. */
export function positionAt(points: Points, index: number): Position {
  const ele = points.ele(index)
  const timeMs = points.timeMs(index)
  return {
    lat: points.lat(index),
    lon: points.lon(index),
    ...(Number.isNaN(ele) ? {} : { ele }),
    ...(Number.isNaN(timeMs) ? {} : { timeMs }),
  }
}

export function* positionsOf(line: Line): Generator<Position, void> {
  for (let index = line.first; index < line.end; index += 1) yield positionAt(line.points, index)
}

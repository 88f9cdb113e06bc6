// Points of lines in columns of numbers: an 8 MiB document holds 380,000 of them, too many for an object each.

export interface Position {
  /** Degrees on WGS84. */
  readonly lat: number
  readonly lon: number
  /** Metres; absent where none was recorded. */
  readonly ele?: number
  /** Milliseconds since 1970, UTC. */
  readonly timeMs?: number
}

/** What every point of a document is kept in. An elevation or a time that is absent is NaN. */
export interface Points {
  readonly count: number
  readonly lat: (index: number) => number
  readonly lon: (index: number) => number
  readonly ele: (index: number) => number
  readonly timeMs: (index: number) => number
}

export interface GrowingPoints extends Points {
  readonly add: (lat: number, lon: number) => void
  /** Of the point added last. */
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
  // Made when the first one comes: many a route has neither.
  let eles: Float64Array | undefined
  let times: Float64Array | undefined

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
        lats = grown(lats, count)
        lons = grown(lons, count)
        eles &&= grown(eles, count)
        times &&= grown(times, count)
      }
      lats[count] = lat
      lons[count] = lon
      count += 1
    },
    setEle(ele) {
      eles ??= new Float64Array(lats.length).fill(NaN)
      eles[count - 1] = ele
    },
    setTimeMs(timeMs) {
      times ??= new Float64Array(lats.length).fill(NaN)
      times[count - 1] = timeMs
    },
  }
}

function grown(column: Float64Array, count: number): Float64Array<ArrayBuffer> {
  const next = new Float64Array(column.length * 2)
  next.set(column)
  return next.fill(NaN, count)
}

/** A line of positions that came from elsewhere than a document: an editor, a clipped route. */
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

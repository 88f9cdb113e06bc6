// Points in immutable columns of numbers: an edit creates new chunks where something changes and shares all others.
import type { Line, Points, Position } from '../../src/shared/geo/points.ts'

/** A run of points; a missing elevation, time or origin is NaN. Never modified. */
export interface Chunk {
  readonly count: number
  readonly lats: Float64Array
  readonly lons: Float64Array
  readonly eles: Float64Array
  readonly timesMs: Float64Array
  /** The number of the point in the imported document; absent if the point is new or has been moved. */
  readonly origins: Float64Array
  /** The chunk that this one reverses, and which has the same length. */
  readonly mirrorOf?: Chunk
}

/** The points of a line in order, none of the chunks empty. */
export type Chunks = readonly Chunk[]

/** Short enough to copy at every step of a drag, long enough that 400,000 points need no thousands of chunks. */
export const pointsOfChunk = 512

/** @param origins of the positions; new ones have none. */
export function chunkOf(positions: readonly Position[], origins: readonly number[] = []): Chunk {
  const column = (valueOf: (position: Position) => number | undefined): Float64Array =>
    Float64Array.from(positions, (position) => valueOf(position) ?? NaN)
  return {
    count: positions.length,
    lats: column(({ lat }) => lat),
    lons: column(({ lon }) => lon),
    eles: column(({ ele }) => ele),
    timesMs: column(({ timeMs }) => timeMs),
    origins: Float64Array.from(positions, (_, index) => origins[index] ?? NaN),
  }
}

/** A view, not a copy. */
function part({ lats, lons, eles, timesMs, origins }: Chunk, from: number, to: number): Chunk {
  return {
    count: to - from,
    lats: lats.subarray(from, to),
    lons: lons.subarray(from, to),
    eles: eles.subarray(from, to),
    timesMs: timesMs.subarray(from, to),
    origins: origins.subarray(from, to),
  }
}

/** Splits long columns into chunks without copying. */
export function chunked(whole: Chunk): Chunks {
  const chunks: Chunk[] = []
  for (let from = 0; from < whole.count; from += pointsOfChunk) {
    chunks.push(part(whole, from, Math.min(from + pointsOfChunk, whole.count)))
  }
  return chunks
}

/** Splits long columns into chunks of these lengths, as they were before they were flattened. */
export function cut(whole: Chunk, counts: readonly number[]): Chunks {
  let from = 0
  return counts.map((count) => {
    from += count
    return part(whole, from - count, from)
  })
}

const columnNames = ['lats', 'lons', 'eles', 'timesMs', 'origins'] as const

/** All points in one set of columns. */
export function flattened(chunks: Chunks): Chunk {
  const count = countOf(chunks)
  const [lats, lons, eles, timesMs, origins] = columnNames.map((name) => {
    const column = new Float64Array(count)
    let at = 0
    for (const chunk of chunks) {
      column.set(chunk[name], at)
      at += chunk.count
    }
    return column
  }) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array]
  return { count, lats, lons, eles, timesMs, origins }
}

export function countOf(chunks: Chunks): number {
  let count = 0
  for (const chunk of chunks) count += chunk.count
  return count
}

/** The chunk that holds the point, and the index of its first point; at the very end, the last chunk. */
function locate(chunks: Chunks, index: number): { readonly chunkIndex: number; readonly first: number } {
  let first = 0
  for (const [chunkIndex, { count }] of chunks.entries()) {
    if (index < first + count || chunkIndex === chunks.length - 1) return { chunkIndex, first }
    first += count
  }
  return { chunkIndex: 0, first: 0 }
}

/** Undefined if there is none. */
export function positionIn(chunks: Chunks, index: number): Position | undefined {
  const { chunkIndex, first } = locate(chunks, index)
  const chunk = chunks[chunkIndex]
  const at = index - first
  if (chunk === undefined || at < 0 || at >= chunk.count) return undefined
  const [ele = NaN, timeMs = NaN] = [chunk.eles[at], chunk.timesMs[at]]
  return {
    lat: chunk.lats[at] ?? NaN,
    lon: chunk.lons[at] ?? NaN,
    ...(Number.isNaN(ele) ? {} : { ele }),
    ...(Number.isNaN(timeMs) ? {} : { timeMs }),
  }
}

/** The index of the point in the document; NaN if it has none. */
export function originIn(chunks: Chunks, index: number): number {
  const { chunkIndex, first } = locate(chunks, index)
  return chunks[chunkIndex]?.origins[index - first] ?? NaN
}

/** The same points as new ones. */
export const withoutOrigins = (chunks: Chunks): Chunks =>
  chunks.map((chunk) => ({ ...chunk, origins: new Float64Array(chunk.count).fill(NaN) }))

/** Replaces `removed` points at `at` with others; unaffected chunks stay the same objects. */
export function spliced(
  chunks: Chunks,
  at: number,
  removed: number,
  inserted: readonly Position[],
  origins: readonly number[] = [],
): Chunks {
  const start = locate(chunks, at)
  const end = locate(chunks, at + removed)
  const [head, tail] = [chunks[start.chunkIndex], chunks[end.chunkIndex]]
  if (head === undefined || tail === undefined) return chunked(chunkOf(inserted, origins))
  const touched = flattened([
    part(head, 0, at - start.first),
    chunkOf(inserted, origins),
    part(tail, at + removed - end.first, tail.count),
  ])
  return [...chunks.slice(0, start.chunkIndex), ...chunked(touched), ...chunks.slice(end.chunkIndex + 1)]
}

/** The points from `from` up to but excluding `to`. */
export function sliced(chunks: Chunks, from: number, to: number): Chunks {
  const kept: Chunk[] = []
  let first = 0
  for (const chunk of chunks) {
    const [start, end] = [Math.max(from - first, 0), Math.min(to - first, chunk.count)]
    if (start === 0 && end === chunk.count) kept.push(chunk)
    else if (start < end) kept.push(part(chunk, start, end))
    first += chunk.count
  }
  return kept
}

/** Reversed; without times, which would run backwards. */
export function reversed(chunks: Chunks): Chunks {
  return chunks.toReversed().map((chunk) => ({
    count: chunk.count,
    lats: chunk.lats.toReversed(),
    lons: chunk.lons.toReversed(),
    eles: chunk.eles.toReversed(),
    timesMs: new Float64Array(chunk.count).fill(NaN),
    origins: chunk.origins.toReversed(),
    mirrorOf: chunk,
  }))
}

/** The points whose byte is not 0. */
export function picked(whole: Chunk, isKept: Uint8Array): Chunk {
  const pick = (column: Float64Array): Float64Array => column.filter((_, index) => isKept[index] !== 0)
  const lats = pick(whole.lats)
  return {
    count: lats.length,
    lats,
    lons: pick(whole.lons),
    eles: pick(whole.eles),
    timesMs: pick(whole.timesMs),
    origins: pick(whole.origins),
  }
}

/** In the form that the shared functions take. */
export function lineOfChunk({ count, lats, lons, eles, timesMs }: Chunk): Line {
  const points: Points = {
    count,
    lat: (index) => lats[index] ?? NaN,
    lon: (index) => lons[index] ?? NaN,
    ele: (index) => eles[index] ?? NaN,
    timeMs: (index) => timesMs[index] ?? NaN,
  }
  return { points, first: 0, end: count }
}

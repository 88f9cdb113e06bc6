// Sorts the wanted tiles by ID without duplicates, and plans the requests to download them.
import type { Entries } from './entries.ts'
import { wrongArchive } from './wrong-archive.ts'

/** Maximum length of a request; requests in progress when the process is killed are repeated. */
export const maxRequestBytes = 2 * 1024 ** 2
/** Share of the download that may be unwanted, to save requests. */
const maxOverfetch = 0.05

/** Chunks of the source and their targets, in source order. None is longer than a request. */
export interface Copies {
  readonly count: number
  readonly from: Float64Array
  readonly to: Float64Array
  readonly bytes: Uint32Array
}

export interface Ordered {
  readonly copies: Copies
  /** The first copy of each request; those of a request are consecutive. */
  readonly requests: Uint32Array
  readonly contents: number
  /** Total of all tiles, each counted once. */
  readonly tileBytes: number
  /** The same, plus unwanted data between them that is downloaded anyway. */
  readonly fetchBytes: number
}

function place(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

/** Distinct values, ascending, in place. */
function distinct(values: Float64Array): Float64Array {
  values.sort()
  let count = 0
  for (const value of values) {
    if (count > 0 && values[count - 1] === value) continue
    values[count] = value
    count += 1
  }
  return values.subarray(0, count)
}

/**
 * Merges chunks that are adjacent on both sides, up to the length of a request; in place, since there may be
 * millions.
 */
function merge(from: Float64Array, to: Float64Array, bytes: Uint32Array): Copies {
  let last = -1
  for (let index = 0; index < from.length; index += 1) {
    const [start, target, length] = [from[index] ?? 0, to[index] ?? 0, bytes[index] ?? 0]
    const before = bytes[last] ?? 0
    const follows = last >= 0 && (from[last] ?? 0) + before === start && (to[last] ?? 0) + before === target
    if (follows && before + length <= maxRequestBytes) {
      bytes[last] = before + length
      continue
    }
    last += 1
    from[last] = start
    to[last] = target
    bytes[last] = length
  }
  const count = last + 1
  return { count, from: from.subarray(0, count), to: to.subarray(0, count), bytes: bytes.subarray(0, count) }
}

/** The widest gap, as a power of two, that may be downloaded: all gaps up to it stay within the limit. */
function widestGap(gapBefore: (index: number) => number, count: number, allowed: number): number {
  const sums = new Float64Array(64)
  for (let index = 1; index < count; index += 1) {
    const gap = gapBefore(index)
    const power = gap === 0 ? 0 : Math.ceil(Math.log2(gap)) + 1
    sums[power] = (sums[power] ?? 0) + gap
  }
  let sum = 0
  let widest = 0
  for (const [power, bytes] of sums.entries()) {
    sum += bytes
    if (sum > allowed) return widest
    widest = power === 0 ? 0 : 2 ** (power - 1)
  }
  return widest
}

function requestsOf({ count, from, bytes }: Copies, tileBytes: number) {
  const endOf = (index: number): number => (from[index] ?? 0) + (bytes[index] ?? 0)
  const gapBefore = (index: number): number => (from[index] ?? 0) - endOf(index - 1)
  const maxGap = widestGap(gapBefore, count, tileBytes * maxOverfetch)
  let start = 0
  /** Whether a chunk begins a request; call it in order. */
  const begins = (index: number): boolean => {
    const isOne = index === 0 || gapBefore(index) > maxGap || endOf(index) - start > maxRequestBytes
    if (isOne) start = from[index] ?? 0
    return isOne
  }
  let [requestCount, fetchBytes] = [0, 0]
  for (let index = 0; index < count; index += 1) {
    if (begins(index)) requestCount += 1
    else fetchBytes += gapBefore(index)
    fetchBytes += bytes[index] ?? 0
  }
  const requests = new Uint32Array(requestCount)
  for (let index = 0, at = 0; index < count; index += 1) {
    if (!begins(index)) continue
    requests[at] = index
    at += 1
  }
  return { requests, fetchBytes }
}

/** Converts the entries' offsets to those of the target. @throws Error with one sentence if tiles overlap. */
export function order({ count, offsets, lengths }: Entries): Ordered {
  const from = distinct(offsets.slice(0, count))
  const to = new Float64Array(from.length).fill(-1)
  const sizes = new Uint32Array(from.length)
  let tileBytes = 0
  for (let index = 0; index < count; index += 1) {
    const at = place(from, offsets[index] ?? 0)
    const length = lengths[index] ?? 0
    if (to[at] === -1) {
      to[at] = tileBytes
      sizes[at] = length
      tileBytes += length
    } else if (sizes[at] !== length) throw wrongArchive('The archive is damaged: one tile has two lengths.')
    offsets[index] = to[at] ?? 0
  }
  for (let index = 1; index < from.length; index += 1) {
    if ((from[index - 1] ?? 0) + (sizes[index - 1] ?? 0) > (from[index] ?? 0))
      throw wrongArchive('The archive is damaged: its tiles overlap.')
  }
  const contents = from.length
  const copies = merge(from, to, sizes)
  return { copies, ...requestsOf(copies, tileBytes), contents, tileBytes }
}

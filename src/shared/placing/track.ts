// A track as photos are placed by it: where somebody was when, in order of time, out of the lines of a GPX file.
import { invalidField, taken } from '../classic/reading.ts'
import type { Failure, Reading } from '../classic/reading.ts'
import { countOf } from '../geo/points.ts'
import type { Line } from '../geo/points.ts'
import { linesOf } from '../gpx/gpx-document.ts'
import { decodeGpx } from '../gpx/gpx-encoding.ts'
import type { GpxLimits } from '../gpx/gpx.ts'
import { readGpx } from '../gpx/gpx.ts'

/** Fixes in columns, in order of time, no two of the same moment. There is at least one. */
export interface Track {
  readonly count: number
  /** Milliseconds since 1970, UTC. */
  readonly times: Float64Array
  readonly lats: Float64Array
  readonly lons: Float64Array
  /** Metres; NaN where none was recorded. */
  readonly eles: Float64Array
}

/**
 * Of the file in UTF-8: a week at a fix a second. A stored route may have less (C33), but this one is only looked at,
 * where the photos are.
 */
export const trackLimits: GpxLimits = { maxBytes: 64 * 1024 ** 2 }

/** A receiver that recorded less than this ago still records. */
const maxRecordingGapMs = 120_000

/** Reads the text of a GPX file, or its bytes as they are, and lets everything else have its turn meanwhile. */
export async function readTrack(gpx: string | Uint8Array): Promise<Reading<Track>> {
  if (gpx.length > trackLimits.maxBytes) return tooLong
  const text = typeof gpx === 'string' ? taken(gpx) : decodeGpx(gpx)
  if (!text.ok) return text
  const reading = await readGpx([text.value], trackLimits)
  return reading.ok ? trackOf(linesOf(reading.value)) : reading
}

const tooLong: Failure = invalidField(
  `The file is longer than ${trackLimits.maxBytes / 1024 ** 2} MiB: split it, or remove other days from it.`,
)

/** Of lines that were read before, such as those of a route. Points without a time are passed over. */
export function trackOf(lines: readonly Line[]): Reading<Track> {
  const fixes = fixesOf(lines)
  if (fixes.count === 0) return invalidField('The file contains no times, so photos cannot be placed by it.')
  return taken(pick(fixes, keptOf(fixes)))
}

/** In the order of the file. */
interface Fixes extends Track {
  /** Of which line each is. */
  readonly lines: Uint32Array
}

function fixesOf(lines: readonly Line[]): Fixes {
  let room = 0
  for (const line of lines) room += countOf(line)
  const column = (): Float64Array => new Float64Array(room)
  const fixes = {
    times: column(),
    lats: column(),
    lons: column(),
    eles: column(),
    lines: new Uint32Array(room),
  }
  let count = 0
  for (const [number, { points, first, end }] of lines.entries()) {
    for (let index = first; index < end; index += 1) {
      const timeMs = points.timeMs(index)
      if (Number.isNaN(timeMs)) continue
      fixes.times[count] = timeMs
      fixes.lats[count] = points.lat(index)
      fixes.lons[count] = points.lon(index)
      fixes.eles[count] = points.ele(index)
      fixes.lines[count] = number
      count += 1
    }
  }
  return { ...fixes, count }
}

/** Indexes in order of time; in that of the file among fixes of one moment. */
function inOrderOfTime({ times, count }: Fixes): Uint32Array {
  const order = new Uint32Array(count)
  let isSorted = true
  for (let index = 0; index < count; index += 1) {
    order[index] = index
    isSorted &&= index === 0 || (times[index - 1] ?? NaN) <= (times[index] ?? NaN)
  }
  if (isSorted) return order
  return order.sort((one, other) => (times[one] ?? 0) - (times[other] ?? 0) || one - other)
}

/**
 * The fixes that count, in order of time. Where two lines were recorded at the same time, by two people or two receivers, it
 * is the one that began first: one after the other they would lead to and fro. Of fixes of one moment it is the last.
 */
function keptOf(fixes: Fixes): Uint32Array {
  const order = inOrderOfTime(fixes)
  const nextTimes = timesOfNext(fixes, order)
  const kept = new Uint32Array(order.length)
  let count = 0
  let lastMs = -Infinity
  let nextMs = Infinity
  let line: number | undefined
  for (const index of order) {
    const timeMs = fixes.times[index] ?? NaN
    const isOther = line !== undefined && line !== fixes.lines[index]
    const isRecording = timeMs <= nextMs && nextMs - lastMs <= maxRecordingGapMs
    if (isOther && (isRecording || timeMs === lastMs)) continue
    if (timeMs !== lastMs) count += 1
    kept[count - 1] = index
    lastMs = timeMs
    nextMs = nextTimes[index] ?? Infinity
    line = fixes.lines[index]
  }
  return kept.subarray(0, count)
}

/** Of each fix: when its own line goes on; infinite where it ends. */
function timesOfNext({ times, lines }: Fixes, order: Uint32Array): Float64Array {
  const following = new Map<number, number>()
  const next = new Float64Array(order.length)
  for (const index of order.toReversed()) {
    const line = lines[index] ?? 0
    next[index] = following.get(line) ?? Infinity
    following.set(line, times[index] ?? NaN)
  }
  return next
}

function pick({ times, lats, lons, eles }: Fixes, kept: Uint32Array): Track {
  const column = (from: Float64Array): Float64Array => Float64Array.from(kept, (index) => from[index] ?? NaN)
  return {
    count: kept.length,
    times: column(times),
    lats: column(lats),
    lons: column(lons),
    eles: column(eles),
  }
}

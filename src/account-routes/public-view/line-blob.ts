// Clipped lines in stored form: compressed columns of numbers, so that public views need no parsing.
import type { Line, Points } from '../../shared/geo/points.ts'
import { packBytes, unpackBytes } from '../gpx/packed.ts'

/** Latitudes, longitudes and elevations; shared times are stored separately (shared-blob.ts). */
const columns = 3

/**
 * Doubles, in the byte order of every machine that runs Node except mainframes: the number of lines, the points of
 * each, then all latitudes, all longitudes, all elevations (NaN if there is none).
 */
export function packLines(lines: readonly Line[]): Promise<Uint8Array> {
  const counts = lines.map(({ first, end }) => end - first)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const numbers = new Float64Array(1 + counts.length + columns * total)
  numbers[0] = counts.length
  numbers.set(counts, 1)
  let at = 1 + counts.length
  for (const { points, first, end } of lines) {
    for (let index = first; index < end; index += 1) {
      numbers[at] = points.lat(index)
      numbers[at + total] = points.lon(index)
      numbers[at + 2 * total] = points.ele(index)
      at += 1
    }
  }
  return packBytes(new Uint8Array(numbers.buffer))
}

/**
 * @param timeMs of the points, if times are shared.
 * @throws refusal `storage-unavailable` for damaged data.
 */
export async function unpackLines(packed: Uint8Array, timeMs: Points['timeMs'] = () => NaN): Promise<Line[]> {
  const bytes = await unpackBytes(packed)
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  const lineCount = numbers[0] ?? 0
  const counts = numbers.subarray(1, 1 + lineCount)
  const total = (numbers.length - 1 - lineCount) / columns
  const column = (number: number): Float64Array =>
    numbers.subarray(1 + lineCount + number * total, 1 + lineCount + (number + 1) * total)
  const [lats, lons, eles] = [column(0), column(1), column(2)]
  const points: Points = {
    count: total,
    lat: (index) => lats[index] ?? NaN,
    lon: (index) => lons[index] ?? NaN,
    ele: (index) => eles[index] ?? NaN,
    timeMs,
  }
  let first = 0
  return Array.from(counts, (count) => {
    const line = { points, first, end: first + count }
    first += count
    return line
  })
}

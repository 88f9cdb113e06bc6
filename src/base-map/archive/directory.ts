// Directories of a PMTiles archive: compressed columns of numbers. The cost of reading depends on the bytes, not on
// the counts that they claim.
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Compression } from './header.ts'
import { wrongArchive } from './wrong-archive.ts'

/** Decompressed: about 800,000 entries; archives of the whole earth have 50,000. */
export const maxDirectoryBytes = 4 * 1024 ** 2
const maxInflatedMetadata = 8 * 1024 ** 2

/** A run length of 0 is a leaf: a directory for the IDs from its own up to the next entry's. */
export interface Directory {
  readonly count: number
  readonly ids: Float64Array
  readonly runs: Float64Array
  readonly lengths: Float64Array
  readonly offsets: Float64Array
}

const damaged = (): Error => wrongArchive('The archive is damaged: one of its directories cannot be read.')

async function inflated(bytes: Buffer, compression: Compression, maxOutputLength: number): Promise<Buffer> {
  if (compression === 'none') {
    if (bytes.length > maxOutputLength) throw damaged()
    return bytes
  }
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength })
  } catch {
    throw damaged() // not gzip, truncated, or larger than any directory
  }
}

export const inflateMetadata = (bytes: Buffer, compression: Compression): Promise<Buffer> =>
  inflated(bytes, compression, maxInflatedMetadata)

function createNumbers(bytes: Buffer) {
  let at = 0
  return {
    /** The next integer, seven bits per byte. */
    next: (): number => {
      let value = 0
      for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
        const byte = bytes[at]
        if (byte === undefined) throw damaged()
        at += 1
        value += (byte & 127) * scale
        if (byte < 128) {
          if (value > Number.MAX_SAFE_INTEGER) throw damaged()
          return value
        }
      }
      throw damaged()
    },
    isAtEnd: (): boolean => at === bytes.length,
  }
}

/** @throws Error with one sentence unless IDs ascend, runs do not overlap, and no bytes are left over. */
export async function readDirectory(packed: Buffer, compression: Compression): Promise<Directory> {
  const bytes = await inflated(packed, compression, maxDirectoryBytes)
  const numbers = createNumbers(bytes)
  const count = numbers.next()
  if (count === 0) throw wrongArchive('The archive holds no tiles.')
  if (count > bytes.length / 4) throw damaged() // each entry takes four numbers
  const columns = Array.from({ length: 4 }, () => new Float64Array(count))
  const [ids, runs, lengths, offsets] = columns as [Float64Array, Float64Array, Float64Array, Float64Array]
  let id = 0
  for (let index = 0; index < count; index += 1) {
    const step = numbers.next()
    if (index > 0 && step === 0) throw damaged()
    id += step
    ids[index] = id
  }
  if (id > Number.MAX_SAFE_INTEGER) throw damaged()
  for (let index = 0; index < count; index += 1) {
    const run = numbers.next()
    runs[index] = run
    const next = ids[index + 1]
    if (next !== undefined && (ids[index] ?? 0) + run > next) throw damaged()
  }
  for (let index = 0; index < count; index += 1) {
    const length = numbers.next()
    if (length === 0) throw damaged()
    lengths[index] = length
  }
  for (let index = 0; index < count; index += 1) {
    const value = numbers.next()
    if (value === 0 && index === 0) throw damaged()
    offsets[index] = value === 0 ? (offsets[index - 1] ?? 0) + (lengths[index - 1] ?? 0) : value - 1
  }
  if (!numbers.isAtEnd()) throw damaged()
  return { count, ids, runs, lengths, offsets }
}

/** Varints of up to 53 bits, in a growing buffer. */
function createWriter() {
  let bytes = Buffer.allocUnsafe(64 * 1024)
  let at = 0
  return {
    put: (number: number): void => {
      if (at + 8 > bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2)
      let rest = number
      while (rest >= 128) {
        bytes[at] = (rest % 128) + 128
        at += 1
        rest = Math.floor(rest / 128)
      }
      bytes[at] = rest
      at += 1
    },
    written: (): Buffer => bytes.subarray(0, at),
  }
}

export interface Columns {
  readonly ids: ArrayLike<number>
  readonly runs: ArrayLike<number>
  readonly lengths: ArrayLike<number>
  readonly offsets: ArrayLike<number>
}

/** Entries from `from` up to but excluding `to`, in gzip. */
export async function writeDirectory(
  { ids, runs, lengths, offsets }: Columns,
  from: number,
  to: number,
): Promise<Buffer> {
  const { put, written } = createWriter()
  put(to - from)
  for (let index = from; index < to; index += 1)
    put((ids[index] ?? 0) - (index === from ? 0 : (ids[index - 1] ?? 0)))
  for (let index = from; index < to; index += 1) put(runs[index] ?? 0)
  for (let index = from; index < to; index += 1) put(lengths[index] ?? 0)
  for (let index = from; index < to; index += 1) {
    const follows = index > from && (offsets[index - 1] ?? 0) + (lengths[index - 1] ?? 0) === offsets[index]
    put(follows ? 0 : (offsets[index] ?? 0) + 1)
  }
  return promisify(gzip)(written())
}

// Writes a zip of stored (uncompressed) files in one pass, with memory that does not grow with their number.
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { piecesOf } from './pieces.ts'

/** Takes bytes in order, which nobody changes afterwards. */
export type Sink = (bytes: Uint8Array) => Promise<void>

/** Small writes are gathered up to this many bytes. */
const gatheredBytes = 1024 * 1024

/** From here on a field of 32 (or 16) bits says `look at the 64 bits instead`. */
const most32 = 0xff_ff_ff_ff
const most16 = 0xff_ff

const plainVersion = 20
const zip64Version = 45
/** Made on Unix, so that the mode of a file counts. */
const madeBy = (3 << 8) | zip64Version
/** A regular file for its owner alone. */
const fileMode = (0o100_600 << 16) >>> 0

/** Where the directory names a file: in the order in which they were added, or ahead of all that were added before. */
export type Place = 'in order' | 'ahead'

interface Header {
  readonly name: Buffer
  readonly bytes: number
  readonly crc: number
}

interface Gathering {
  readonly put: Sink
  flush(): Promise<void>
}

function gather(sink: Sink): Gathering {
  let gathered: Uint8Array[] = []
  let length = 0

  async function flush(): Promise<void> {
    const bytes = gathered.length === 1 ? gathered[0] : Buffer.concat(gathered)
    gathered = []
    length = 0
    if (bytes && bytes.length > 0) await sink(bytes)
  }

  return {
    put: async (bytes) => {
      gathered.push(bytes)
      length += bytes.length
      if (length >= gatheredBytes) await flush()
    },
    flush,
  }
}

/** Date and time of MS-DOS, which is what zip has; in UTC, so that a backup tells nothing of a time zone. */
function dosMoment(at: number): { readonly date: number; readonly time: number } {
  const moment = new Date(at)
  return {
    date:
      (Math.max(moment.getUTCFullYear() - 1980, 0) << 9) |
      ((moment.getUTCMonth() + 1) << 5) |
      moment.getUTCDate(),
    time:
      (moment.getUTCHours() << 11) | (moment.getUTCMinutes() << 5) | Math.floor(moment.getUTCSeconds() / 2),
  }
}

/** The extra field of ZIP64: those values, 64 bits each, that did not fit where they belong. */
function zip64Field(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0)
  const field = Buffer.alloc(4 + values.length * 8)
  field.writeUInt16LE(0x00_01, 0)
  field.writeUInt16LE(values.length * 8, 2)
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + index * 8)
  return field
}

export interface ZipWriterOptions {
  readonly sink: Sink
  /** An empty file, open for reading and writing, for the directory that ends a zip. */
  readonly directory: FileHandle
  /** Milliseconds since 1970 UTC: when all files of the zip were made. */
  readonly madeAt: number
  /** Bytes that the sink holds already. */
  readonly startsAt?: number
}

/**
 * Names are ASCII. A zip is read from its directory, which comes last: a file that was cut off has none, and is told by
 * every reader.
 */
export function createZipWriter({ sink, directory, madeAt, startsAt = 0 }: ZipWriterOptions) {
  const body = gather(sink)
  const listing = gather(async (bytes) => {
    await directory.appendFile(bytes)
  })
  const { date, time } = dosMoment(madeAt)
  /** Of files that the directory names ahead of all others. */
  const aheadRecords: Buffer[] = []
  let at = startsAt
  let files = 0
  let directoryBytes = 0

  async function put(bytes: Uint8Array): Promise<void> {
    at += bytes.length
    await body.put(bytes)
  }

  function localHeader({ name, bytes, crc }: Header): Buffer {
    const isLarge = bytes >= most32
    const extra = zip64Field(isLarge ? [bytes, bytes] : [])
    const fixed = Buffer.alloc(30)
    fixed.writeUInt32LE(0x04_03_4b_50, 0)
    fixed.writeUInt16LE(isLarge ? zip64Version : plainVersion, 4)
    fixed.writeUInt16LE(time, 10)
    fixed.writeUInt16LE(date, 12)
    fixed.writeUInt32LE(crc, 14)
    fixed.writeUInt32LE(Math.min(bytes, most32), 18)
    fixed.writeUInt32LE(Math.min(bytes, most32), 22)
    fixed.writeUInt16LE(name.length, 26)
    fixed.writeUInt16LE(extra.length, 28)
    return Buffer.concat([fixed, name, extra])
  }

  function directoryRecord({ name, bytes, crc }: Header, offset: number): Buffer {
    const large = [bytes, bytes, offset].filter((value) => value >= most32)
    const extra = zip64Field(large)
    const fixed = Buffer.alloc(46)
    fixed.writeUInt32LE(0x02_01_4b_50, 0)
    fixed.writeUInt16LE(madeBy, 4)
    fixed.writeUInt16LE(large.length > 0 ? zip64Version : plainVersion, 6)
    fixed.writeUInt16LE(time, 12)
    fixed.writeUInt16LE(date, 14)
    fixed.writeUInt32LE(crc, 16)
    fixed.writeUInt32LE(Math.min(bytes, most32), 20)
    fixed.writeUInt32LE(Math.min(bytes, most32), 24)
    fixed.writeUInt16LE(name.length, 28)
    fixed.writeUInt16LE(extra.length, 30)
    fixed.writeUInt32LE(fileMode, 38)
    fixed.writeUInt32LE(Math.min(offset, most32), 42)
    return Buffer.concat([fixed, name, extra])
  }

  async function begin(header: Header, place: Place): Promise<void> {
    const record = directoryRecord(header, at)
    files += 1
    directoryBytes += record.length
    if (place === 'ahead') aheadRecords.unshift(record)
    else await listing.put(record)
    await put(localHeader(header))
  }

  function endOfDirectory(offset: number): Buffer {
    const large = Buffer.alloc(76)
    large.writeUInt32LE(0x06_06_4b_50, 0)
    large.writeBigUInt64LE(44n, 4)
    large.writeUInt16LE(madeBy, 12)
    large.writeUInt16LE(zip64Version, 14)
    large.writeBigUInt64LE(BigInt(files), 24)
    large.writeBigUInt64LE(BigInt(files), 32)
    large.writeBigUInt64LE(BigInt(directoryBytes), 40)
    large.writeBigUInt64LE(BigInt(offset), 48)
    large.writeUInt32LE(0x07_06_4b_50, 56)
    large.writeBigUInt64LE(BigInt(offset + directoryBytes), 64)
    large.writeUInt32LE(1, 72)
    const plain = Buffer.alloc(22)
    plain.writeUInt32LE(0x06_05_4b_50, 0)
    plain.writeUInt16LE(Math.min(files, most16), 8)
    plain.writeUInt16LE(Math.min(files, most16), 10)
    plain.writeUInt32LE(Math.min(directoryBytes, most32), 12)
    plain.writeUInt32LE(Math.min(offset, most32), 16)
    const isLarge = files >= most16 || directoryBytes >= most32 || offset >= most32
    return isLarge ? Buffer.concat([large, plain]) : plain
  }

  return {
    add: async (name: string, bytes: Uint8Array, place: Place = 'in order'): Promise<void> => {
      await begin({ name: Buffer.from(name, 'ascii'), bytes: bytes.length, crc: crc32(bytes) }, place)
      await put(bytes)
    },

    /**
     * Adds a file of any length, which must not change meanwhile. It is read twice, since its checksum comes before it.
     * @returns its length, and its SHA-256 as hex.
     */
    addFile: async (name: string, file: FileHandle, place: Place = 'in order') => {
      const hash = createHash('sha256')
      let [bytes, crc] = [0, 0]
      for await (const piece of piecesOf(file)) {
        bytes += piece.length
        crc = crc32(piece, crc)
        hash.update(piece)
      }
      await begin({ name: Buffer.from(name, 'ascii'), bytes, crc }, place)
      const end = at + bytes
      for await (const piece of piecesOf(file)) await put(piece)
      if (at !== end) throw new Error(`${name} changed while it was being backed up`)
      return { bytes, sha256: hash.digest('hex') }
    },

    /** Writes the directory. @returns how many bytes the sink holds now. */
    end: async (): Promise<number> => {
      await listing.flush()
      const offset = at
      for (const record of aheadRecords) await put(record)
      for await (const piece of piecesOf(directory)) await put(piece)
      await put(endOfDirectory(offset))
      await body.flush()
      return at
    },
  }
}

export type ZipWriter = ReturnType<typeof createZipWriter>

// Writes a zip in one pass, with memory that does not grow with the length of its files.
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'
import { chunksOf } from './chunks.ts'

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

/** What the header of a file tells of it, and so has to be known before its first byte is written. */
export interface Measured {
  readonly bytes: number
  readonly crc: number
  /** Hex. */
  readonly sha256: string
}

export type Chunks = AsyncIterable<Uint8Array>

export async function measureChunks(chunks: Chunks): Promise<Measured> {
  const hash = createHash('sha256')
  let [bytes, crc] = [0, 0]
  for await (const chunk of chunks) {
    bytes += chunk.length
    crc = crc32(chunk, crc)
    hash.update(chunk)
  }
  return { bytes, crc, sha256: hash.digest('hex') }
}

/** Lengths and checksum follow the file, compressed. */
const flags = { afterwards: 0x00_08, deflated: 8 } as const

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
function dosTimestamp(at: number): { readonly date: number; readonly time: number } {
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

export type DirectoryFile = Pick<FileHandle, 'read'> & {
  appendFile(bytes: Uint8Array): Promise<unknown>
}

export interface ZipWriterOptions {
  readonly sink: Sink
  /** An empty file, open for reading and writing, for the directory that ends a zip; or what does as one. */
  readonly directory: DirectoryFile
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
  const { date, time } = dosTimestamp(madeAt)
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

  async function list(record: Buffer, place: Place): Promise<void> {
    files += 1
    directoryBytes += record.length
    if (place === 'ahead') aheadRecords.unshift(record)
    else await listing.put(record)
  }

  async function begin(header: Header, place: Place): Promise<void> {
    await list(directoryRecord(header, at), place)
    await put(localHeader(header))
  }

  /** @param read the same bytes as were measured. */
  async function addMeasured(name: string, measured: Measured, read: Chunks, place: Place): Promise<void> {
    const { bytes, crc } = measured
    await begin({ name: Buffer.from(name, 'ascii'), bytes, crc }, place)
    const end = at + bytes
    for await (const chunk of read) await put(chunk)
    if (at !== end) throw new Error(`${name} changed while it was being written`)
  }

  async function addChunks(name: string, chunks: Chunks | Iterable<Uint8Array>): Promise<void> {
    const offset = at
    const header = { name: Buffer.from(name, 'ascii'), bytes: 0, crc: 0 }
    const local = localHeader(header)
    local.writeUInt16LE(flags.afterwards, 6)
    local.writeUInt16LE(flags.deflated, 8)
    await put(local)
    const start = at
    let [bytes, crc] = [0, 0]
    const counted = async function* (): Chunks {
      for await (const chunk of chunks) {
        bytes += chunk.length
        crc = crc32(chunk, crc)
        yield chunk
      }
    }
    const deflate = createDeflateRaw()
    pipeline(Readable.from(counted(), { objectMode: false }), deflate, () => undefined) // a failure shows in the loop
    for await (const chunk of deflate) await put(chunk as Buffer)
    const packed = at - start
    if (bytes >= most32 || packed >= most32) throw new Error(`${name} is too long to be written in one go`)
    const lengths = Buffer.alloc(16)
    lengths.writeUInt32LE(0x08_07_4b_50, 0)
    lengths.writeUInt32LE(crc, 4)
    lengths.writeUInt32LE(packed, 8)
    lengths.writeUInt32LE(bytes, 12)
    await put(lengths)
    const record = directoryRecord({ ...header, bytes, crc }, offset)
    record.writeUInt16LE(flags.afterwards, 8)
    record.writeUInt16LE(flags.deflated, 10)
    record.writeUInt32LE(packed, 20)
    await list(record, 'in order')
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
    addFile: async (
      name: string,
      file: FileHandle,
      place: Place = 'in order',
      rest?: () => Promise<void>,
    ) => {
      const measured = await measureChunks(chunksOf(file, rest))
      await addMeasured(name, measured, chunksOf(file, rest), place)
      return { bytes: measured.bytes, sha256: measured.sha256 }
    },

    /** Adds a file that was measured before, stored. A failure while it is read leaves a zip that is none. */
    addMeasured: (name: string, measured: Measured, read: Chunks): Promise<void> =>
      addMeasured(name, measured, read, 'in order'),

    /** Adds a file whose length nobody knows yet, compressed, as it is made; less than 4 GiB. */
    addChunks,

    /** Writes the directory. @returns how many bytes the sink holds now. */
    end: async (): Promise<number> => {
      await listing.flush()
      const offset = at
      for (const record of aheadRecords) await put(record)
      for await (const chunk of chunksOf(directory)) await put(chunk)
      await put(endOfDirectory(offset))
      await body.flush()
      return at
    },
  }
}

export type ZipWriter = ReturnType<typeof createZipWriter>

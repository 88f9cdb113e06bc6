// Reads a zip of stored files, one after the other, and trusts nothing that it says: names, lengths and bytes are checked.
import { close, open, read } from 'node:fs'
import { callbackify, promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import {
  fromFdPromise,
  fromRandomAccessReaderPromise,
  RandomAccessReader,
  type Entry,
  type ZipFile,
} from 'yauzl'
import { failBackup, isOfSystem, namingFile } from './failures.ts'

const openDescriptor = promisify(open)
const closeDescriptor = promisify(close)

const chunkBytes = 1024 * 1024
/** The directory is read a few dozen bytes at a time; this many are requested at once, for stores across a network. */
const windowBytes = { directory: chunkBytes, content: 8 * chunkBytes } as const
const stored = 0

export interface ZipEntry {
  readonly name: string
  readonly bytes: number
  /** All of it, for entries that are known to be small. */
  read(): Promise<Buffer>
  /** In chunks; until the last has been read, they are not verified. */
  chunks(): AsyncGenerator<Buffer>
}

export interface Zip {
  /** In the order of the directory; once. */
  entries(): AsyncGenerator<ZipEntry>
  /** The sentence about damage that a caller finds in an entry. */
  damaged(what: string, cause?: unknown): Error
  close(): void
}

/** Bytes that need be no file here. */
export interface ZipSource {
  /** In sentences. */
  readonly name: string
  readonly bytes: number
  /** This many bytes from `start` on, all of which exist. */
  read(start: number, length: number): Promise<Buffer>
}

/** Reads ahead, and caches the last read. */
function windowOver({ bytes, read: readSource }: ZipSource, atOnce: number) {
  let begin = 0
  let window: Buffer = Buffer.alloc(0)
  return async (start: number, length: number): Promise<Buffer> => {
    if (start < begin || start + length > begin + window.length) {
      window = await readSource(start, Math.min(Math.max(length, atOnce), bytes - start))
      begin = start
    }
    return window.subarray(start - begin, start - begin + length)
  }
}

/** The reader for yauzl, which requires this class and uses only these two methods. */
function readerOver(read: (start: number, length: number) => Promise<Buffer>): RandomAccessReader {
  const reader = Reflect.construct(RandomAccessReader, []) as RandomAccessReader
  return Object.assign(reader, {
    read: callbackify(async (buffer: Buffer, offset: number, length: number, position: number) =>
      (await read(position, length)).copy(buffer, offset),
    ),
    close: (done: (error: Error | null) => void): void => done(null),
  })
}

async function readZip(descriptor: number, file: string): Promise<ZipFile> {
  try {
    return await fromFdPromise(descriptor, { strictFileNames: true })
  } catch (cause) {
    await closeDescriptor(descriptor)
    if (isOfSystem(cause)) throw cause
    throw failBackup('wrong-file', `${file} is not a Waymark backup, or it is truncated.`, cause)
  }
}

/** @throws Error of one sentence if the file is not a zip, is truncated, or (while reading) is damaged. */
export async function openZip(file: string): Promise<Zip> {
  const descriptor = await openDescriptor(file, 'r')
  const zip = await namingFile(file, () => readZip(descriptor, file))
  const readAt = (position: number, length: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      read(descriptor, Buffer.allocUnsafe(length), 0, length, position, (error, bytesRead, buffer) => {
        if (error) reject(error)
        else resolve(buffer.subarray(0, bytesRead))
      })
    })
  return zipOver(zip, file, readAt)
}

/** The same of bytes that are elsewhere. @throws as `openZip`, and what the source throws. */
export async function openZipSource(source: ZipSource): Promise<Zip> {
  // Each for itself: the two are far apart, and are read in turns.
  const readDirectory = windowOver(source, windowBytes.directory)
  const readContent = windowOver(source, windowBytes.content)
  try {
    const zip = await fromRandomAccessReaderPromise(readerOver(readDirectory), source.bytes, {
      strictFileNames: true,
    })
    return zipOver(zip, source.name, readContent)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) throw cause
    throw failBackup('wrong-file', `${source.name} is not a Waymark backup, or it is truncated.`, cause)
  }
}

function zipOver(
  zip: ZipFile,
  file: string,
  readAt: (position: number, length: number) => Promise<Buffer>,
): Zip {
  const damaged = (what: string, cause?: unknown): Error =>
    failBackup('wrong-file', `${file} is damaged: ${what}.`, cause)

  async function* chunksOf(entry: Entry): AsyncGenerator<Buffer> {
    const start = await inWords(() => zip.readLocalFileHeaderPromise(entry, { minimal: true }))
    let position = start.fileDataStart
    let crc = 0
    for (let left = entry.uncompressedSize; left > 0;) {
      const chunk = await readAt(position, Math.min(left, chunkBytes))
      if (chunk.length === 0) throw damaged(`${entry.fileName} is truncated`)
      crc = crc32(chunk, crc)
      position += chunk.length
      left -= chunk.length
      yield chunk
    }
    if (crc !== entry.crc32) throw damaged(`${entry.fileName} differs from what was backed up`)
  }

  /** yauzl throws plain errors such as `invalid relative path: ../x`. */
  async function inWords<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      if (isOfSystem(cause) || !(cause instanceof Error)) throw cause
      throw damaged(cause.message.replace(/\.$/, ''), cause)
    }
  }

  function entryOf(entry: Entry): ZipEntry {
    const { fileName: name, uncompressedSize: bytes } = entry
    if (entry.compressionMethod !== stored || entry.isEncrypted()) {
      throw damaged(`${name} is compressed or encrypted, which Waymark never does`)
    }
    const chunks = () => chunksOf(entry)
    return { name, bytes, chunks, read: async () => Buffer.concat(await Array.fromAsync(chunks())) }
  }

  async function* entries(): AsyncGenerator<ZipEntry> {
    const each = zip.eachEntry()
    for (;;) {
      const next = await inWords(() => each.next())
      if (next.done === true) return
      yield entryOf(next.value)
    }
  }

  return { entries, damaged, close: () => zip.close() }
}

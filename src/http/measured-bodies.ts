// Bodies with a Content-Length, for clients that read parts of a file, such as GDAL's /vsicurl/. Short ones are collected in
// memory, longer ones in an unlinked file. Beyond the limit of such files, a body is streamed without a length.
import { createHash, randomUUID } from 'node:crypto'
import { close, createReadStream, open, write } from 'node:fs'
import { mkdir, unlink } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { withTurns } from '../shared/text/text-chunks.ts'

export interface MeasuredBodiesOptions {
  /** The folder of the files; created with the first one. */
  readonly folder: string
  /** In memory for one body; more goes into a file. */
  readonly maxMemoryBytes?: number
  /** In files, of all bodies together. */
  readonly maxFileBytes?: number
}

export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface MeasuredBody {
  /** Undefined if there was no room for all of it. */
  readonly bytes: number | undefined
  /** Of the whole body, if all of it was stored. */
  readonly sha256: string | undefined
  /** Call it once, with a range of the stored body, or without one for everything. */
  readonly read: (range?: ByteRange) => Buffer | Readable
  /** Gives back the place of a body that is not read. */
  readonly discard: () => void
}

const openFile = promisify(open)
const writeSome = promisify(write)

/** A write may take less than it is given, for example if the disk becomes full. */
async function writeAll(descriptor: number, bytes: Buffer, from: number): Promise<void> {
  for (let at = 0; at < bytes.length;)
    at += (await writeSome(descriptor, bytes, at, bytes.length - at, from + at)).bytesWritten
}
const blockBytes = 256 * 1024

export function createMeasuredBodies({
  folder,
  maxMemoryBytes = 1024 ** 2,
  maxFileBytes = 1024 ** 3,
}: MeasuredBodiesOptions) {
  let fileBytes = 0

  /** A file that is gone from its folder at once, so that nothing stays of it however the process ends. */
  async function openNameless(): Promise<number> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = path.join(folder, randomUUID())
    const descriptor = await openFile(file, 'wx+', 0o600)
    await unlink(file)
    return descriptor
  }

  return {
    /** Makes the body. @param chunks texts that are each whole characters. */
    gather: async (chunks: Iterable<string> | AsyncIterable<string>): Promise<MeasuredBody> => {
      const rest = withTurns(chunks)
      const hash = createHash('sha256')
      let pieces: Buffer[] = []
      let pieceBytes = 0
      let bytes = 0
      let descriptor: number | undefined
      /** Position of the body in the file. */
      let written = 0
      let isRoom = true

      function releasePlace(): void {
        fileBytes -= written
        written = 0
        if (descriptor !== undefined) close(descriptor, () => undefined)
        descriptor = undefined
      }

      /** Writes buffered bytes to the file; they stay in memory if there is no room. */
      async function toFile(): Promise<void> {
        isRoom = fileBytes + pieceBytes <= maxFileBytes
        if (!isRoom) return
        try {
          descriptor ??= await openNameless()
          await writeAll(descriptor, Buffer.concat(pieces), written)
        } catch {
          isRoom = false // the disk is full, or fails: the body needs none
          return
        }
        fileBytes += pieceBytes
        written += pieceBytes
        pieces = []
        pieceBytes = 0
      }

      try {
        for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
          const piece = Buffer.from(next.value)
          hash.update(piece)
          pieces.push(piece)
          bytes += piece.length
          pieceBytes += piece.length
          if (pieceBytes >= (descriptor === undefined ? maxMemoryBytes : blockBytes)) await toFile()
          if (!isRoom) break
        }
        if (descriptor !== undefined && isRoom) await toFile()
      } catch (error) {
        releasePlace()
        throw error
      }

      const memory = pieces
      const inFile = written
      const file = descriptor
      function readFile(fd: number, range: ByteRange): Readable {
        descriptor = undefined // the stream closes it
        return createReadStream('', { fd, ...range, highWaterMark: 64 * 1024 }).once('close', releasePlace)
      }
      async function* everything(): AsyncGenerator<Buffer, void> {
        if (file !== undefined && inFile > 0) yield* readFile(file, { start: 0, end: inFile - 1 })
        yield* memory
        for await (const text of rest) yield Buffer.from(text)
      }

      if (!isRoom)
        return {
          bytes: undefined,
          sha256: undefined,
          read: () => Readable.from(everything(), { objectMode: false }).once('close', releasePlace),
          discard: releasePlace,
        }
      return {
        bytes,
        sha256: hash.digest('base64url'),
        read: (range = { start: 0, end: bytes - 1 }) =>
          file === undefined
            ? Buffer.concat(memory).subarray(range.start, range.end + 1)
            : readFile(file, range),
        discard: releasePlace,
      }
    },
  }
}

export type MeasuredBodies = ReturnType<typeof createMeasuredBodies>

// Where an archive is read from, by ranges: a file or a server. Both detect when the source has changed.
import { open } from 'node:fs/promises'
import { wrongArchive } from './wrong-archive.ts'

/** Identifies the state of the source. */
export interface Validator {
  readonly bytes: number
  readonly etag: string | null
  readonly modified: string | null
}

/** Chunks in order; `at` is the position in the source. */
export type Sink = (chunk: Buffer, at: number) => Promise<void> | void

export interface ArchiveSource {
  readonly validator: Validator
  /** Passes on exactly that range, in chunks. @throws Error with one sentence if it is not available. */
  stream(start: number, bytes: number, sink: Sink): Promise<void>
  /** All bytes received, wanted or not. */
  bytesReceived(): number
  close(): Promise<void>
}

export const isSameState = (one: Validator, other: Validator): boolean =>
  one.bytes === other.bytes &&
  (one.etag !== null && other.etag !== null ? one.etag === other.etag : one.modified === other.modified)

/** @param bytes must be few. */
export async function readRange(source: ArchiveSource, start: number, bytes: number): Promise<Buffer> {
  const whole = Buffer.alloc(bytes)
  await source.stream(start, bytes, (chunk, at) => void chunk.copy(whole, at - start))
  return whole
}

const pieceBytes = 256 * 1024

export async function openFileSource(file: string, signal?: AbortSignal): Promise<ArchiveSource> {
  const handle = await open(file)
  const look = async (): Promise<Validator> => {
    const { size, mtimeMs } = await handle.stat()
    return { bytes: size, etag: null, modified: String(mtimeMs) }
  }
  const found = await handle.stat()
  if (!found.isFile()) {
    await handle.close()
    throw wrongArchive(`${file} is not a file.`)
  }
  const validator = await look()
  let received = 0
  return {
    validator,
    stream: async (start, bytes, sink) => {
      for (let at = start; at < start + bytes;) {
        signal?.throwIfAborted()
        const wanted = Math.min(pieceBytes, start + bytes - at)
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at)
        if (bytesRead === 0 || !isSameState(validator, await look()))
          throw wrongArchive(
            `${file} changed while it was being read. Run the command again with --start-over.`,
          )
        received += bytesRead
        await sink(buffer.subarray(0, bytesRead), at)
        at += bytesRead
      }
    },
    bytesReceived: () => received,
    close: () => handle.close(),
  }
}

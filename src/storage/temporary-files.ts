// The folder of bytes that are received, hashed and counted but not yet kept: invisible to readers, cleaned up after a
// crash.
import { createHash, randomUUID } from 'node:crypto'
import { close, open, read } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { makeFolderDurably } from './durable-folders.ts'
import { createGatheringWriter } from './gathering-writer.ts'
import type { ByteSource } from './port.ts'

// Plain descriptors: Node 26 kills the process when an open FileHandle is garbage collected, and an abandoned stream
// could leave one behind; calls on descriptors are also faster.
const openDescriptor = promisify(open)
const closeDescriptor = promisify(close)

/** A file that is open: its descriptor is its owner's to close. */
export interface TemporaryFile {
  readonly file: string
  readonly descriptor: number
}

export interface ReceivedFile extends TemporaryFile {
  /** SHA-256 of its bytes, hex. */
  readonly sha256: string
  readonly bytes: number
}

/** @returns how many bytes were read, which may be fewer than there was room for. */
export function readSome(descriptor: number, into: Buffer, at: number, from = at): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, bytesRead: number): void =>
      error ? reject(error) : resolve(bytesRead)
    read(descriptor, into, at, into.length - at, from, done)
  })
}

/** Fills the buffer with the bytes of the file from `from` on. */
export async function readInto(
  { descriptor, bytes }: ReceivedFile,
  memory: Buffer,
  from: number,
): Promise<void> {
  for (let at = 0; at < memory.length;) {
    const bytesRead = await readSome(descriptor, memory, at, from + at)
    if (bytesRead === 0) throw new Error(`a received file has ${from + at} bytes and not ${bytes}`)
    at += bytesRead
  }
}

export async function readWhole(file: ReceivedFile): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(file.bytes)
  await readInto(file, whole, 0)
  return whole
}

/** @param folder made if need be. */
export async function createTemporaryFiles(folder: string) {
  await makeFolderDurably(folder)

  /** Files in use: no clock, however far ahead, makes them look abandoned. */
  const inUse = new Set<string>()

  /** Whether or not it is there. */
  async function remove(file: string): Promise<void> {
    inUse.delete(file)
    // Not `rm`, which stats the file first: on a failing disk, the file would stay.
    await fs.unlink(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  }

  async function forget(file: string, descriptor: number | undefined): Promise<void> {
    // Whether the system could still write the discarded file does not matter; it is closed in any case.
    if (descriptor !== undefined) await closeDescriptor(descriptor).catch(() => undefined)
    await remove(file)
  }

  /**
   * @param fill returns whether the file is to stay.
   * @returns undefined if nothing of it is left.
   */
  async function write(fill: (descriptor: number) => Promise<boolean>): Promise<TemporaryFile | undefined> {
    const file = path.join(folder, randomUUID())
    inUse.add(file)
    let descriptor: number | undefined
    let isWritten = false
    try {
      descriptor = await openDescriptor(file, 'wx+', 0o600)
      isWritten = await fill(descriptor)
    } finally {
      // A full disk must not fill up further with abandoned files.
      if (!isWritten) await forget(file, descriptor)
    }
    return isWritten && descriptor !== undefined ? { file, descriptor } : undefined
  }

  return {
    write,
    remove,
    forget,

    /** The file has another name now, under which it is no longer temporary. */
    release: (file: string): void => {
      inUse.delete(file)
    },

    /** Receives a stream. @returns undefined as soon as more than `limitBytes` have arrived; nothing is left then. */
    receive: async (source: ByteSource, limitBytes: number): Promise<ReceivedFile | undefined> => {
      const hash = createHash('sha256')
      let bytes = 0
      const written = await write(async (descriptor) => {
        const writer = createGatheringWriter(descriptor, source.release)
        try {
          for await (const chunk of source) {
            bytes += chunk.length
            if (bytes > limitBytes) return false
            hash.update(chunk)
            await writer.add(chunk)
          }
          await writer.end()
          return true
        } finally {
          await writer.stop()
        }
      })
      return written && { ...written, sha256: hash.digest('hex'), bytes }
    },

    /** Deletes files last written before this time and not in use; returns how many. */
    sweep: async (before: number): Promise<number> => {
      let swept = 0
      for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
        const file = path.join(folder, entry.name)
        if (!entry.isFile() || inUse.has(file)) continue
        const stat = await fs.stat(file).catch(() => undefined) // kept or discarded just now
        if (!stat || stat.mtimeMs >= before || inUse.has(file)) continue
        await fs.rm(file, { force: true })
        swept += 1
      }
      return swept
    },
  }
}

export type TemporaryFiles = Awaited<ReturnType<typeof createTemporaryFiles>>

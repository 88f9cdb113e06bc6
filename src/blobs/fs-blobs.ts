// Blobs as files, written so that what is acknowledged survives a power cut: temp file, fsync, rename, fsync of the folder.
import { createHash, randomUUID } from 'node:crypto'
import { close, createReadStream, fstat, open } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { assertKey, type BlobEntry, type Blobs, type OpenBlob, type StagedBlob } from './port.ts'

// Plain descriptors for reading: Node 26 kills the process when an open FileHandle is garbage collected, and a
// stream that a client abandons could leave one behind.
const openDescriptor = promisify(open)
const closeDescriptor = promisify(close)
const statDescriptor = promisify(fstat)

/**
 * ENOENT: no such file. ENOTDIR: a part of the key is a file. EISDIR: the key only begins other keys. All mean that the
 * key holds nothing.
 */
const absent: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && absent.has(error.code)
}

async function absentAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFile(file: string): Promise<void> {
  const handle = await fs.open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function writeAll(handle: fs.FileHandle, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, offset)
    offset += bytesWritten
  }
}

/** @param root folder of the store; made if need be, with a `tmp` folder on the same file system as the blobs. */
export async function createFsBlobs(root: string): Promise<Blobs> {
  const temporary = path.join(root, 'tmp')
  const kept = path.join(root, 'kept')
  await fs.mkdir(temporary, { recursive: true, mode: 0o700 })
  await fs.mkdir(kept, { recursive: true, mode: 0o700 })
  await syncFolder(root)

  /** Folders known to exist and to be durable, so that a folder is synced into its parent once, not per blob. */
  const durableFolders = new Set([kept])

  const fileOf = (key: string): string => path.join(kept, ...assertKey(key).split('/'))
  const newTemporary = (): string => path.join(temporary, randomUUID())

  async function makeFolder(folder: string): Promise<void> {
    if (durableFolders.has(folder)) return
    await makeFolder(path.dirname(folder))
    await fs.mkdir(folder, { recursive: true, mode: 0o700 })
    await syncFolder(path.dirname(folder))
    durableFolders.add(folder)
  }

  async function publish(from: string, key: string, durability: 'durable' | 'remakeable'): Promise<void> {
    const file = fileOf(key)
    await makeFolder(path.dirname(file))
    await fs.rename(from, file)
    if (durability === 'durable') await syncFolder(path.dirname(file))
  }

  async function writeTemporary(
    file: string,
    isDurable: boolean,
    write: (handle: fs.FileHandle) => Promise<boolean>,
  ): Promise<boolean> {
    const handle = await fs.open(file, 'wx', 0o600)
    let isWhole = false
    try {
      isWhole = await write(handle)
      if (isWhole && isDurable) await handle.sync()
    } finally {
      await handle.close()
      if (!isWhole) await fs.rm(file, { force: true })
    }
    return isWhole
  }

  function staged(file: string, sha256: string, bytes: number): StagedBlob {
    let isSettled = false
    return {
      sha256,
      bytes,
      read: () => fs.readFile(file),
      keep: async (key) => {
        await syncFile(file)
        await publish(file, key, 'durable')
        isSettled = true
      },
      discard: async () => {
        if (!isSettled) await fs.rm(file, { force: true })
        isSettled = true
      },
    }
  }

  async function* walk(folder: string, prefix: string): AsyncGenerator<BlobEntry> {
    const entries = (await absentAsUndefined(fs.readdir(folder, { withFileTypes: true }))) ?? []
    for (const entry of entries) {
      const place = path.join(folder, entry.name)
      const key = `${prefix}${entry.name}`
      if (entry.isDirectory()) {
        yield* walk(place, `${key}/`)
        continue
      }
      const stat = await absentAsUndefined(fs.stat(place))
      if (stat) yield { key, bytes: stat.size, writtenAt: stat.mtimeMs }
    }
  }

  return {
    receive: async (source, limitBytes) => {
      const file = newTemporary()
      const hash = createHash('sha256')
      let bytes = 0
      const isWhole = await writeTemporary(file, false, async (handle) => {
        for await (const piece of source) {
          bytes += piece.length
          if (bytes > limitBytes) return false
          hash.update(piece)
          await writeAll(handle, piece)
        }
        return true
      })
      return isWhole ? staged(file, hash.digest('hex'), bytes) : undefined
    },

    put: async (key, bytes, durability) => {
      const file = newTemporary()
      await writeTemporary(file, durability === 'durable', async (handle) => {
        await writeAll(handle, bytes)
        return true
      })
      try {
        await publish(file, key, durability)
      } catch (error) {
        await fs.rm(file, { force: true }) // a full disk must not fill up further with what nobody will ever see
        throw error
      }
    },

    read: (key) => absentAsUndefined(fs.readFile(fileOf(key))),

    open: async (key): Promise<OpenBlob | undefined> => {
      const file = fileOf(key)
      const descriptor = await absentAsUndefined(openDescriptor(file, 'r'))
      if (descriptor === undefined) return undefined
      const stat = await statDescriptor(descriptor)
      if (!stat.isFile()) {
        await closeDescriptor(descriptor)
        return undefined
      }
      return {
        bytes: stat.size,
        stream: (start, end) => createReadStream(file, { fd: descriptor, start, end }),
        close: () => closeDescriptor(descriptor),
      }
    },

    has: async (key) => (await absentAsUndefined(fs.stat(fileOf(key))))?.isFile() ?? false,

    remove: (key) => fs.rm(fileOf(key), { force: true }),

    list: () => walk(kept, ''),

    sweepStaged: async (before) => {
      let swept = 0
      for (const name of await fs.readdir(temporary)) {
        const file = path.join(temporary, name)
        const stat = await absentAsUndefined(fs.stat(file))
        if (!stat || stat.mtimeMs >= before) continue
        await fs.rm(file, { force: true })
        swept += 1
      }
      return swept
    },
  }
}

// Blobs as files, written so that what is acknowledged survives a power cut: temp file, fsync, rename, fsync of the folder.
import { createHash, randomUUID } from 'node:crypto'
import { close, createReadStream, fstat, open, type Dirent } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { makeFolderDurably, syncFolder } from '../durable-folders.ts'
import { createStorageFaults, type StorageFaults } from '../storage-faults.ts'
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

/** Syncs a file that was written before, through a descriptor of its own. */
async function syncFile(file: string): Promise<void> {
  const handle = await fs.open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const byName = (one: Dirent, other: Dirent): number => (one.name < other.name ? -1 : 1)

async function writeAll(handle: fs.FileHandle, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, offset)
    offset += bytesWritten
  }
}

/**
 * @param root folder of the store; made if need be, with a `tmp` folder on the same file system as the blobs.
 * @param faults is told of a failed fsync; once there was one, nothing is written any more.
 */
export async function createFsBlobs(
  root: string,
  faults: StorageFaults = createStorageFaults(),
): Promise<Blobs> {
  const temporary = path.join(root, 'tmp')
  const kept = path.join(root, 'kept')
  await makeFolderDurably(temporary)
  await makeFolderDurably(kept)

  /** Folders that are durable or about to be, so that a folder is synced into its parent once, not per blob. */
  const durableFolders = new Map([[kept, Promise.resolve()]])

  /** Temporary files at work: no clock, however far ahead, makes them look like those of a dead upload. */
  const inUse = new Set<string>()

  const fileOf = (key: string): string => path.join(kept, ...assertKey(key).split('/'))

  function newTemporary(): string {
    const file = path.join(temporary, randomUUID())
    inUse.add(file)
    return file
  }

  /** Whether or not it is there. */
  async function removeTemporary(file: string): Promise<void> {
    inUse.delete(file)
    await fs.rm(file, { force: true })
  }

  async function makeDurably(folder: string): Promise<void> {
    await makeFolder(path.dirname(folder))
    // Not `recursive`: where the disk fails, that tells of a missing folder instead.
    await fs.mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await faults.guardSync(() => syncFolder(path.dirname(folder)))
  }

  function makeFolder(folder: string): Promise<void> {
    const known = durableFolders.get(folder)
    if (known) return known
    const made = makeDurably(folder)
    durableFolders.set(folder, made)
    made.catch(() => durableFolders.delete(folder))
    return made
  }

  async function publish(from: string, key: string, durability: 'durable' | 'remakeable'): Promise<void> {
    faults.requireNoLoss()
    const file = fileOf(key)
    await makeFolder(path.dirname(file))
    await fs.rename(from, file)
    inUse.delete(from)
    if (durability === 'durable') await faults.guardSync(() => syncFolder(path.dirname(file)))
  }

  async function writeTemporary(
    file: string,
    isDurable: boolean,
    write: (handle: fs.FileHandle) => Promise<boolean>,
  ): Promise<boolean> {
    let isWhole = false
    try {
      const handle = await fs.open(file, 'wx', 0o600)
      let isWritten = false
      try {
        isWritten = await write(handle)
        if (isWritten && isDurable) await faults.guardSync(() => handle.sync())
      } finally {
        await handle.close()
      }
      isWhole = isWritten
    } finally {
      if (!isWhole) await removeTemporary(file) // a full disk must not fill up further with what nobody will ever see
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
        await faults.guardSync(() => syncFile(file))
        await publish(file, key, 'durable')
        isSettled = true
      },
      discard: async () => {
        if (!isSettled) await removeTemporary(file)
        isSettled = true
      },
    }
  }

  async function* walk(folder: string, prefix: string): AsyncGenerator<BlobEntry> {
    const entries = (await absentAsUndefined(fs.readdir(folder, { withFileTypes: true }))) ?? []
    for (const entry of entries.toSorted(byName)) {
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
        await removeTemporary(file)
        throw error
      }
    },

    read: (key) => absentAsUndefined(fs.readFile(fileOf(key))),

    open: async (key): Promise<OpenBlob | undefined> => {
      const file = fileOf(key)
      const descriptor = await absentAsUndefined(openDescriptor(file, 'r'))
      if (descriptor === undefined) return undefined
      const stat = await statDescriptor(descriptor).catch(async (error: unknown) => {
        await closeDescriptor(descriptor)
        throw error
      })
      if (!stat.isFile()) {
        await closeDescriptor(descriptor)
        return undefined
      }
      return {
        bytes: stat.size,
        stream: (start, end) => createReadStream(file, { fd: descriptor, start, end, highWaterMark: 32_768 }),
        close: () => closeDescriptor(descriptor),
      }
    },

    has: async (key) => (await absentAsUndefined(fs.stat(fileOf(key))))?.isFile() ?? false,

    remove: (key) => fs.rm(fileOf(key), { force: true }),

    list: (folder) => (folder === '' ? walk(kept, '') : walk(fileOf(folder), `${folder}/`)),

    sweepStaged: async (before) => {
      let swept = 0
      for (const name of await fs.readdir(temporary)) {
        const file = path.join(temporary, name)
        const stat = await absentAsUndefined(fs.stat(file))
        if (!stat || stat.mtimeMs >= before || inUse.has(file)) continue
        await fs.rm(file, { force: true })
        swept += 1
      }
      return swept
    },
  }
}

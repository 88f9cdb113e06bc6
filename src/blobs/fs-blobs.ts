// Blobs as files, written so that what is acknowledged survives a power cut: temp file, fsync, rename, fsync of the folder.
import { createHash, randomUUID } from 'node:crypto'
import { close, createReadStream, fstat, fsync, open, read, type Dirent } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { createSharedSync, makeFolderDurably, syncFolder } from '../durable-folders.ts'
import { createStorageFaults, type StorageFaults } from '../storage-faults.ts'
import { createGatheringWriter, writeAll } from './gathering-writer.ts'
import { assertKey, type BlobEntry, type Blobs, type OpenBlob, type StagedBlob } from './port.ts'

// Plain descriptors: Node 26 kills the process when an open FileHandle is garbage collected, and a stream that a client
// abandons could leave one behind; and a call on one costs less.
const openDescriptor = promisify(open)
const closeDescriptor = promisify(close)
const syncDescriptor = promisify(fsync)
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

/** @returns how many bytes were read, which may be fewer than asked for. */
function readSome(descriptor: number, into: Buffer, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, bytesRead: number): void =>
      error ? reject(error) : resolve(bytesRead)
    read(descriptor, into, at, into.length - at, at, done)
  })
}

async function readWhole(descriptor: number, bytes: number): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(bytes)
  for (let at = 0; at < bytes;) {
    const bytesRead = await readSome(descriptor, whole, at)
    if (bytesRead === 0) throw new Error(`a received file has ${at} bytes and not ${bytes}`)
    at += bytesRead
  }
  return whole
}

async function syncAndClose(descriptor: number): Promise<void> {
  try {
    await syncDescriptor(descriptor)
  } finally {
    await closeDescriptor(descriptor)
  }
}

const byName = (one: Dirent, other: Dirent): number => (one.name < other.name ? -1 : 1)

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

  const syncShared = createSharedSync((folder) => faults.guardSync(() => syncFolder(folder)))

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
    await syncShared(path.dirname(folder))
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
    if (durability === 'durable') await syncShared(path.dirname(file))
  }

  /**
   * @param write says whether the file is to stay.
   * @returns its descriptor, which is the caller's to close; undefined where nothing of it is left.
   */
  async function writeTemporary(
    file: string,
    write: (descriptor: number) => Promise<boolean>,
  ): Promise<number | undefined> {
    let descriptor: number | undefined
    let isWritten = false
    try {
      descriptor = await openDescriptor(file, 'wx+', 0o600)
      isWritten = await write(descriptor)
    } finally {
      // A full disk must not fill up further with what nobody will ever see.
      if (!isWritten) await forget(file, descriptor)
    }
    return isWritten ? descriptor : undefined
  }

  async function forget(file: string, descriptor: number | undefined): Promise<void> {
    // Whether the system could still write what is thrown away does not matter; closed it is in any case.
    if (descriptor !== undefined) await closeDescriptor(descriptor).catch(() => undefined)
    await removeTemporary(file)
  }

  function staged(
    file: string,
    opened: number,
    { sha256, bytes }: { readonly sha256: string; readonly bytes: number },
  ): StagedBlob {
    let descriptor: number | undefined = opened
    let isSynced = false
    let isSettled = false

    /** The descriptor, from now on the caller's alone. */
    const takeDescriptor = (): number | undefined => {
      const taken = descriptor
      descriptor = undefined
      return taken
    }

    return {
      sha256,
      bytes,
      read: async () => {
        if (descriptor === undefined)
          throw new Error('a received file is read after it was kept or discarded')
        return readWhole(descriptor, bytes)
      },
      keep: async (key) => {
        assertKey(key)
        const open = takeDescriptor()
        if (open !== undefined) await faults.guardSync(() => syncAndClose(open))
        else if (!isSynced) throw new Error('what failed to be synced, or was discarded, cannot be kept')
        isSynced = true
        await publish(file, key, 'durable')
        isSettled = true
      },
      discard: async () => {
        if (!isSettled) await forget(file, takeDescriptor())
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
      const descriptor = await writeTemporary(file, async (opened) => {
        const writer = createGatheringWriter(opened, source.release)
        try {
          for await (const piece of source) {
            bytes += piece.length
            if (bytes > limitBytes) return false
            hash.update(piece)
            await writer.add(piece)
          }
          await writer.end()
          return true
        } finally {
          await writer.stop()
        }
      })
      return descriptor === undefined
        ? undefined
        : staged(file, descriptor, { sha256: hash.digest('hex'), bytes })
    },

    put: async (key, bytes, durability) => {
      const file = newTemporary()
      const descriptor = await writeTemporary(file, async (opened) => {
        await writeAll(opened, [bytes])
        return true
      })
      try {
        if (descriptor !== undefined) {
          if (durability === 'durable') await faults.guardSync(() => syncAndClose(descriptor))
          else await closeDescriptor(descriptor)
        }
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

    locate: assertKey,

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

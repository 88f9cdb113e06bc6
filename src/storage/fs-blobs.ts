// Blobs as files, written so that they survive a power cut: temporary file, fsync, rename, fsync of the folder.
import { close, createReadStream, fstat, fsync, open, type Dirent } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { createSharedSync, makeFolderDurably, syncFolder } from './durable-folders.ts'
import { createStorageFaults, type StorageFaults } from './storage-faults.ts'
import { writeAll } from './gathering-writer.ts'
import { blobInMemory } from './blob-in-memory.ts'
import { assertKey, type BlobEntry, type Blobs, type OpenBlob, type StagedBlob } from './port.ts'
import { removeEach } from './removing.ts'
import { createTemporaryFiles, readInto, readSome, type ReceivedFile } from './temporary-files.ts'

// Plain descriptors, for the reasons given in temporary-files.ts.
const openDescriptor = promisify(open)
const closeDescriptor = promisify(close)
const syncDescriptor = promisify(fsync)
const statDescriptor = promisify(fstat)

/** More than Node has threads for files: a disk sorts concurrent requests. */
const maxRemovedAtOnce = 8

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

async function syncAndClose(descriptor: number): Promise<void> {
  try {
    await syncDescriptor(descriptor)
  } finally {
    await closeDescriptor(descriptor)
  }
}

const openFile = (file: string, descriptor: number, bytes: number): OpenBlob => ({
  bytes,
  stream: (start, end) => createReadStream(file, { fd: descriptor, start, end, highWaterMark: 32_768 }),
  close: () => closeDescriptor(descriptor),
})

const byName = (one: Dirent, other: Dirent): number => (one.name < other.name ? -1 : 1)

/**
 * @param root folder of the store; created if missing, with a `tmp` folder on the same file system as the blobs.
 * @param faults receives failed fsyncs; after one, nothing is written any more.
 */
export async function createFsBlobs(
  root: string,
  faults: StorageFaults = createStorageFaults(),
): Promise<Blobs> {
  const kept = path.join(root, 'kept')
  const temporary = await createTemporaryFiles(path.join(root, 'tmp'))
  await makeFolderDurably(kept)

  /** Folders that are durable or about to be, so that a folder is synced into its parent once, not per blob. */
  const durableFolders = new Map([[kept, Promise.resolve()]])

  const syncShared = createSharedSync((folder) => faults.guardSync(() => syncFolder(folder)))

  const fileOf = (key: string): string => path.join(kept, ...assertKey(key).split('/'))

  async function makeDurably(folder: string): Promise<void> {
    await makeFolder(path.dirname(folder))
    // Not `recursive`: on a failing disk, that would report a missing folder instead.
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
    temporary.release(from)
    if (durability === 'durable') await syncShared(path.dirname(file))
  }

  function staged(received: ReceivedFile): StagedBlob {
    const { file, sha256, bytes } = received
    let descriptor: number | undefined = received.descriptor
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
      readInto: async (memory, from) => {
        if (descriptor === undefined)
          throw new Error('a received file is read after it was kept or discarded')
        await readInto(received, memory, from)
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
        if (!isSettled) await temporary.forget(file, takeDescriptor())
        isSettled = true
      },
    }
  }

  /** A file that is cut short while it is read is as long as it then is. */
  async function readAll(descriptor: number, bytes: number): Promise<Buffer> {
    const whole = Buffer.allocUnsafeSlow(bytes)
    let at = 0
    for (let read = 1; at < bytes && read > 0; at += read) read = await readSome(descriptor, whole, at)
    return whole.subarray(0, at)
  }

  async function* walk(folder: string, prefix: string, after: string): AsyncGenerator<BlobEntry> {
    const entries = (await absentAsUndefined(fs.readdir(folder, { withFileTypes: true }))) ?? []
    for (const entry of entries.toSorted(byName)) {
      const place = path.join(folder, entry.name)
      const key = `${prefix}${entry.name}`
      if (entry.isDirectory()) {
        const below = `${key}/`
        // If neither is a prefix of the other, everything in the folder sorts where its name does.
        if (below > after || after.startsWith(below)) yield* walk(place, below, after)
        continue
      }
      if (key <= after) continue
      const stat = await absentAsUndefined(fs.stat(place))
      if (stat) yield { key, bytes: stat.size, writtenAt: stat.mtimeMs }
    }
  }

  const remove = async (key: string): Promise<void> => absentAsUndefined(fs.unlink(fileOf(key)))

  return {
    receive: async (source, limitBytes) => {
      const received = await temporary.receive(source, limitBytes)
      return received && staged(received)
    },

    put: async (key, bytes, durability) => {
      const written = await temporary.write(async (opened) => {
        await writeAll(opened, [bytes])
        return true
      })
      if (written === undefined) return
      const { file, descriptor } = written
      try {
        if (durability === 'durable') await faults.guardSync(() => syncAndClose(descriptor))
        else await closeDescriptor(descriptor)
        await publish(file, key, durability)
      } catch (error) {
        await temporary.remove(file)
        throw error
      }
    },

    read: (key) => absentAsUndefined(fs.readFile(fileOf(key))),

    readPart: async (key, start, bytes) => {
      const descriptor = await absentAsUndefined(openDescriptor(fileOf(key), 'r'))
      if (descriptor === undefined) return undefined
      try {
        const part = Buffer.allocUnsafeSlow(bytes)
        return (await absentAsUndefined(readSome(descriptor, part, 0, start))) === bytes ? part : undefined
      } finally {
        await closeDescriptor(descriptor)
      }
    },

    open: async (key, { wholeBytes = 0 } = {}): Promise<OpenBlob | undefined> => {
      const file = fileOf(key)
      const descriptor = await absentAsUndefined(openDescriptor(file, 'r'))
      if (descriptor === undefined) return undefined
      let isLeftOpen = false
      try {
        const stat = await statDescriptor(descriptor)
        if (!stat.isFile()) return undefined
        if (stat.size <= wholeBytes) return blobInMemory(await readAll(descriptor, stat.size))
        isLeftOpen = true
        return openFile(file, descriptor, stat.size)
      } finally {
        if (!isLeftOpen) await closeDescriptor(descriptor)
      }
    },

    has: async (key) => (await absentAsUndefined(fs.stat(fileOf(key))))?.isFile() ?? false,

    locate: assertKey,

    remove,

    removeAll: (keys, mayGoOn) => removeEach(keys, { atOnce: maxRemovedAtOnce, mayGoOn }, remove),

    list: (folder, after = '') =>
      folder === '' ? walk(kept, '', after) : walk(fileOf(folder), `${folder}/`, after),

    sweepStaged: temporary.sweep,

    probe: async () => {
      await fs.stat(kept)
    },

    close: () => Promise.resolve(),
  }
}

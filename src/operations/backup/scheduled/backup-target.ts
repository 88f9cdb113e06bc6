// Where scheduled backups go: a folder or a bucket. A backup is there whole or not at all.
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { nameOfPlace, type BlobPlace, type S3Place } from '../../../settings/blob-settings.ts'
import { readDisk, type Disk } from '../../../storage/disk-space.ts'
import type { Sink } from '../../../storage/zip/zip-writer.ts'
import { partialOf, writeDurably } from '../backup-file.ts'
import { failBackup } from '../failures.ts'
import { openZip, openZipSource, type Zip } from '../zip-reader.ts'

const broughtAtOnce = 16 * 1024 * 1024
/** Files of photos that are read again from a bucket: at most 160 MB. The store has checked the signed hash of each part. */
const sampled = 20

export interface BackupTarget {
  /** In sentences. */
  readonly name: string
  /** Names of all files there, of whomever. */
  list(): Promise<string[]>
  /** When it resolves, the file is there whole and durable; when it rejects, it is not. */
  write<T>(name: string, expectedBytes: number, work: (sink: Sink) => Promise<T>): Promise<T>
  open(name: string): Promise<Zip>
  /** How many files of photos of a backup are read again: all, where that costs only time; a store may want money for it. */
  readonly photosToRead: number
  /** @returns a file with the backup; one that is brought here is made in the folder. */
  bring(name: string, folder: string, signal: AbortSignal): Promise<string>
  remove(name: string): Promise<void>
  /** Removes what backups that were killed have left. */
  removeUnfinished(isOurs: (name: string) => boolean): Promise<void>
  /** undefined where nobody can tell. */
  disk(): Promise<Disk | undefined>
  close(): void
}

async function requireFolder(folder: string): Promise<void> {
  const found = await fs.stat(folder).catch(() => undefined)
  if (found?.isDirectory() === true) return
  // Never made: it may be the place of a disk that is not mounted.
  throw failBackup('not-there', `BACKUP_TO ${folder} is not a folder: create it, or mount its disk.`)
}

function createFolderTarget(folder: string): BackupTarget {
  const fileOf = (name: string): string => path.join(folder, name)

  return {
    name: folder,
    list: async () => {
      await requireFolder(folder)
      return fs.readdir(folder)
    },
    write: async (name, _expectedBytes, work) => {
      await requireFolder(folder)
      return writeDurably(fileOf(name), work)
    },
    open: (name) => openZip(fileOf(name)),
    photosToRead: Infinity,
    bring: async (name) => fileOf(name),
    remove: (name) => fs.rm(fileOf(name), { force: true }),
    removeUnfinished: async (isOurs) => {
      await requireFolder(folder)
      const ending = partialOf('')
      for (const name of await fs.readdir(folder))
        if (name.endsWith(ending) && isOurs(name.slice(0, -ending.length))) await fs.rm(fileOf(name))
    },
    disk: async () => {
      await requireFolder(folder)
      return readDisk(folder)
    },
    close: () => undefined,
  }
}

async function createBucketTarget(place: S3Place): Promise<BackupTarget> {
  // Only now, as for photos: the SDK of AWS is 20 MB of code.
  const { createS3Files } = await import('../../../storage/s3-files.ts')
  const files = createS3Files(place)
  const name = nameOfPlace(place)

  async function bytesOf(file: string): Promise<number> {
    const bytes = await files.bytesOf(file)
    if (bytes === undefined) throw failBackup('not-there', `${name} does not contain ${file}.`)
    return bytes
  }

  return {
    name,
    list: async () => (await files.list()).map((file) => file.name),
    write: async (file, expectedBytes, work) => {
      const upload = await files.begin(file, expectedBytes)
      try {
        const done = await work(upload.write)
        await upload.complete()
        return done
      } catch (error) {
        await upload.abort().catch(() => undefined) // the first failure is the one to tell
        throw error
      }
    },
    open: async (file) =>
      openZipSource({
        name: `${name}/${file}`,
        bytes: await bytesOf(file),
        read: (start, length) => files.read(file, start, length),
      }),
    photosToRead: sampled,
    bring: async (file, folder, signal) => {
      const bytes = await bytesOf(file)
      const copy = path.join(folder, file)
      const handle = await fs.open(copy, 'wx', 0o600) // it may hold the secret
      try {
        for (let at = 0; at < bytes; at += broughtAtOnce) {
          signal.throwIfAborted()
          await handle.appendFile(await files.read(file, at, Math.min(broughtAtOnce, bytes - at)))
        }
      } finally {
        await handle.close()
      }
      return copy
    },
    remove: files.remove,
    removeUnfinished: files.abortUploads,
    disk: async () => undefined,
    close: files.close,
  }
}

export const openBackupTarget = async (place: BlobPlace): Promise<BackupTarget> =>
  place.store === 'files' ? createFolderTarget(place.folder) : createBucketTarget(place)

// Backups and restores in the test's own process, and zips that Waymark would never write.
import { open, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { partialOf, writeDurably } from '../../src/operations/backup/backup-file.ts'
import {
  createBackup,
  type BackupDependencies,
  type BackupReport,
} from '../../src/operations/backup/backup.ts'
import { createRestore, type RestoreReport } from '../../src/operations/backup/restore.ts'
import { openZip } from '../../src/operations/backup/zip-reader.ts'
import { createZipWriter } from '../../src/storage/zip/zip-writer.ts'
import { openBlobs } from '../../src/storage/blob-store.ts'
import { readConfig } from '../../src/settings/config.ts'
import type { Installation } from '../../src/installation.ts'
import { filesBelow } from './folders.ts'

const { signal } = new AbortController()

/** Backs up an open installation; tests may wrap its blob store. */
export function backUp(
  { config, database, blobs }: Installation,
  file: string,
  { blobs: store = blobs }: Partial<Pick<BackupDependencies, 'blobs'>> = {},
): Promise<BackupReport> {
  const backup = createBackup({ config, database, blobs: store, now: () => Date.now(), version: '0.0.0' })
  return writeDurably(file, (sink) => backup.run({ sink, withSecret: true, signal }))
}

/** Restores into SQLite and files. */
export async function restoreInto(dataDir: string, file: string): Promise<RestoreReport> {
  const config = readConfig({ DATA_DIR: dataDir })
  const blobs = await openBlobs(config)
  return createRestore({ config, blobs }).run({ file, signal })
}

/** Files left by a failed restore. There should be none, only folders. */
export async function leftIn(dataDir: string): Promise<string[]> {
  return existsSync(dataDir) ? filesBelow(dataDir) : []
}

export type Files = readonly (readonly [name: string, bytes: Uint8Array])[]

/** Writes a zip of these files in this order. */
export async function writeZip(file: string, files: Files): Promise<void> {
  const handle = await open(file, 'w')
  const directory = await open(partialOf(file), 'w+')
  try {
    const sink = async (bytes: Uint8Array): Promise<void> => handle.appendFile(bytes)
    const zip = createZipWriter({ sink, directory, madeAt: Date.UTC(2026, 4, 14) })
    for (const [name, bytes] of files) await zip.add(name, bytes)
    await zip.end()
  } finally {
    await handle.close()
    await directory.close()
    await rm(partialOf(file))
  }
}

/** All files of a zip, in the order of its central directory. */
export async function readZip(file: string): Promise<[name: string, bytes: Buffer][]> {
  const zip = await openZip(file)
  try {
    const files: [string, Buffer][] = []
    for await (const entry of zip.entries()) files.push([entry.name, await entry.read()])
    return files
  } finally {
    zip.close()
  }
}

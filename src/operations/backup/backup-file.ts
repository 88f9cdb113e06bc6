// Puts a backup in its place: written under another name, made durable, and renamed, so that half a backup never looks whole.
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { syncFolder } from '../../storage/durable-folders.ts'
import { failBackup, namingFile } from './failures.ts'
import type { Sink } from '../../storage/zip/zip-writer.ts'

async function existing(file: string) {
  try {
    return await fs.stat(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** @throws Error of one sentence if the file may not be created there. */
export async function requireFreeName(file: string, isReplacing: boolean): Promise<void> {
  const found = await existing(file)
  if (!found) return
  if (!found.isFile())
    throw failBackup('already-there', `${file} is not a file: choose one, such as waymark.zip.`)
  if (isReplacing) return
  throw failBackup(
    'already-there',
    `${file} already exists: choose another file, or replace it with --force.`,
  )
}

export const partialOf = (file: string): string => `${file}.partial`

async function writeAll(handle: fs.FileHandle, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, offset)
    offset += bytesWritten
  }
}

/** When it resolves, the file is complete and survives a power cut; when it rejects, nothing has changed. */
export async function writeDurably<T>(file: string, work: (sink: Sink) => Promise<T>): Promise<T> {
  const partial = partialOf(file)
  await fs.rm(partial, { force: true }) // of a backup that was killed
  const handle = await fs.open(partial, 'wx', 0o600) // it may hold the secret
  try {
    let done: T
    try {
      done = await work((bytes) => namingFile(file, () => writeAll(handle, bytes)))
      await namingFile(file, () => handle.sync())
    } finally {
      await handle.close()
    }
    await fs.rename(partial, file)
    await syncFolder(path.dirname(path.resolve(file)))
    return done
  } catch (error) {
    await fs.rm(partial, { force: true })
    throw error
  }
}

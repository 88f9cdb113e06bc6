// Folders that survive a power cut: a new name is only safe once the folder that holds it is synced.
import { close, fsync, open } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { nextFlight } from '../shared/single-flight.ts'

const openDescriptor = promisify(open)
const syncDescriptor = promisify(fsync)
const closeDescriptor = promisify(close)

/** Writes a folder's list of names to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return // a folder cannot be opened there; NTFS keeps names in its journal
  const descriptor = await openDescriptor(folder, 'r')
  try {
    await syncDescriptor(descriptor)
  } finally {
    await closeDescriptor(descriptor)
  }
}

/**
 * Shares the sync of a folder between callers. A sync covers only the names that existed when it began: callers that
 * arrive while one is running share the next one.
 * @param sync runs one, and reports a loss itself; all callers that share it get its failure.
 */
export const createSharedSync = (sync = syncFolder): ((folder: string) => Promise<void>) => nextFlight(sync)

/** Creates a folder for this user only, with missing parents, and syncs each new name into its parent. */
export async function makeFolderDurably(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (made === undefined) return
  const topmost = path.dirname(path.resolve(made))
  for (let parent = path.dirname(path.resolve(folder)); ; parent = path.dirname(parent)) {
    await syncFolder(parent)
    if (parent === topmost) return
  }
}

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
 * One sync of a folder for all who ask at about the same time. A sync promises only the names that were there when it began:
 * whoever asks while one is under way shares the next one with everybody else who does, and never that one.
 * @param sync runs one, and tells of a loss by itself; its failure is told to all who share it.
 */
export const createSharedSync = (sync = syncFolder): ((folder: string) => Promise<void>) => nextFlight(sync)

/** Makes a folder for this account alone, with whatever is missing above it, and syncs each new name into its parent. */
export async function makeFolderDurably(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (made === undefined) return
  const topmost = path.dirname(path.resolve(made))
  for (let parent = path.dirname(path.resolve(folder)); ; parent = path.dirname(parent)) {
    await syncFolder(parent)
    if (parent === topmost) return
  }
}

// Folders that survive a power cut: a new name is only safe once the folder that holds it is synced.
import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'

/** Writes a folder's list of names to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return // a folder cannot be opened there; NTFS keeps names in its journal
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

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

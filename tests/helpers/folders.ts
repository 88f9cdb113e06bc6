// Folders for tests that write a lot: in memory if the system supports it, since every commit and blob is fsynced.
import { accessSync, constants, statfsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'

const inMemory = '/dev/shm'
const enoughBytes = 1024 ** 3

/**
 * Parent folder of test folders.
 * @param needed bytes that must be free in memory.
 */
export function parentOfFolders(needed = enoughBytes): string {
  try {
    accessSync(inMemory, constants.W_OK)
    const { bavail, bsize } = statfsSync(inMemory)
    return bavail * bsize > needed ? inMemory : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** A new, empty folder, removed when the test ends. */
export async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(parentOfFolders(), 'waymark-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Sorted relative paths of the files in a folder, including subfolders. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted()
}

/** Number of open file descriptors of this process; undefined if the system does not expose it. */
export async function openDescriptors(): Promise<number | undefined> {
  try {
    return (await readdir('/proc/self/fd')).length
  } catch {
    return undefined
  }
}

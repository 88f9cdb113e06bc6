// A lock on a file that ends with its process, however that ends: SQLite's own, since Node offers none.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const sqliteBusy = 5

export interface FileLock {
  release(): void
}

/** @returns undefined where another process, or another part of this one, holds it. */
export function takeFileLock(file: string): FileLock | undefined {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600)) // SQLite would let every user of the machine open it, and so hold the lock
  const connection = new DatabaseSync(file, { timeout: 0 })
  try {
    // Nothing is ever written: the file stays empty, and the lock is the operating system's.
    connection.exec('begin exclusive')
  } catch (error) {
    connection.close()
    const isHeld = error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === sqliteBusy
    if (isHeld) return undefined
    throw error
  }
  return { release: () => connection.close() }
}

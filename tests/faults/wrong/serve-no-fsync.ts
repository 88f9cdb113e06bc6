// WRONG ON PURPOSE: the real server, but nothing is synced: no file, no folder, not the database.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { sql } from 'kysely'

const handle = await fs.promises.open(import.meta.filename)
const fileHandle = Object.getPrototypeOf(handle) as typeof handle
await handle.close()
const nothing = async (): Promise<void> => undefined
Object.assign(fileHandle, { sync: nothing, datasync: nothing })
const callBack = (_descriptor: number, done: (error: null) => void): void => {
  setImmediate(done, null)
}
Object.assign(fs, {
  fsync: callBack,
  fdatasync: callBack,
  fsyncSync: () => undefined,
  fdatasyncSync: () => undefined,
})
syncBuiltinESMExports()

// Imported only now, so that its modules use the replaced functions.
const { serveWrong } = await import('./serve-wrong.ts')
await serveWrong({
  spoil: async ({ database }) => {
    await sql`pragma synchronous = off`.execute(database.db)
  },
})

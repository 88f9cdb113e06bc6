// Begins a snapshot at a time when all rows are numbered, so that history and feed contain every change in it.
import type { ClientBase } from 'pg'
import { createBeginAlone } from './begin-alone.ts'
import { notificationOf, writePayload } from './commit-payload.ts'
import { lockSpace, writeLock } from './locks.ts'

/** Waits for running writes, and blocks others while it begins, which takes milliseconds. */
export async function beginSnapshot(client: ClientBase): Promise<void> {
  const beginAlone = createBeginAlone({
    notification: (change) => notificationOf('snapshot', change),
    payload: (change, ids) => writePayload('snapshot', change, ids),
    committed: () => undefined,
  })
  await beginAlone(client)
  await client.query(`select pg_advisory_lock(${lockSpace}, ${writeLock}); commit`)
  await client.query('begin isolation level repeatable read, read only; select 1') // the snapshot is taken at the select
  await client.query(`select pg_advisory_unlock(${lockSpace}, ${writeLock})`)
}

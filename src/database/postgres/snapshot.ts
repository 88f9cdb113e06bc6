// Begins a snapshot of a moment at which nothing was left to number, so that history and feed tell of every row in it.
import type { ClientBase } from 'pg'
import { createBeginAlone } from './begin-alone.ts'
import { notificationOf } from './commit-watch.ts'
import { lockSpace, writeLock } from './locks.ts'

/** Nobody writes while it begins, which takes milliseconds, once those have ended who write now. */
export async function beginSnapshot(client: ClientBase): Promise<void> {
  const beginAlone = createBeginAlone({
    notification: (change, ids) => notificationOf('snapshot', change, ids),
    committed: () => undefined,
  })
  await beginAlone(client)
  await client.query(`select pg_advisory_lock(${lockSpace}, ${writeLock}); commit`)
  await client.query('begin isolation level repeatable read, read only; select 1') // the moment is that of the select
  await client.query(`select pg_advisory_unlock(${lockSpace}, ${writeLock})`)
}

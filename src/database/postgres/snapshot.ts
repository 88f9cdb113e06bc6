// Begins a snapshot: all of one moment, at which nothing was left to number, so that history and feed tell of every row.
import type { ClientBase } from 'pg'
import { notificationOf } from './commit-watch.ts'
import { lockSpace, writeLock } from './locks.ts'
import { numberingOf, readsForNumbering, resultsOf, unnumberedFrom } from './numbering.ts'

/** Before its migration there is no table of what is left. */
async function hasTable(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ name: string | null }>(
    `select to_regclass('outbox_pending')::text as name`,
  )
  return (rows[0]?.name ?? null) !== null
}

/** @returns whether it was all. */
async function numberSome(client: ClientBase): Promise<boolean> {
  const unnumbered = unnumberedFrom(resultsOf(await client.query(`begin; ${readsForNumbering}`)))
  const numbering = numberingOf(unnumbered)
  const told = numbering && notificationOf('snapshot', numbering.change, numbering.ids)
  await client.query(numbering ? `${numbering.text}; ${told}; commit` : 'commit')
  return unnumbered.isAll
}

/** Nobody writes while it begins, which takes milliseconds, once those have ended who write now. */
export async function beginSnapshot(client: ClientBase): Promise<void> {
  await client.query(`select pg_advisory_lock(${lockSpace}, ${writeLock})`)
  try {
    if (await hasTable(client)) while (!(await numberSome(client)));
    await client.query('begin isolation level repeatable read, read only; select 1') // the moment is that of the select
  } finally {
    await client.query(`select pg_advisory_unlock(${lockSpace}, ${writeLock})`)
  }
}

// The switch that makes an installation read-only: a row that every change looks for in its own transaction.
import { CompiledQuery } from 'kysely'
import type { Changes } from '../commits.ts'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import type { Db } from './database.ts'

/** The table holds this row or none. */
const id = 1

export interface ReadOnly {
  readonly since: number
  /** For people; may be empty. */
  readonly reason: string
}

/** A driver that has already read it answers without a query. */
export const readOnlyQuery = `select since, reason from read_only where id = ${id}`

/** As text: every change needs it, and building the query cost more than running it. */
export async function findReadOnly(db: Db): Promise<ReadOnly | undefined> {
  const { rows } = await db.executeQuery<ReadOnly>(CompiledQuery.raw(readOnlyQuery))
  return rows[0]
}

/** From the next request on nothing is changed; changes in progress are refused, unless they were already committed. */
export async function switchReadOnlyOn(db: Db, since: number, reason: string): Promise<void> {
  await db
    .insertInto('read_only')
    .values({ id, since, reason })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ reason }))
    .execute()
}

/** @returns whether it was on. */
export async function switchReadOnlyOff(db: Db): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('read_only').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

function requireNo(readOnly: ReadOnly | undefined): void {
  if (!readOnly) return
  const { since, reason } = readOnly
  throw refuse('read-only', {
    detail: inEach(({ limits }) => limits.readOnly(since, reason)),
    headers: { 'Retry-After': '60' },
  })
}

/** @throws refusal `read-only`. Inside a transaction it holds until the transaction ends. */
export const requireWritable = async (db: Db): Promise<void> => requireNo(await findReadOnly(db))

/**
 * A check for requests that check again in the transaction of their change: the state of the switch is remembered until a
 * commit may have changed it.
 */
export function createWritableCheck(db: Db, changes: Changes): () => Promise<void> {
  let known: { readonly count: number; readonly readOnly: ReadOnly | undefined } | undefined
  return async () => {
    changes.look()
    if (!known || !changes.isUnchangedSince(known.count, [])) {
      const count = changes.count()
      known = { count, readOnly: await findReadOnly(db) }
    }
    requireNo(known.readOnly)
  }
}

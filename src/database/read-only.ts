// The switch that makes an installation read-only: a row that every change looks for in its own transaction.
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

export function findReadOnly(db: Db): Promise<ReadOnly | undefined> {
  return db.selectFrom('read_only').select(['since', 'reason']).where('id', '=', id).executeTakeFirst()
}

/** From the next request on nothing is changed; what was under way is refused, unless it was committed before. */
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

/** @throws refusal `read-only`. Inside a transaction it holds until the transaction ends. */
export async function requireWritable(db: Db): Promise<void> {
  const readOnly = await findReadOnly(db)
  if (!readOnly) return
  const { since, reason } = readOnly
  throw refuse('read-only', {
    detail: inEach(({ limits }) => limits.readOnly(since, reason)),
    headers: { 'Retry-After': '60' },
  })
}

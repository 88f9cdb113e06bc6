// SQL of the demo's state, two rows of the table counter: when it was begun, and whether it is complete.
import type { Db } from '../database/database.ts'

const begunMark = 'demo-begun'
const wholeMark = 'demo-whole'

export interface DemoMarks {
  /** Milliseconds since 1970 UTC; undefined if no demo was begun. */
  readonly begunAt: number | undefined
  readonly isWhole: boolean
}

export async function readMarks(db: Db): Promise<DemoMarks> {
  const rows = await db
    .selectFrom('counter')
    .selectAll()
    .where('name', 'in', [begunMark, wholeMark])
    .execute()
  return {
    begunAt: rows.find(({ name }) => name === begunMark)?.value,
    isWhole: rows.some(({ name }) => name === wholeMark),
  }
}

export async function markBegun(db: Db, at: number): Promise<void> {
  await db.insertInto('counter').values({ name: begunMark, value: at }).execute()
}

export async function markWhole(db: Db, at: number): Promise<void> {
  await db.insertInto('counter').values({ name: wholeMark, value: at }).execute()
}

export interface Cast {
  readonly trailIds: readonly number[]
  /** In lower case. */
  readonly emails: readonly string[]
}

/** Whether there is a trail, or an account that is not of the demo. */
export async function hasStrangers(db: Db, { trailIds, emails }: Cast): Promise<boolean> {
  const trail = await db.selectFrom('trail').select('id').where('id', 'not in', trailIds).limit(1).execute()
  const account = await db
    .selectFrom('account')
    .select('id')
    .where('email_key', 'not in', emails)
    .limit(1)
    .execute()
  return trail.length + account.length > 0
}

/** Whether there is any trail or account. */
export async function isInUse(db: Db): Promise<boolean> {
  const trail = await db.selectFrom('trail').select('id').limit(1).execute()
  const account = await db.selectFrom('account').select('id').limit(1).execute()
  return trail.length + account.length > 0
}

// SQL for deleting a trail, and for what prevents it.
import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'

/** In any state, including the trash. */
export async function countImagesOn(db: Db, trailId: number): Promise<number> {
  const { count } = await db
    .selectFrom('image')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('trail_id', '=', trailId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export interface LimitedReviewer {
  readonly accountId: number
  /** The trails that the account is limited to besides this one. */
  readonly others: readonly number[]
}

/** Accounts that are limited to this trail, or to this and others. */
export async function listLimitedTo(db: Db, trailId: number): Promise<LimitedReviewer[]> {
  const rows = await db
    .selectFrom('account_trail')
    .select(['account_id as accountId', 'trail_id as trailId'])
    .where(
      'account_id',
      'in',
      sql<number>`(select account_id from account_trail where trail_id = ${trailId})`,
    )
    .orderBy('account_id')
    .orderBy('trail_id')
    .execute()
  const byAccount = Map.groupBy(rows, ({ accountId }) => accountId)
  return [...byAccount].map(([accountId, limits]) => ({
    accountId,
    others: limits.map((limit) => limit.trailId).filter((id) => id !== trailId),
  }))
}

export async function deleteTrail(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('account_trail').where('trail_id', '=', id).execute()
  await tx.deleteFrom('trail_line').where('trail_id', '=', id).execute()
  await tx.deleteFrom('trail').where('id', '=', id).execute()
}

// SQL of the storage used by an account's routes, for its quotas.
import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import { later } from '../database/together.ts'

/** What an account stores that counts against its quotas. */
export interface RouteUsage {
  readonly routes: number
  readonly bytes: number
}

export async function routeUsageOf(db: Db, accountId: number): Promise<RouteUsage> {
  const usage = await db
    .selectFrom('account')
    .select(['route_count as routes', 'route_bytes as bytes'])
    .where('id', '=', accountId)
    .executeTakeFirst()
  return usage ?? { routes: 0, bytes: 0 }
}

/** Updates what the account stores, in the transaction that creates, changes or deletes a route. */
export async function countRoutes(tx: Tx, accountId: number, { routes, bytes }: RouteUsage): Promise<void> {
  if (routes === 0 && bytes === 0) return
  const counting = sql`update account set route_count = route_count + ${routes}, route_bytes = route_bytes + ${bytes}
    where id = ${accountId}`
  await later(tx, counting.compile(tx))
}

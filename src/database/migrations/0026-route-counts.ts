// Migration 0026: how many routes an account has, and how much gpx: all of them were counted four times for each that was made.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  for (const column of ['route_count', 'route_bytes'])
    await db.schema
      .alterTable('account')
      .addColumn(column, whole, (definition) => definition.notNull().defaultTo(0))
      .execute()
  await sql`update account set
      route_count = (select count(*) from route where route.account_id = account.id),
      route_bytes = (select coalesce(sum(gpx_bytes), 0) from route where route.account_id = account.id)
    where id in (select account_id from route)`.execute(db)
}

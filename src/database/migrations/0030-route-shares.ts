// Migration 0030: what owners share of their routes beyond the line, and which climbs are still of an older rule.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

/**
 * A climb measured by the current rule says so in `measures`, where older nodes do not; for a trail, `climb_version`
 * names the version of its line, which older nodes do not set. So these indexes find everything that such a node
 * measures, and the job `climbs` (src/app/features.ts) measures it again.
 */
const isOlder = sql.raw(`measures not like '%"climbRule":2%'`)

export async function up(db: Kysely<unknown>, { bytes, whole }: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable('route')
    .addColumn('shares', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  // SQLite adds one column per statement.
  await db.schema.alterTable('route_shown').addColumn('shared_of', 'text').execute()
  await db.schema.alterTable('route_shown').addColumn('shared', bytes).execute()
  await db.schema
    .alterTable('trail')
    .addColumn('climb_version', whole, (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`create index route_unclimbed on route (id) where ${isOlder}`.execute(db)
  await sql`create index route_shown_unclimbed on route_shown (route_id) where ${isOlder}`.execute(db)
  await sql`create index trail_unclimbed on trail (id)
    where climb_version <> line_version and ascent is not null`.execute(db)
}

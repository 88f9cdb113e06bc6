// Migration 0023: the columns by which public routes are listed, and the trails that each route uses.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

const number = 'double precision'
/** The orders of the list. Each index holds every column that filters use, so that most of a walk reads nothing else. */
const orders = ['created_at', 'miles', 'ascent'] as const

export async function up(db: Kysely<unknown>, { id, whole }: ColumnTypes): Promise<void> {
  // The next walk of account-routes/public-view/public-views.ts fills it from the public views that exist.
  await db.schema
    .createTable('public_route')
    .addColumn('route_id', id, (column) => column.primaryKey().references('route.id').onDelete('cascade'))
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('miles', number, (column) => column.notNull())
    .addColumn('ascent', number, (column) => column.notNull())
    .addColumn('west', number)
    .addColumn('south', number)
    .addColumn('east', number)
    .addColumn('north', number)
    .addColumn('line_revision', 'text', (column) => column.notNull())
    .addColumn('zones_revision', whole, (column) => column.notNull())
    .addColumn('has_trails', whole, (column) => column.notNull().defaultTo(0))
    .addColumn('sketch', 'text', (column) => column.notNull())
    .execute()
  for (const order of orders) {
    const others = orders.filter((name) => name !== order)
    await db.schema
      .createIndex(`public_route_by_${order}`)
      .on('public_route')
      .columns([order, 'route_id', ...others, 'west', 'south', 'east', 'north'])
      .execute()
  }
  await sql`create index public_route_without_trails on public_route (route_id) where has_trails = 0`.execute(
    db,
  )

  await db.schema
    .createTable('route_trail')
    .addColumn('trail_id', whole, (column) => column.notNull().references('trail.id').onDelete('cascade'))
    .addColumn('route_id', whole, (column) => column.notNull().references('route.id').onDelete('cascade'))
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('miles', number, (column) => column.notNull())
    .addColumn('ascent', number, (column) => column.notNull())
    .addPrimaryKeyConstraint('route_trail_pk', ['trail_id', 'route_id'])
    .execute()
  await db.schema.createIndex('route_trail_by_route').on('route_trail').column('route_id').execute()
  for (const order of orders)
    await db.schema
      .createIndex(`route_trail_by_${order}`)
      .on('route_trail')
      .columns(['trail_id', order, 'route_id'])
      .execute()

  await db.schema
    .createTable('trail_routed')
    .addColumn('trail_id', id, (column) => column.primaryKey().references('trail.id').onDelete('cascade'))
    .addColumn('line_version', 'text', (column) => column.notNull())
    .execute()
}

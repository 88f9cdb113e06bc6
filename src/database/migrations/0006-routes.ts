// Migration 0006: account routes, their public views, privacy zones, and events that belong to an account.
import type { CreateTableBuilder, Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

const number = 'double precision'

function withBox<Table extends string>(table: CreateTableBuilder<Table, string>) {
  return table
    .addColumn('west', number)
    .addColumn('south', number)
    .addColumn('east', number)
    .addColumn('north', number)
}

export async function up(db: Kysely<unknown>, { id, whole, bytes }: ColumnTypes): Promise<void> {
  await withBox(db.schema.createTable('route').addColumn('id', id, (column) => column.primaryKey()))
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('length', 'text')
    .addColumn('miles', number, (column) => column.notNull())
    .addColumn('measures', 'text', (column) => column.notNull())
    .addColumn('geometry_hash', 'text')
    .addColumn('gpx_bytes', whole, (column) => column.notNull())
    .addColumn('visibility', 'text', (column) => column.notNull())
    .addColumn('link_token', 'text')
    .addColumn('revision', 'text', (column) => column.notNull())
    .addColumn('line_revision', 'text', (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .addColumn('updated_at', whole, (column) => column.notNull())
    .addColumn('search', 'text', (column) => column.notNull())
    .execute()
  // The last two make the quotas and the tag of the set readable from the index alone.
  await db.schema
    .createIndex('route_by_account')
    .on('route')
    .columns(['account_id', 'created_at', 'id', 'gpx_bytes', 'revision'])
    .execute()
  await db.schema
    .createIndex('route_by_geometry')
    .on('route')
    .columns(['account_id', 'geometry_hash'])
    .execute()
  await db.schema
    .createIndex('route_by_visibility')
    .on('route')
    .columns(['account_id', 'visibility', 'created_at', 'id'])
    .execute()

  await db.schema
    .createTable('route_gpx')
    .addColumn('route_id', id, (column) => column.primaryKey().references('route.id').onDelete('cascade'))
    .addColumn('gpx', bytes, (column) => column.notNull())
    .execute()

  await withBox(
    db.schema
      .createTable('route_shown')
      .addColumn('route_id', id, (column) => column.primaryKey().references('route.id').onDelete('cascade')),
  )
    .addColumn('line_revision', 'text', (column) => column.notNull())
    .addColumn('zones_revision', whole, (column) => column.notNull())
    .addColumn('length', 'text', (column) => column.notNull())
    .addColumn('miles', number, (column) => column.notNull())
    .addColumn('measures', 'text', (column) => column.notNull())
    .addColumn('geometry_hash', 'text')
    .addColumn('lines', bytes, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('zone')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('account_id', whole, (column) => column.notNull().references('account.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('lat', number, (column) => column.notNull())
    .addColumn('lon', number, (column) => column.notNull())
    .addColumn('radius_metres', number, (column) => column.notNull())
    .addColumn('created_at', whole, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('zone_by_account').on('zone').columns(['account_id', 'created_at']).execute()

  await db.schema
    .createTable('zone_set')
    .addColumn('account_id', id, (column) => column.primaryKey().references('account.id'))
    .addColumn('revision', whole, (column) => column.notNull())
    .addColumn('salt', 'text', (column) => column.notNull())
    .execute()

  // The only account that receives it; null if everyone who can see its subject does.
  await db.schema.alterTable('outbox').addColumn('account_id', whole).execute()
}

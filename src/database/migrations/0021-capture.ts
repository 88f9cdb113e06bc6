// Migration 0021: capture data of photos, and the source of their position.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  // One statement each: SQLite adds one column at a time.
  const add = (name: string, type: 'text' | 'double precision' | typeof whole) =>
    db.schema.alterTable('image').addColumn(name, type).execute()
  await add('taken_at', whole)
  await add('taken_offset', whole)
  await add('taken_zone', 'text')
  await add('taken_on', 'text')
  await add('position_source', 'text')
  await add('position_accuracy', 'double precision')
  await add('direction', 'double precision')
  await add('altitude', 'double precision')
  // What is still to be read from the original. By default all of it: for rows that older nodes insert, which the
  // back-fill then reads (images/capture/back-fill.ts).
  await db.schema
    .alterTable('image')
    .addColumn('unread', 'text', (column) => column.notNull().defaultTo('time position direction altitude'))
    .execute()
  await sql`create index image_unread on image (id) where unread != ''`.execute(db)
  // Answers a query for certain days of a trail without reading the table.
  await db.schema
    .createIndex('image_by_trail_taken')
    .on('image')
    .columns(['trail_id', 'state', 'seq', 'taken_on'])
    .execute()
  // The gallery in order of the day, and its counts of months.
  await db.schema
    .createIndex('image_by_trail_day')
    .on('image')
    .columns(['trail_id', 'state', 'taken_on', 'seq'])
    .execute()
}

// Migration 0016: what the review queue shows of photos is stored: which look alike, and how far each is from its trail.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

const number = 'double precision'

export async function up(db: Kysely<unknown>, { whole }: ColumnTypes): Promise<void> {
  // Null in rows that an older version adds while nodes are replaced: the next page of the queue finds their near photos.
  // Existing photos get theirs when they are first shown in the queue.
  await db.schema.alterTable('image_hash').addColumn('paired', whole).execute()
  await sql`update image_hash set paired = 0`.execute(db)
  await sql`create index image_hash_unpaired on image_hash (trail_id, image_id) where paired is null`.execute(
    db,
  )
  await db.schema
    .createTable('near_pair')
    .addColumn('image_id', whole, (column) => column.notNull().references('image.id').onDelete('cascade'))
    .addColumn('bits', whole, (column) => column.notNull())
    .addColumn('other_id', whole, (column) => column.notNull().references('image.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('near_pair_key', ['image_id', 'bits', 'other_id'])
    .execute()
  await db.schema.createIndex('near_pair_by_other').on('near_pair').columns(['other_id']).execute()
  const distances = db.schema
    .createTable('image_distance')
    .addColumn('image_id', whole, (column) => column.primaryKey().references('image.id').onDelete('cascade'))
    .addColumn('metres', number)
    .addColumn('updated_at', whole, (column) => column.notNull())
  // What the metres were measured with.
  await ['latitude', 'longitude', 'miles', 'west', 'south', 'east', 'north']
    .reduce((table, name) => table.addColumn(name, number), distances)
    .execute()
}

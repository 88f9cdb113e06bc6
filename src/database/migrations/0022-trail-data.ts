// Migration 0022: what the page of a trail shows, and how far along its line each photo lies.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes, Database } from '../database.ts'

const newLine =
  'line_version = line_version + 1, ascent = null, descent = null, highest = null, lowest = null'

/**
 * Triggers clear these columns when the line or the position changes, because a node that runs an older Waymark does not
 * know them. They fire on updates alone: a backup or a move inserts its rows as they were. Both engines take this text.
 */
const triggers = [
  {
    name: 'trail_line_change',
    on: 'update of geometry on trail_line',
    when: 'old.geometry is distinct from new.geometry',
    does: `update trail set ${newLine} where id = new.trail_id;`,
  },
  {
    name: 'trail_line_end',
    on: 'delete on trail_line',
    when: 'true',
    does: `update trail set ${newLine} where id = old.trail_id;`,
  },
  {
    // The trail had no line until now, so its row comes first.
    name: 'trail_line_begin',
    on: 'update of miles on trail',
    when: 'old.miles is null and new.miles is not null',
    does: `update trail set ${newLine} where id = new.id;`,
  },
  {
    name: 'image_moved',
    on: 'update of latitude, longitude on image',
    when: 'old.latitude is distinct from new.latitude or old.longitude is distinct from new.longitude',
    does: 'update image set miles_along = null, along_version = 0 where id = new.id;',
  },
] as const

const statementsOf = (engine: Database['engine']): string[] =>
  triggers.flatMap(({ name, on, when, does }) =>
    engine === 'sqlite'
      ? [`create trigger ${name} after ${on} when ${when} begin ${does} end`]
      : [
          `create function ${name}() returns trigger language plpgsql as $$ begin ${does} return null; end $$`,
          `create trigger ${name} after ${on} for each row when (${when}) execute function ${name}()`,
        ],
  )

export async function up(
  db: Kysely<unknown>,
  { whole }: ColumnTypes,
  engine: Database['engine'],
): Promise<void> {
  // SQLite adds one column per statement.
  for (const name of ['ascent', 'descent', 'highest', 'lowest'])
    await db.schema.alterTable('trail').addColumn(name, 'double precision').execute()
  const addVersion = (table: 'trail' | 'image', name: string, first: number) =>
    db.schema
      .alterTable(table)
      .addColumn(name, whole, (column) => column.notNull().defaultTo(first))
      .execute()
  await addVersion('trail', 'line_version', 1)
  await addVersion('trail', 'measured_version', 0)
  // Last, because it may be long: queries for the other columns need not read past it.
  await db.schema
    .alterTable('trail')
    .addColumn('description', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema.alterTable('image').addColumn('miles_along', 'double precision').execute()
  await addVersion('image', 'along_version', 0)
  await sql`create index trail_unmeasured on trail (id) where measured_version <> line_version`.execute(db)
  await sql`create index image_unmeasured on image (id) where along_version = 0`.execute(db)
  // For the gallery, ordered along the trail.
  await db.schema
    .createIndex('image_by_trail_along')
    .on('image')
    .columns(['trail_id', 'state', 'miles_along', 'seq'])
    .execute()
  for (const statement of statementsOf(engine)) await sql.raw(statement).execute(db)
}

// Migration 0017: n-grams of the texts of trails, maintained by triggers; a search used to read all trails.
import { sql, type Kysely } from 'kysely'
import type { ColumnTypes, Database } from '../database.ts'
import { fillTrailGrams, gramsOf, isSampled } from '../trail-grams.ts'

const add = `
  insert into trail_gram (gram, sort_key, trail_id)
    select gram, new.sort_key, new.id from (${gramsOf('new.search')}) as found;`
const take = `
  delete from trail_gram where trail_id = old.id and sort_key = old.sort_key
    and gram in (${gramsOf('old.search')});`

/** The same text for both engines, which name the old and the new row alike. */
const triggers = [
  { on: 'insert', of: '', when: 'true', does: add },
  {
    on: 'update',
    of: ' of id, search, sort_key',
    when: 'old.id <> new.id or old.search <> new.search or old.sort_key <> new.sort_key',
    does: take + add,
  },
  { on: 'delete', of: '', when: 'true', does: take },
] as const

function statementsOf(engine: Database['engine']): string[] {
  return triggers.flatMap(({ on, of, when, does }) => {
    const name = `trail_gram_${on}`
    return engine === 'sqlite'
      ? [`create trigger ${name} after ${on}${of} on trail when ${when} begin ${does} end`]
      : [
          `create function ${name}() returns trigger language plpgsql as $$ begin ${does} return null; end $$`,
          `create trigger ${name} after ${on}${of} on trail for each row when (${when}) execute function ${name}()`,
        ]
  })
}

export async function up(
  db: Kysely<unknown>,
  { whole }: ColumnTypes,
  engine: Database['engine'],
): Promise<void> {
  const table = db.schema
    .createTable('trail_gram')
    .addColumn('gram', 'text', (column) => column.notNull())
    // The order of the list of trails, so that a page for a common n-gram is the start of a walk.
    .addColumn('sort_key', 'text', (column) => column.notNull())
    .addColumn('trail_id', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('trail_gram_pk', ['gram', 'sort_key', 'trail_id'])
  // It is found by nothing but its key.
  await (engine === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table).execute()
  // First, because in PostgreSQL it waits for running writes of trails and blocks further ones.
  for (const statement of statementsOf(engine)) await sql.raw(statement).execute(db)
  await sql.raw(fillTrailGrams).execute(db)
  await sql.raw(`create index trail_gram_sample on trail_gram (gram) where ${isSampled}`).execute(db)
}

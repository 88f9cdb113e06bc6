// Rows that triggers derive from others. When many rows are written at once, the derived ones are computed together afterwards.
//
// Each photo changes its squares of the map, and the largest squares change with every photo. Within one transaction
// PostgreSQL keeps all versions of such a row, so the time grew with the square of the number of photos (100,000 took a
// quarter of an hour).
import { sql } from 'kysely'
import type { Database, Tx } from './database.ts'
import { fillMapSquares } from './map-squares.ts'
import { fillTrailGrams } from './trail-grams.ts'

/** Prefixes of the names of triggers that derive rows (migrations 0015 and 0017). Other triggers stay on. */
const isMaking = (name: string): boolean => /^(?:map_square|trail_gram)_/.test(name)

interface Trigger {
  readonly name: string
  readonly table: string
  /** For SQLite, where a trigger can only be dropped. */
  readonly text: string
}

async function findTriggers(engine: Database['engine'], tx: Tx): Promise<Trigger[]> {
  const found =
    engine === 'sqlite'
      ? sql<Trigger>`select name, tbl_name as "table", sql as "text" from sqlite_schema where type = 'trigger'`
      : sql<Trigger>`select t.tgname as "name", c.relname as "table", '' as "text"
          from pg_trigger t join pg_class c on c.oid = t.tgrelid
          where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal`
  return (await found.execute(tx)).rows.filter(({ name }) => isMaking(name))
}

/** Runs work that writes very many rows, in a transaction on a database that nothing else uses yet. */
export async function makingRowsAfter<T>(
  engine: Database['engine'],
  tx: Tx,
  work: () => Promise<T>,
): Promise<T> {
  const triggers = await findTriggers(engine, tx)
  const turn = async (way: 'enable' | 'disable'): Promise<void> => {
    for (const { name, table, text } of triggers)
      if (engine === 'postgres') await sql.raw(`alter table "${table}" ${way} trigger "${name}"`).execute(tx)
      else await sql.raw(way === 'disable' ? `drop trigger "${name}"` : text).execute(tx)
  }
  await turn('disable')
  const done = await work()
  await turn('enable')
  await fillMapSquares(tx)
  await tx.deleteFrom('trail_gram').execute()
  await sql.raw(fillTrailGrams).execute(tx)
  return done
}

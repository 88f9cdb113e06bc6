// The tables of a database, according to the database itself, so that code that copies all of it cannot forget any.
import { sql } from 'kysely'
import { DEFAULT_MIGRATION_LOCK_TABLE, DEFAULT_MIGRATION_TABLE } from 'kysely/migration'
import { arrivalTable } from './arrival.ts'
import type { Database, Db } from './database.ts'

/** The table of departure.ts. */
export const departureTable = 'waymark_departure'

export interface TableLayout {
  readonly name: string
  readonly columns: readonly string[]
  /** Columns of the primary key, in its order. All tables of Waymark have one; others may not. */
  readonly key: readonly string[]
  readonly hasBytes: boolean
  /** Tables that its rows refer to. */
  readonly refersTo: readonly string[]
}

/**
 * Tables that are not copied: those about this database itself, those that triggers derive from others (map_square,
 * trail_gram), and outbox_pending, which is empty while nothing is written.
 */
const ownTables: ReadonlySet<string> = new Set([
  DEFAULT_MIGRATION_TABLE,
  DEFAULT_MIGRATION_LOCK_TABLE,
  arrivalTable,
  departureTable,
  'map_square',
  'outbox_pending',
  'trail_gram',
])

interface ColumnFact {
  readonly table: string
  readonly column: string
  readonly type: string
  /** From 1; 0 if it is not part of the primary key. */
  readonly keyPosition: number
}

interface ReferenceFact {
  readonly table: string
  readonly target: string
}

interface Facts {
  readonly columns: readonly ColumnFact[]
  readonly references: readonly ReferenceFact[]
}

async function sqliteFacts(db: Db): Promise<Facts> {
  const columns = await sql<ColumnFact>`select t.name as "table", c.name as "column", c.type as "type",
      c.pk as "keyPosition"
    from sqlite_schema t, pragma_table_info(t.name) c
    where t.type = 'table' and t.name not like 'sqlite!_%' escape '!' order by t.name, c.cid`.execute(db)
  const references = await sql<ReferenceFact>`select distinct t.name as "table", f."table" as "target"
    from sqlite_schema t, pragma_foreign_key_list(t.name) f where t.type = 'table'`.execute(db)
  return { columns: columns.rows, references: references.rows }
}

async function postgresFacts(db: Db): Promise<Facts> {
  const columns = await sql<ColumnFact>`select t.relname as "table", c.attname as "column",
      format_type(c.atttypid, null) as "type", coalesce(array_position(k.conkey, c.attnum), 0) as "keyPosition"
    from pg_class t join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
    left join pg_constraint k on k.conrelid = t.oid and k.contype = 'p'
    where t.relkind in ('r', 'p') and t.relnamespace = current_schema()::regnamespace
    order by t.relname, c.attnum`.execute(db)
  const references = await sql<ReferenceFact>`select distinct t.relname as "table", r.relname as "target"
    from pg_constraint f join pg_class t on t.oid = f.conrelid join pg_class r on r.oid = f.confrelid
    where f.contype = 'f' and t.relnamespace = current_schema()::regnamespace`.execute(db)
  return { columns: columns.rows, references: references.rows }
}

function layoutFrom(columns: readonly ColumnFact[], references: readonly ReferenceFact[]): TableLayout {
  const name = columns[0]?.table ?? ''
  return {
    name,
    columns: columns.map(({ column }) => column).toSorted(), // the engines may have added them in another order
    key: columns
      .filter(({ keyPosition }) => keyPosition > 0)
      .toSorted((one, other) => one.keyPosition - other.keyPosition)
      .map(({ column }) => column),
    hasBytes: columns.some(({ type }) => /^(?:blob|bytea)$/i.test(type)),
    refersTo: references.filter(({ table }) => table === name).map(({ target }) => target),
  }
}

/** Those that are referred to first. @throws Error where tables refer to each other in a circle. */
function inOrder(tables: readonly TableLayout[]): TableLayout[] {
  const ordered: TableLayout[] = []
  const waiting = new Map(tables.map((table) => [table.name, table]))
  while (waiting.size > 0) {
    const free = [...waiting.values()].filter(({ refersTo }) => !refersTo.some((name) => waiting.has(name)))
    if (free.length === 0)
      throw new Error(`These tables refer to each other: ${[...waiting.keys()].join(', ')}.`)
    for (const table of free) {
      waiting.delete(table.name)
      ordered.push(table)
    }
  }
  return ordered
}

/** All tables that are copied, in an order in which rows can be inserted: none refers to a later one. */
export async function layoutOf({ engine, db }: Pick<Database, 'engine' | 'db'>): Promise<TableLayout[]> {
  const { columns, references } = await (engine === 'sqlite' ? sqliteFacts(db) : postgresFacts(db))
  const byTable = Map.groupBy(columns, ({ table }) => table)
  const tables = [...byTable]
    .filter(([name]) => !ownTables.has(name))
    .map(([, facts]) => layoutFrom(facts, references))
  return inOrder(tables)
}

// Which rows of a database have changed since a migration began to copy them: triggers on every table record their keys.
//
// With triggers no write can be missed, not even one by an older node, by a cascade or by an operator's own SQL.
// They exist only while the migration runs, and are not part of the schema.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Db, Tx } from './database.ts'
import { departureTable, layoutOf, type TableLayout } from './layout.ts'
import { findReadOnly } from './read-only.ts'
import { whenFree } from './when-free.ts'

/** Prefix of triggers, and in PostgreSQL of their functions; the table follows, and in SQLite the operation. */
const prefix = `${departureTable}_of_`

/** By table: the primary keys of rows that were inserted, changed or deleted. */
export type ChangedKeys = ReadonlyMap<string, readonly (readonly unknown[])[]>

export interface Departure {
  /** Proves that these are still the same triggers. */
  readonly token: string
  readonly tables: readonly TableLayout[]
}

type Engine = Database['engine']

/** All names of tables and columns are our own, so they need no escaping. */
const quoted = (name: string): string => `"${name}"`

function noteOf(engine: Engine, { name, key }: TableLayout, row: 'old' | 'new', into: string): string {
  const values = key.map((column) => `${row}.${quoted(column)}`).join(', ')
  const array = engine === 'sqlite' ? `json_array(${values})` : `json_build_array(${values})::text`
  return `insert into ${into} (name, key) values ('${name}', ${array}) on conflict do nothing;`
}

function sqliteTriggers(table: TableLayout): string[] {
  const note = (row: 'old' | 'new'): string => noteOf('sqlite', table, row, departureTable)
  const events = {
    insert: note('new'),
    update: `${note('old')} ${note('new')}`, // a key may change too
    delete: note('old'),
  }
  return Object.entries(events).map(
    ([event, does]) =>
      `create trigger ${prefix}${table.name}_${event} after ${event} on ${quoted(table.name)} begin ${does} end`,
  )
}

/** One function for each table, so that its statements are planned once per connection. */
function postgresTriggers(table: TableLayout, schema: string): string[] {
  const note = (row: 'old' | 'new'): string =>
    noteOf('postgres', table, row, `${quoted(schema)}.${departureTable}`)
  const name = `${prefix}${table.name}`
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin
      if tg_op <> 'INSERT' then ${note('old')} end if;
      if tg_op <> 'DELETE' then ${note('new')} end if;
      return null; end $$`,
    `create trigger ${name} after insert or update or delete on ${quoted(table.name)}
      for each row execute function ${name}()`,
  ]
}

async function schemaName(db: Db): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db)
  return rows[0]?.name ?? ''
}

/** What must be dropped to stop recording: triggers in SQLite, functions in PostgreSQL. */
async function findNoting(engine: Engine, db: Db): Promise<string[]> {
  const begin = `${prefix}%`
  const found =
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_schema where type = 'trigger' and name like ${begin}`
      : sql<{ name: string }>`select proname as name from pg_proc
          where pronamespace = current_schema()::regnamespace and proname like ${begin}`
  const { rows } = await found.execute(db)
  return rows.map(({ name }) => name).toSorted()
}

/** Counts the working triggers: one may have been disabled, or its table created again without it. */
async function countNoting(engine: Engine, db: Db): Promise<number> {
  if (engine === 'sqlite') return (await findNoting(engine, db)).length
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace and t.tgname like ${`${prefix}%`}
      and t.tgenabled in ('O', 'A')`.execute(db)
  return rows[0]?.count ?? 0
}

const triggersOfTable = { sqlite: 3, postgres: 1 } as const

const isThere = async (db: Db): Promise<boolean> =>
  (await db.introspection.getTables()).some(({ name }) => name === departureTable)

type Source = Pick<Database, 'engine' | 'db'>

/** Stops recording, if it is on. Each lock is short, since in PostgreSQL readers of the table wait for it. */
export async function endDeparture({ engine, db }: Source): Promise<void> {
  const kind = engine === 'sqlite' ? 'trigger' : 'function'
  const call = engine === 'sqlite' ? '' : '() cascade'
  for (const name of await findNoting(engine, db)) await sql.raw(`drop ${kind} ${name}${call}`).execute(db)
  // Last, since without it the triggers would make every write fail.
  if (await isThere(db)) await sql`drop table ${sql.table(departureTable)}`.execute(db)
}

/** Starts recording every change of the tables, after removing what an earlier migration left behind. */
export async function beginDeparture(
  { engine, db }: Source,
  isLeaving: (table: string) => boolean,
): Promise<Departure> {
  await endDeparture({ engine, db })
  const token = randomUUID()
  return db.transaction().execute(async (tx) => {
    const tables = (await layoutOf({ engine, db: tx })).filter(({ name }) => isLeaving(name))
    await sql`create table ${sql.table(departureTable)}
      (name text not null, key text not null, primary key (name, key))`.execute(tx)
    await sql`insert into ${sql.table(departureTable)} (name, key) values ('', ${token})`.execute(tx)
    const schema = engine === 'sqlite' ? '' : await schemaName(tx)
    for (const table of tables) {
      const statements = engine === 'sqlite' ? sqliteTriggers(table) : postgresTriggers(table, schema)
      for (const statement of statements) await sql.raw(statement).execute(tx)
    }
    return { token, tables }
  })
}

async function isComplete(engine: Engine, tx: Tx, { token, tables }: Departure): Promise<boolean> {
  if (!(await isThere(tx))) return false
  // This waits for writers that bypass the write lock, such as an operator's own SQL.
  if (engine === 'postgres')
    await sql`lock table ${sql.table(departureTable)} in share row exclusive mode`.execute(tx)
  const tokens =
    await sql`select 1 from ${sql.table(departureTable)} where name = '' and key = ${token}`.execute(tx)
  const names = new Set(tables.map(({ name }) => name))
  const now = (await layoutOf({ engine, db: tx })).filter(({ name }) => names.has(name))
  return (
    tokens.rows.length === 1 &&
    (await countNoting(engine, tx)) === tables.length * triggersOfTable[engine] &&
    JSON.stringify(now) === JSON.stringify(tables)
  )
}

/**
 * Takes what was recorded, in a transaction that excludes other writers: a snapshot that begins in it contains exactly these
 * changes, and later commits are recorded for the next round.
 */
export async function takeChanges(engine: Engine, tx: Tx, departure: Departure): Promise<ChangedKeys> {
  if (!(await isComplete(engine, tx, departure)))
    throw new Error(
      'The source was upgraded, or its notes of changed rows were removed, during the migration: run the same command again.',
    )
  const { rows } = await sql<{ name: string; key: string }>`select name, key from ${sql.table(departureTable)}
    where name <> '' order by name, key`.execute(tx)
  if (rows.length > 0) await sql`delete from ${sql.table(departureTable)} where name <> ''`.execute(tx)
  const byTable = Map.groupBy(rows, ({ name }) => name)
  return new Map(
    [...byTable].map(([name, notes]) => [name, notes.map(({ key }) => JSON.parse(key) as unknown[])]),
  )
}

type SnapshotSource = Pick<Database, 'engine' | 'db' | 'snapshot'>
type Work<T> = (db: Db, changes: ChangedKeys) => Promise<T>

/** @returns the running work, in an object, so that awaiting its start does not await its end. */
async function beginSnapshot<T>(
  { engine, db, snapshot }: SnapshotSource,
  departure: Departure,
  work: Work<T>,
) {
  const taken = Promise.withResolvers<ChangedKeys>()
  taken.promise.catch(() => undefined) // without a snapshot, nothing awaits it
  let reading: Promise<T> | undefined
  try {
    const changes = await db.transaction().execute(async (tx) => {
      const found = await takeChanges(engine, tx, departure)
      const begun = Promise.withResolvers<undefined>()
      reading = snapshot(async (from) => {
        await findReadOnly(from) // the snapshot is taken at the first read
        begun.resolve(undefined)
        return work(from, await taken.promise)
      })
      await Promise.race([begun.promise, reading])
      return found
    })
    taken.resolve(changes)
  } catch (error) {
    taken.reject(error)
    await reading?.catch(() => undefined)
    throw error
  }
  return { reading }
}

/**
 * Runs work on a snapshot of the source, with the changes since the previous snapshot. Writers wait only until both have
 * been taken.
 */
export async function onSnapshot<T>(
  source: SnapshotSource,
  departure: Departure,
  work: Work<T>,
  signal?: AbortSignal,
): Promise<T> {
  // The work itself is not retried: by then the recorded changes are gone.
  const { reading } = await whenFree(() => beginSnapshot(source, departure, work), signal)
  if (reading === undefined) throw new Error('No snapshot was begun.')
  return reading
}

// Copies the rows of whole tables from one database to another, of either engine, and verifies them.
import { sql, type RawBuilder } from 'kysely'
import type { Db } from './database.ts'
import type { TableLayout } from './layout.ts'
import { createTableDigest, type TableDigest } from './table-digest.ts'

/** SQLite takes 32,766 values in a statement, PostgreSQL 65,535. */
const maxValues = 30_000
const firstRows = 16
const maxRows = 500
/** Tables with bytes have routes of some MB in a row. */
const maxLongRows = 16
/** A batch that was longer is followed by one of half as many rows. */
const batchBytes = 4_000_000

export type Row = Readonly<Record<string, unknown>>

export interface RowsDone {
  readonly table: string
  readonly rows: number
}

export const names = (columns: readonly string[]): RawBuilder<unknown> =>
  sql.join(columns.map((column) => sql.ref(column)))

/** After the key of a row; nothing at all before the first. Both engines compare text by its bytes. */
function after(key: readonly string[], last: Row | undefined): RawBuilder<unknown> {
  if (last === undefined) return sql``
  const values = sql.join(key.map((column) => last[column]))
  return sql`where (${names(key)}) > (${values})`
}

/** A value and its type as unambiguous text: SQLite stores any type in any column. */
function canonical(value: unknown): unknown {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('base64')]
  return Object.is(value, -0) ? 0 : value // one of the engines loses the sign
}

/** A whole row as text; the same for both engines. */
export const lineOf = ({ columns }: TableLayout, row: Row): string =>
  `${JSON.stringify(columns.map((column) => canonical(row[column] ?? null)))}\n`

/** Maximum rows per statement. */
export const maxRowsOf = ({ columns, hasBytes }: TableLayout): number =>
  Math.min(hasBytes ? maxLongRows : maxRows, Math.floor(maxValues / columns.length))

/** All rows of a table in key order, a few MB at a time. */
async function* batchesOf(db: Db, table: TableLayout) {
  const { name, columns, key } = table
  if (key.length === 0) throw new Error(`The table ${name} has no primary key.`)
  const max = maxRowsOf(table)
  let limit = Math.min(firstRows, max)
  for (let last: Row | undefined; ;) {
    const { rows } = await sql<Row>`select ${names(columns)} from ${sql.table(name)} ${after(key, last)}
      order by ${names(key)} limit ${limit}`.execute(db)
    const lines = rows.map((row) => lineOf(table, row))
    if (rows.length > 0) yield { rows, lines }
    if (rows.length < limit) return
    last = rows.at(-1)
    const bytes = lines.reduce((sum, line) => sum + line.length, 0)
    limit = bytes > batchBytes ? Math.max(1, limit >> 1) : Math.min(max, limit * 2)
  }
}

/** The beginning of a statement. */
export function insertOf({ name, columns }: TableLayout, rows: readonly Row[]): RawBuilder<unknown> {
  const tuples = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`)
  return sql`insert into ${sql.table(name)} (${names(columns)}) values ${sql.join(tuples)}`
}

/** Values that SQLite can store and PostgreSQL cannot: they would be changed, and only the digest would show it. */
export function requireNoNull({ name, columns, key }: TableLayout, rows: readonly Row[]): void {
  for (const row of rows) {
    const column = columns.find((each) => typeof row[each] === 'string' && row[each].includes('\0'))
    if (column === undefined) continue
    const id = key.map((each) => String(row[each])).join(', ')
    throw new Error(
      `The row ${id} of the table ${name} has the character U+0000 in ${column}, which cannot be copied.`,
    )
  }
}

export interface CopyRowsOptions {
  /** A consistent snapshot: nobody may write between the reading of two tables. */
  readonly from: Db
  /** A transaction, so that all rows are copied or none. */
  readonly to: Db
  readonly tables: readonly TableLayout[]
  readonly signal?: AbortSignal | undefined
  readonly onRows?: ((done: RowsDone) => void) | undefined
}

/** @throws Error of one sentence naming the table if what was written is not what was read. */
export async function copyRows(options: CopyRowsOptions): Promise<Map<string, TableDigest>> {
  const { from, to, tables, signal, onRows } = options
  const copied = new Map<string, TableDigest>()
  for (const table of tables.toReversed()) await sql`delete from ${sql.table(table.name)}`.execute(to)
  for (const table of tables) {
    const digest = createTableDigest()
    let count = 0
    for await (const { rows, lines } of batchesOf(from, table)) {
      signal?.throwIfAborted()
      requireNoNull(table, rows)
      await insertOf(table, rows).execute(to)
      digest.add(lines)
      count += rows.length
      onRows?.({ table: table.name, rows: count })
    }
    copied.set(table.name, digest.end())
  }
  for (const table of tables) {
    signal?.throwIfAborted()
    const [wanted, found] = [copied.get(table.name), await digestTable(to, table)]
    if (wanted?.rows === found.rows && wanted.digest === found.digest) continue
    throw new Error(
      `The table ${table.name} was not copied correctly: ${found.rows} of ${wanted?.rows} rows, with different values.`,
    )
  }
  return copied
}

/** Reads a whole table. */
export async function digestTable(db: Db, table: TableLayout): Promise<TableDigest> {
  const digest = createTableDigest()
  for await (const { lines } of batchesOf(db, table)) digest.add(lines)
  return digest.end()
}

/** Does it contain anyone's data? What migrations insert into a new database does not count. */
export async function findDataIn(db: Db, tables: readonly TableLayout[]): Promise<string | undefined> {
  for (const { name } of tables) {
    if (name === 'counter' || name === 'rate_window') continue
    const { rows } = await sql`select 1 as found from ${sql.table(name)} limit 1`.execute(db)
    if (rows.length > 0) return name
  }
  return undefined
}

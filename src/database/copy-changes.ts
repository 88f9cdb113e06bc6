// Copies rows that have changed since a copy was made, and verifies them: the copy follows its source.
import { sql, type RawBuilder } from 'kysely'
import { insertOf, lineOf, maxRowsOf, names, requireNoNull, type Row } from './copy-rows.ts'
import type { Db } from './database.ts'
import type { ChangedKeys } from './departure.ts'
import type { TableLayout } from './layout.ts'
import { createTableDigest, type TableDigest } from './table-digest.ts'

type Key = readonly unknown[]

/** Rows per statement: a condition on several columns nests for each row, and SQLite limits the depth to 1,000. */
const maxKeys = 200
/** A row may have to wait for another one of its round, and triggers of the copy may overwrite what was copied. */
const maxPasses = 5
const sqliteConstraint = 19

const textOf = (key: Key): string => JSON.stringify(key)

/** The rows of a table that are still to be copied. */
interface Waiting {
  readonly table: TableLayout
  readonly keys: readonly Key[]
}

interface Found {
  readonly rows: readonly Row[]
  /** By the text of the key. */
  readonly lines: ReadonlyMap<string, string>
}

function whereKeys({ key: columns }: TableLayout, keys: readonly Key[]): RawBuilder<unknown> {
  const [first = ''] = columns
  if (columns.length === 1) return sql`where ${sql.ref(first)} in (${sql.join(keys.map(([value]) => value))})`
  const conditions = keys.map((key) => {
    const parts = columns.map((column, index) => sql`${sql.ref(column)} = ${key[index]}`)
    return sql`(${sql.join(parts, sql` and `)})`
  })
  return sql`where ${sql.join(conditions, sql` or `)}`
}

async function find(db: Db, table: TableLayout, keys: readonly Key[]): Promise<Found> {
  const { rows } = await sql<Row>`select ${names(table.columns)} from ${sql.table(table.name)}
    ${whereKeys(table, keys)}`.execute(db)
  const keyOf = (row: Row): string => textOf(table.key.map((column) => row[column]))
  return { rows, lines: new Map(rows.map((row) => [keyOf(row), lineOf(table, row)])) }
}

function upsertOf(table: TableLayout, rows: readonly Row[]): RawBuilder<unknown> {
  const others = table.columns.filter((column) => !table.key.includes(column))
  const sets = others.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`)
  const action = others.length === 0 ? sql`nothing` : sql`update set ${sql.join(sets)}`
  return sql`${insertOf(table, rows)} on conflict (${names(table.key)}) do ${action}`
}

/** @returns false if a constraint refuses it: then it has had no effect. */
async function tryIn(to: Db, statement: RawBuilder<unknown>): Promise<boolean> {
  await sql`savepoint change`.execute(to)
  try {
    await statement.execute(to)
  } catch (error) {
    await sql`rollback to savepoint change`.execute(to)
    await sql`release savepoint change`.execute(to)
    const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown }
    if (String(code).startsWith('23') || Number(errcode) % 256 === sqliteConstraint) return false
    throw error
  }
  await sql`release savepoint change`.execute(to)
  return true
}

function inPieces<T>(all: readonly T[], length: number): T[][] {
  const pieces: T[][] = []
  for (let start = 0; start < all.length; start += length) pieces.push(all.slice(start, start + length))
  return pieces
}

export interface CopyChangesOptions {
  /** A snapshot. */
  readonly from: Db
  /** A transaction. */
  readonly to: Db
  /** In an order in which rows can be inserted. */
  readonly tables: readonly TableLayout[]
  readonly changes: ChangedKeys
  /** Digests of the previous copy, by table. */
  readonly digests: ReadonlyMap<string, TableDigest>
  readonly signal?: AbortSignal | undefined
}

/** @returns the digests of the tables as they are now. @throws Error of one sentence if a row was not copied. */
export async function copyChanges(options: CopyChangesOptions): Promise<Map<string, TableDigest>> {
  const { from, to, tables, changes, digests, signal } = options
  const changed: Waiting[] = tables.flatMap((table) => {
    const pieces = inPieces(changes.get(table.name) ?? [], Math.min(maxKeys, maxRowsOf(table)))
    return pieces.map((keys) => ({ table, keys }))
  })

  const counts = new Map(tables.map(({ name }) => [name, createTableDigest(digests.get(name))]))
  for (const { table, keys } of changed) {
    signal?.throwIfAborted()
    const [before, now] = [await find(to, table, keys), await find(from, table, keys)]
    const count = counts.get(table.name)
    count?.remove([...before.lines.values()])
    count?.add([...now.lines.values()])
  }

  async function bring({ table, keys }: Waiting): Promise<void> {
    const { rows } = await find(from, table, keys)
    if (rows.length === 0) return
    requireNoNull(table, rows)
    if (await tryIn(to, upsertOf(table, rows))) return
    for (const row of rows) await tryIn(to, upsertOf(table, [row])) // so that one row does not delay the others
  }

  async function takeAway({ table, keys }: Waiting): Promise<void> {
    const { lines } = await find(from, table, keys)
    const gone = keys.filter((key) => !lines.has(textOf(key)))
    const deletion = (some: readonly Key[]) =>
      sql`delete from ${sql.table(table.name)} ${whereKeys(table, some)}`
    if (gone.length === 0 || (await tryIn(to, deletion(gone)))) return
    for (const key of gone) await tryIn(to, deletion([key]))
  }

  async function findDifferent({ table, keys }: Waiting): Promise<Waiting[]> {
    const [is, wanted] = [await find(to, table, keys), await find(from, table, keys)]
    const different = keys.filter((key) => is.lines.get(textOf(key)) !== wanted.lines.get(textOf(key)))
    return different.length === 0 ? [] : [{ table, keys: different }]
  }

  let waiting = changed
  for (let pass = 1; waiting.length > 0; pass += 1) {
    const [first] = waiting
    if (pass > maxPasses && first)
      throw new Error(
        `Changed rows of the table ${first.table.name} could not be copied: run the same command again.`,
      )
    // Upsert referenced rows first, then delete referring rows first: a cascade must not delete a row that now refers elsewhere.
    for (const piece of waiting) {
      signal?.throwIfAborted()
      await bring(piece)
    }
    for (const piece of waiting.toReversed()) {
      signal?.throwIfAborted()
      await takeAway(piece)
    }
    const left: Waiting[] = [] // check all, since triggers may have changed rows that were right before
    for (const piece of changed) left.push(...(await findDifferent(piece)))
    waiting = left
  }
  return new Map([...counts].map(([name, count]) => [name, count.end()]))
}

/** @throws Error of one sentence if the row count of a table differs, in either database, from the digest. */
export async function requireCounts(
  places: readonly Db[],
  tables: readonly TableLayout[],
  digests: ReadonlyMap<string, TableDigest>,
): Promise<void> {
  const countIn = async (db: Db, { name }: TableLayout): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(
      db,
    )
    return rows[0]?.count ?? 0
  }
  for (const table of tables) {
    const wanted = digests.get(table.name)?.rows ?? 0
    for (const count of await Promise.all(places.map((db) => countIn(db, table))))
      if (count !== wanted)
        throw new Error(
          `The table ${table.name} was not copied correctly: ${count} rows instead of ${wanted}; run the same command again.`,
        )
  }
}

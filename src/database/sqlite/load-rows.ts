// Writes many rows of another engine to a new SQLite file, without kysely, and verifies them.
import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { TableLayout } from '../layout.ts'

const cacheKilobytes = 131_072
const rowsAtOnce = 10_000
const sumBytes = 6
const sumEnd = 2 ** (8 * sumBytes)

export type LoadedValue = string | number | Uint8Array | null
/** In the order of the layout's columns. */
export type LoadedRow = readonly LoadedValue[]

export interface RowsToLoad {
  readonly table: TableLayout
  /** The expected number of rows. */
  readonly count: number
  readonly batches: () => AsyncIterable<readonly LoadedRow[]>
  /** Called once they are in SQLite. */
  readonly loaded: () => Promise<void>
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
const namesOf = ({ columns }: TableLayout): string => columns.map(quoted).join(', ')

/** A value and its type as unambiguous text: SQLite stores any type in any column. */
function canonical(value: unknown): unknown {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('base64')]
  return Object.is(value, -0) ? 0 : value // SQLite loses the sign
}

/** The digest does not depend on the order of rows: they are read in storage order, which is fastest. */
function createSum() {
  let [rows, sum] = [0, 0]
  return {
    add: (row: readonly unknown[]): void => {
      const digest = hash('sha256', JSON.stringify(row.map(canonical)), 'buffer')
      sum = (sum + digest.readUIntBE(0, sumBytes)) % sumEnd
      rows += 1
    },
    end: () => ({ rows, sum }),
  }
}

type Sum = ReturnType<ReturnType<typeof createSum>['end']>

async function insertAll(copy: DatabaseSync, { table, batches }: RowsToLoad): Promise<Sum> {
  const values = table.columns.map(() => '?').join(', ')
  const insert = copy.prepare(`insert into ${quoted(table.name)} (${namesOf(table)}) values (${values})`)
  const sum = createSum()
  const put = (row: LoadedRow): void => {
    insert.run(...row)
    sum.add(row)
  }
  for await (const rows of batches()) rows.forEach(put)
  return sum.end()
}

async function sumOf(copy: DatabaseSync, table: TableLayout): Promise<Sum> {
  const select = copy.prepare(`select ${namesOf(table)} from ${quoted(table.name)}`)
  const sum = createSum()
  select.setReturnArrays(true)
  let count = 0
  for (const row of select.iterate()) {
    sum.add(Object.values(row))
    if (++count % rowsAtOnce === 0) await setImmediate() // so that Ctrl+C is handled
  }
  return sum.end()
}

async function loadAll(copy: DatabaseSync, tables: readonly RowsToLoad[]): Promise<void> {
  for (const { table } of tables.toReversed()) copy.exec(`delete from ${quoted(table.name)}`) // rows that the migrations inserted
  for (const each of tables) {
    const { table, count, loaded } = each
    const [read, written] = [await insertAll(copy, each), await sumOf(copy, table)]
    if (read.rows !== count || written.rows !== count || written.sum !== read.sum)
      throw new Error(
        `The table ${table.name} was not copied correctly: ${written.rows} of ${count} rows, or with different values.`,
      )
    await loaded()
  }
}

/**
 * @param file with the schema; unusable if this fails. It is not synced.
 * @throws Error of one sentence that names the table, if its rows differ from what was read.
 */
export async function loadRows(file: string, tables: readonly RowsToLoad[]): Promise<void> {
  const copy = new DatabaseSync(file, { enableForeignKeyConstraints: true })
  try {
    copy.exec(`pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -${cacheKilobytes}`)
    copy.exec('begin')
    await loadAll(copy, tables)
    copy.exec('commit')
  } finally {
    copy.close()
  }
}

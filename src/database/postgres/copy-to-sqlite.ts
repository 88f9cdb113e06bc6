// Writes a copy of a PostgreSQL database into a new SQLite file: what a backup holds, whatever it was made of.
import { hash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { Database } from '../database.ts'
import { layoutOf, type TableLayout } from '../layout.ts'
import { migrate, schemaOf } from '../migrate.ts'
import { openSqlite } from '../sqlite/sqlite.ts'
import { copyOut, type CopiedTable } from './copy-out.ts'
import { readCopiedRows, type CopiedRow } from './copied-rows.ts'

const cacheKilobytes = 131_072
const rowsAtOnce = 10_000
const sumBytes = 6
const sumEnd = 2 ** (8 * sumBytes)

/** The empty schema of that migration. @returns its tables, those that are referred to first. */
async function makeSchema(file: string, upTo: string): Promise<TableLayout[]> {
  closeSync(openSync(file, 'wx', 0o600))
  const copy = openSqlite(file)
  try {
    await migrate(copy, { upTo })
    return await layoutOf(copy)
  } finally {
    await copy.close()
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
const namesOf = ({ columns }: TableLayout): string => columns.map(quoted).join(', ')

/** One value as text that tells it from any other, and its kind: SQLite stores what it is given, whatever the column. */
function canonical(value: unknown): unknown {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('base64')]
  return Object.is(value, -0) ? 0 : value // SQLite forgets the sign
}

/** The same for the same rows in any order: PostgreSQL sends them as they lie, which is fastest. */
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

async function load(copy: DatabaseSync, { table, file, types }: CopiedTable): Promise<Sum> {
  const values = table.columns.map(() => '?').join(', ')
  const insert = copy.prepare(`insert into ${quoted(table.name)} (${namesOf(table)}) values (${values})`)
  const sum = createSum()
  const put = (row: CopiedRow): void => {
    insert.run(...row)
    sum.add(row)
  }
  for await (const rows of readCopiedRows(file, types)) rows.forEach(put)
  return sum.end()
}

async function sumOf(copy: DatabaseSync, table: TableLayout): Promise<Sum> {
  const select = copy.prepare(`select ${namesOf(table)} from ${quoted(table.name)}`)
  const sum = createSum()
  select.setReturnArrays(true)
  let count = 0
  for (const row of select.iterate()) {
    sum.add(Object.values(row))
    if (++count % rowsAtOnce === 0) await setImmediate() // so that Ctrl+C is heard
  }
  return sum.end()
}

/** @throws Error of one sentence naming the table where what was written is not what was read. */
async function loadAll(copy: DatabaseSync, copied: readonly CopiedTable[]): Promise<void> {
  for (const { table } of copied.toReversed()) copy.exec(`delete from ${quoted(table.name)}`) // of the migrations
  for (const each of copied) {
    const { name } = each.table
    const [read, written] = [await load(copy, each), await sumOf(copy, each.table)]
    if (read.rows !== each.rows || written.rows !== each.rows || written.sum !== read.sum)
      throw new Error(
        `The table ${name} was not copied correctly: ${written.rows} of ${each.rows} rows, or with different values.`,
      )
    await rm(each.file)
  }
}

/** The copy is not synced, and of no use where this fails. */
async function loadInto(file: string, copied: readonly CopiedTable[]): Promise<void> {
  const copy = new DatabaseSync(file, { enableForeignKeyConstraints: true })
  try {
    copy.exec(`pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -${cacheKilobytes}`)
    copy.exec('begin')
    await loadAll(copy, copied)
    copy.exec('commit')
  } finally {
    copy.close()
  }
}

/**
 * The rows are written into files beside the copy first, and these into SQLite once PostgreSQL is let go: while a snapshot
 * is open, no row that is replaced or deleted can be cleared away, and whoever writes has ever more to look through.
 * @param source asked for its schema. The copy has had the same migrations.
 */
export async function copyToSqlite(
  source: Pick<Database, 'db' | 'engine' | 'types'> & { readonly url: string },
  file: string,
): Promise<void> {
  const schema = await schemaOf(source)
  if (schema === undefined) throw new Error('The database holds no schema of Waymark.')
  const folder = `${file}.rows`
  await mkdir(folder, { mode: 0o700 })
  try {
    const tables = await makeSchema(file, schema)
    await loadInto(file, await copyOut({ url: source.url, schema, tables, folder }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

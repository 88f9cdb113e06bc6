// The copy of a PostgreSQL database in a backup: exact values from one snapshot, which holds up vacuum only while rows
// are read.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, describe, test, type TestContext } from 'node:test'
import { Client } from 'pg'
import { digestTable } from '../../src/database/copy-rows.ts'
import type { Database } from '../../src/database/database.ts'
import { layoutOf } from '../../src/database/layout.ts'
import { schemaOf } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { readCopiedRows } from '../../src/database/postgres/copied-rows.ts'
import { copyOut } from '../../src/database/postgres/copy-out.ts'
import { newFolder } from '../helpers/folders.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from '../helpers/postgres.ts'

/** Outbox rows, inserted by SQL: they take 0.3 s or more to read, and seconds to write into SQLite. A vacuum is quicker. */
const many = 400_000

void describe('a copy of a PostgreSQL database', { skip: whyNoPostgres() }, () => {
  let server: PostgresServer | undefined
  before(async () => {
    server = await startPostgres()
  })
  after(() => server?.end())

  async function filled(t: TestContext, sql: string) {
    if (!server) throw new Error('no server')
    const url = await server.createDatabase()
    const client = new Client({ connectionString: url })
    await client.connect()
    const database = await openDatabase({ engine: 'postgres', url })
    t.after(async () => {
      await database.close()
      await client.end()
    })
    await client.query(sql)
    return { url, client, database, file: path.join(await newFolder(t), 'copy.sqlite') }
  }

  async function digests(database: Database): Promise<ReadonlyMap<string, unknown>> {
    const tables = await layoutOf(database)
    const found = tables.map(async (table) => [table.name, await digestTable(database.db, table)] as const)
    return new Map(await Promise.all(found))
  }

  void test('every value of every type is unchanged', async (t) => {
    const { database, file } = await filled(
      t,
      `insert into trail (id, name, slug, version, created_at, description, west, south, miles) values
        (1, 'Grat ↯ 𝄞', 'a', 9007199254740991, -9007199254740991, E'\\t\\n\\r\\\\N "x" \\\\.', -0.0, 0.1, 1e-300),
        (4503599627370497, ' ', 'b', 0, 4294967296, '', null, -179.99999999999997, 1.7976931348623157e308),
        (9007199254740991, 'Rim', 'c', -1, -4294967297, repeat('é\\', 900000), 1, 2, 3);
      insert into brand_file (hash, bytes)
        select 'f' || g, case g when 1 then ''::bytea
          else decode(repeat('00ff0a5c', case g when 8 then 600000 else g end), 'hex') end from generate_series(1, 900, 7) g`,
    )
    await database.copyTo(file)
    const copy = await openDatabase({ engine: 'sqlite', file })
    t.after(() => copy.close())
    assert.deepEqual(await digests(copy), await digests(database))
    assert.ok(!existsSync(`${file}.rows`))
  })

  void test('it is a consistent snapshot, and replaced files are deleted as soon as the rows have been read', async (t) => {
    const { url, client, database, file } = await filled(
      t,
      `insert into outbox (position, type, at, data)
         select g, 'image.created', g, repeat('x', 100) from generate_series(1, ${many}) g;
       insert into counter (name, value) values ('one', 0), ('other', 0)`,
    )
    const writer = new Client({ connectionString: url })
    await writer.connect()
    const [ended, copied] = [new AbortController(), new AbortController()]
    const writing = (async () => {
      while (!ended.signal.aborted)
        await writer.query(`update counter set value = value + 1 where name in ('one', 'other')`)
      await writer.end()
    })()
    const copying = database.copyTo(file).finally(() => copied.abort())
    const seen = async (): Promise<boolean> => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where application_name = 'waymark backup' and backend_xmin is not null`,
      )
      return rowCount !== 0
    }
    const dead = async (): Promise<number> => {
      await client.query('vacuum counter')
      const { rows } = await client.query<{ dead: string }>(
        `select n_dead_tup as dead from pg_stat_user_tables where relname = 'counter'`,
      )
      return Number(rows[0]?.dead)
    }
    while (!copied.signal.aborted && !(await seen())) await pause(1) // the schema is created first
    while (await seen()) await pause(1)
    const isUnderWay = !copied.signal.aborted
    ended.abort()
    await writing
    // PostgreSQL may count what the writer left only after a first vacuum has removed it.
    let left = await dead()
    while (left > 0 && !copied.signal.aborted) left = await dead()
    const isStill = !copied.signal.aborted
    await copying
    assert.deepEqual([isUnderWay, isStill, left], [true, true, 0])

    const copy = await openDatabase({ engine: 'sqlite', file })
    t.after(() => copy.close())
    const rows = await copy.db
      .selectFrom('counter')
      .selectAll()
      .where('name', 'in', ['one', 'other'])
      .execute()
    assert.equal(rows[0]?.value, rows[1]?.value)
    const events = await copy.db.selectFrom('outbox').select('position').execute()
    assert.equal(events.length, many)
  })

  void test('a file that is truncated or of another table is detected', async (t) => {
    const { url, database, file } = await filled(
      t,
      `insert into counter (name, value) select 'c' || g, g from generate_series(1, 1000) g`,
    )
    const tables = (await layoutOf(database)).filter(({ name }) => name === 'counter')
    const folder = path.dirname(file)
    await assert.rejects(
      copyOut({ url, schema: '0001-first-tables', tables, folder }),
      /start the backup again/,
    )
    const schema = (await schemaOf(database)) ?? ''
    const [copied] = await copyOut({ url, schema, tables, folder })
    assert.ok(copied)
    const read = async (types: readonly string[]) =>
      (await Array.fromAsync(readCopiedRows(copied.file, types))).flat().length
    assert.equal(await read(copied.types), copied.rows)
    await assert.rejects(read(['text']), /has 2 of 1 columns/)
    await assert.rejects(read(['text', 'interval']), /has the type interval, which cannot be copied/)
    const bytes = await readFile(copied.file)
    await writeFile(copied.file, bytes.subarray(0, -2))
    await assert.rejects(read(copied.types), /is truncated/)
    await writeFile(copied.file, Buffer.from('something else altogether, of another program'))
    await assert.rejects(read(copied.types), /is not a copy of a table/)
  })
})

// The database suite with SQLite, and tests of SQLite alone.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { open, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import type { Db } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { newFolder } from '../helpers/folders.ts'
import { testContents } from '../images/storage/contents-suite.ts'
import { imageRow, insertParents, migrationNames, testDatabase, trailRow } from './database-suite.ts'
import { testUpgrades } from './upgrade-suite.ts'
import { testUpkeepTurns } from '../jobs/hourly-suite.ts'

async function openSqliteHere(t: TestContext) {
  const databaseFile = path.join(await newFolder(t), 'data', 'waymark.sqlite')
  const reopen = async () => {
    const database = await openDatabase({ engine: 'sqlite', file: databaseFile })
    t.after(() => database.close())
    return database
  }
  return { databaseFile, reopen, database: await reopen() }
}

async function openSchema(t: TestContext) {
  const opened = await openSqliteHere(t)
  await migrate(opened.database)
  return opened
}

testDatabase('sqlite', openSqliteHere)
testUpgrades('sqlite', openSqliteHere)
testUpkeepTurns('sqlite', openSqliteHere)
testContents('sqlite', openSqliteHere)

async function pragma(db: Db, name: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db)
  return Object.values(rows[0] ?? {})[0]
}

void test('sqlite: commits are on disk before they are acknowledged, and readers never wait', async (t) => {
  const { database } = await openSchema(t)
  const inForce = await Promise.all(
    ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout', 'wal_autocheckpoint'].map((name) =>
      pragma(database.db, name),
    ),
  )
  assert.deepEqual(inForce, ['wal', 2, 1, 0, 0])
})

void test('sqlite: waiting for another writer leaves the event loop free', async (t) => {
  const { database, databaseFile } = await openSchema(t)
  const other = new DatabaseSync(databaseFile)
  t.after(() => other.close())
  other.exec('begin immediate')
  let isDone = false
  const write = async (): Promise<void> => {
    await database.db.insertInto('trail').values(trailRow).execute()
    isDone = true
  }
  const writing = write()
  for (let turns = 0; turns < 20; turns += 1) await setTimeout(1) // an event loop that sleeps would return none of these
  assert.equal(isDone, false)
  other.exec('commit')
  await writing
  assert.equal(isDone, true)
})

void test('sqlite: the write-ahead log does not grow without limit', async (t) => {
  const { database, databaseFile } = await openSchema(t)
  await database.db.insertInto('trail').values(trailRow).execute()
  for (let changes = 0; changes < 2_000; changes += 1) {
    await database.db.updateTable('trail').set({ version: changes }).execute()
  }
  assert.ok((await stat(`${databaseFile}-wal`)).size < 2 * 1024 ** 2)
})

void test(
  'sqlite: only the owner may read the database',
  { skip: process.platform === 'win32' },
  async (t) => {
    const { databaseFile } = await openSchema(t)
    for (const suffix of ['', '-wal', '-shm']) {
      assert.equal(((await stat(databaseFile + suffix)).mode & 0o777).toString(8), '600', suffix)
    }
  },
)

/** Runs the writer in a thread. Resolves to the migrations that it ran. */
async function writeBeside(databaseFile: string, transactions: number): Promise<string[]> {
  const worker = new Worker(new URL('./database-writer.ts', import.meta.url), {
    workerData: { databaseFile, transactions },
  })
  const [applied] = (await once(worker, 'message')) as [string[]]
  return applied
}

void test('sqlite: another process may write beside the server, and neither fails nor loses anything', async (t) => {
  const { database, databaseFile } = await openSchema(t)
  await database.db.insertInto('trail').values(trailRow).execute()
  const writing = new AbortController()
  const done = writeBeside(databaseFile, 300).finally(() => writing.abort())
  let own = 0
  for (; !writing.signal.aborted || own < 300; own += 1) {
    await database.db.transaction().execute(async (tx) => {
      const { version } = await tx.selectFrom('trail').select('version').executeTakeFirstOrThrow()
      await tx
        .updateTable('trail')
        .set({ version: version + 1 })
        .execute()
    })
    await new Promise(setImmediate)
  }
  await done
  const { version } = await database.db.selectFrom('trail').select('version').executeTakeFirstOrThrow()
  assert.equal(version, 300 + own)
})

void test('sqlite: of simultaneous first starts one creates the schema, and none fails', async (t) => {
  const databaseFile = path.join(await newFolder(t), 'waymark.sqlite')
  const applied = await Promise.all(Array.from({ length: 3 }, () => writeBeside(databaseFile, 0)))
  assert.deepEqual(applied.flat(), migrationNames)
})

void test('sqlite: a full disk is reported as such, and the next write works once there is room', async (t) => {
  const { database } = await openSchema(t)
  const { db } = database
  const pages = Number(await pragma(db, 'page_count'))
  await pragma(db, `max_page_count = ${pages}`)
  const write = (id: number) =>
    db.transaction().execute(async (tx) => {
      await tx
        .insertInto('trail')
        .values({ ...trailRow, id, name: 'n'.repeat(100_000), slug: `s${id}` })
        .execute()
    })
  await assert.rejects(write(1), { code: 'ENOSPC' })
  await assert.rejects(write(2), { code: 'ENOSPC' })
  await pragma(db, `max_page_count = ${pages + 1_000}`)
  await write(3)
  const rows = await db.selectFrom('trail').select('id').execute()
  assert.deepEqual(
    rows.map((row) => row.id),
    [3],
  )
})

void test('sqlite: a transaction that cannot be committed has no effect, and the next one works', async (t) => {
  const { database } = await openSchema(t)
  const { db } = database
  await sql`create table fault(id integer references trail(id) deferrable initially deferred)`.execute(db)
  await sql`create trigger fault after insert on trail begin insert into fault values (-1); end`.execute(db)
  const insert = () => db.transaction().execute((tx) => tx.insertInto('trail').values(trailRow).execute())
  await assert.rejects(insert(), { errcode: 787 }) // SQLITE_CONSTRAINT_FOREIGNKEY
  assert.deepEqual(await db.selectFrom('trail').select('id').execute(), [])
  await sql`drop trigger fault`.execute(db)
  await insert()
  assert.equal((await db.selectFrom('trail').select('id').execute()).length, 1)
})

void test("sqlite: a transaction that SQLite itself aborted fails with SQLite's error", async (t) => {
  const { database } = await openSchema(t)
  const { db } = database
  await sql`create trigger fault before insert on trail begin select raise(rollback, 'ended'); end`.execute(
    db,
  )
  const insert = () => db.transaction().execute((tx) => tx.insertInto('trail').values(trailRow).execute())
  await assert.rejects(insert(), { message: 'ended' })
  await sql`drop trigger fault`.execute(db)
  await insert()
  assert.equal((await db.selectFrom('trail').select('id').execute()).length, 1)
})

/** Overwrites bytes of a file. */
async function spoil(file: string, position: number, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.write(bytes, 0, bytes.length, position)
  } finally {
    await handle.close()
  }
}

void test('sqlite: damage anywhere in the file is reported in a sentence or prevents opening', async (t) => {
  const { database, databaseFile } = await openSchema(t)
  await insertParents(database.db)
  for (let id = 1; id <= 300; id += 1) {
    await database.db
      .insertInto('image')
      .values({ ...imageRow, id, seq: id })
      .execute()
  }
  await database.close()
  const { size } = await stat(databaseFile)
  assert.ok(size > 20 * 4_096)
  const whole = new DatabaseSync(databaseFile, { readOnly: true })
  const pages = whole
    .prepare("select pageno from dbstat where pagetype in ('leaf', 'internal') and ncell > 0")
    .all()
    .map(({ pageno }) => Number(pageno))
  whole.close()
  assert.ok(pages.length > 20)
  const original = await readFile(databaseFile)
  for (const page of pages) {
    const start = (page - 1) * 4_096
    // The page header: type, number of cells, and their position. On page 1, it comes after the file header.
    await spoil(databaseFile, start === 0 ? 100 : start, Buffer.alloc(12, 0xff))
    const damaged = await openDatabase({ engine: 'sqlite', file: databaseFile }).catch(() => undefined)
    if (damaged) {
      assert.match((await damaged.findDamage()) ?? 'nothing', /^SQLite reports: .+\.$/s, `page ${page}`)
      await damaged.close()
    }
    await spoil(databaseFile, start, original.subarray(start, start + 4_096))
  }
  const mended = await openDatabase({ engine: 'sqlite', file: databaseFile })
  assert.equal(await mended.findDamage(), undefined)
  await mended.close()
})

void test('sqlite: rows with dangling references are damage', async (t) => {
  const { database } = await openSchema(t)
  await insertParents(database.db)
  await database.db.insertInto('image').values(imageRow).execute()
  await pragma(database.db, 'foreign_keys = off')
  await database.db.deleteFrom('trail').execute()
  assert.equal(await database.findDamage(), '1 rows refer to rows that do not exist.')
})

void test('sqlite: a file that is not a database cannot be opened', async (t) => {
  const { database, databaseFile } = await openSchema(t)
  await database.close()
  await spoil(databaseFile, 0, Buffer.from('not a database at all, by any means'))
  await assert.rejects(openDatabase({ engine: 'sqlite', file: databaseFile }))
})

void test('sqlite: statements are prepared once, and a limited number is kept', async (t) => {
  const { database } = await openSchema(t)
  const prepare = t.mock.method(DatabaseSync.prototype, 'prepare')
  const ask = (number: number) => sql`select ${sql.raw(String(number))}`.execute(database.db)
  const preparedBy = async (work: () => Promise<unknown>): Promise<number> => {
    const before = prepare.mock.callCount()
    await work()
    return prepare.mock.callCount() - before
  }
  for (let number = 0; number < 600; number += 1) assert.equal(await preparedBy(() => ask(number)), 1)
  assert.equal(await preparedBy(() => ask(599)), 0, 'a recent statement is kept')
  assert.equal(await preparedBy(() => ask(0)), 1, 'an old one made room')
})

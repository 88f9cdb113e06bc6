// The log of changed rows in PostgreSQL, with an operator's own SQL, which does not use the write lock.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { copyChanges } from '../../src/database/copy-changes.ts'
import { copyRows, digestTable } from '../../src/database/copy-rows.ts'
import { beginDeparture, onSnapshot } from '../../src/database/departure.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'
import { newFolder } from '../helpers/folders.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from '../helpers/postgres.ts'
import { testDeparture } from './departure-suite.ts'

void describe('departure from PostgreSQL', { skip: whyNoPostgres() }, () => {
  let server: PostgresServer | undefined
  before(async () => {
    server = await startPostgres()
  })
  after(() => server?.end())

  async function openHere(t: TestContext) {
    if (!server) throw new Error('no server')
    const url = await server.createDatabase({ isEmpty: true })
    const reopen = async () => {
      const database = await openDatabase({ engine: 'postgres', url })
      t.after(() => database.close())
      return database
    }
    return { url, reopen, database: await reopen() }
  }

  testDeparture('postgres', openHere)

  void test('a row that is already listed, and changed again by an open transaction, is not missed', async (t) => {
    const { url, database } = await openHere(t)
    await migrate(database)
    const other = openSqlite(path.join(await newFolder(t), 'other.sqlite'))
    t.after(() => other.close())
    await migrate(other)
    await database.db.insertInto('counter').values({ name: 'n', value: 0 }).execute()
    const departure = await beginDeparture(database, () => true)
    const { tables } = departure
    let digests = await database.snapshot((from) =>
      other.db.transaction().execute((to) => copyRows({ from, to, tables })),
    )
    const bring = () =>
      onSnapshot(database, departure, (from, changes) =>
        other.db.transaction().execute((to) => copyChanges({ from, to, tables, changes, digests })),
      )
    const client = new Client({ connectionString: url })
    await client.connect()
    t.after(() => client.end())
    await client.query(`update counter set value = 1 where name = 'n'`)
    await client.query('begin')
    await client.query(`update counter set value = 2 where name = 'n'`)
    const bringing = bring()
    await setTimeout(300) // it is waiting by now
    await client.query('commit')
    digests = await bringing
    digests = await bring()
    const counter = tables.find(({ name }) => name === 'counter')
    assert.ok(counter)
    assert.deepEqual(await digestTable(other.db, counter), await digestTable(database.db, counter))
    assert.deepEqual(await other.db.selectFrom('counter').select('value').where('name', '=', 'n').execute(), [
      { value: 2 },
    ])
  })
})

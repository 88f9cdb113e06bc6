// The database suites on PostgreSQL: Debian's and, if tests/postgres-18 is installed, the newest.
import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'
import { Client } from 'pg'
import { inSharedTransaction } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { createCommitWatch } from '../../src/database/postgres/commit-watch.ts'
import { lockSpace, writeLock } from '../../src/database/postgres/locks.ts'
import { findReadOnly } from '../../src/database/read-only.ts'
import { testContents } from '../images/storage/contents-suite.ts'
import { testDatabase, trailRow } from './database-suite.ts'
import { testMapSquares } from './map-squares-suite.ts'
import { testUpgrades } from './upgrade-suite.ts'
import { testRetention } from '../events/retention-suite.ts'
import { testTrailSearch } from '../trails/trail-search-suite.ts'
import { testUpkeepTurns } from '../jobs/hourly-suite.ts'
import {
  startPostgres,
  whyNoPostgres,
  type PostgresServer,
  type PostgresVersion,
} from '../helpers/postgres.ts'

const versions: readonly PostgresVersion[] = ['debian', 'npm']

for (const version of versions) {
  void describe(`PostgreSQL ${version}`, { skip: whyNoPostgres(version) }, () => {
    let server: PostgresServer | undefined
    before(async () => {
      server = await startPostgres(version)
    })
    after(() => server?.end())

    const openHere = async (t: TestContext) => {
      if (!server) throw new Error('no server')
      const url = await server.createDatabase({ isEmpty: true })
      const reopen = async () => {
        const database = await openDatabase({ engine: 'postgres', url })
        t.after(() => database.close())
        return database
      }
      return { url, reopen, database: await reopen() }
    }

    testDatabase(`postgres (${version})`, openHere)
    testUpgrades(`postgres (${version})`, openHere)
    testMapSquares(`postgres (${version})`, openHere)
    testTrailSearch(`postgres (${version})`, openHere)
    testUpkeepTurns(`postgres (${version})`, openHere)
    testContents(`postgres (${version})`, openHere)
    testRetention(`postgres (${version})`, openHere)
  })
}

void test(
  'postgres: caches are invalidated when another node commits, and after five seconds without notification',
  { skip: whyNoPostgres() },
  async (t) => {
    const server = await startPostgres()
    const ends = [() => server.end()]
    t.after(async () => {
      for (const end of ends.toReversed()) await end()
    })
    const url = await server.createDatabase({ isEmpty: true })
    let client: Client | undefined
    const changes: string[] = []
    const watch = createCommitWatch({
      createClient: () => (client = new Client({ connectionString: url })),
      onCommit: (change) => void changes.push(change === 'everything' ? change : [...change].join(' ')),
      isAwaited: () => false,
      onNumbered: () => undefined,
      prepare: async () => undefined,
    })
    await watch.start()
    ends.push(() => watch.close())
    const other = new Client({ connectionString: url })
    await other.connect()
    ends.push(() => other.end())
    // Only what another node touched. A node of an older version sends only its name.
    changes.length = 0
    const reported = [`another image:5 trail:7 photos`, 'another *', 'another', 'another ']
    for (const payload of reported) {
      const next = new Promise<string>((resolve) => watch.onForeignCommit(resolve))
      await other.query(`notify waymark_commit, '${payload}'`)
      assert.equal(await next, 'another')
    }
    assert.deepEqual(changes, ['image:5 trail:7 photos', 'everything', 'everything', ''])
    const many = new Set(Array.from({ length: 900 }, (_, at) => `image:${at + 100_000_000}`))
    assert.match(watch.notification(many), / \*'$/, 'longer than a message may be')
    assert.match(watch.notification(new Set(['image:5', 'feed'])), / image:5 feed'$/)
    assert.match(watch.notification(new Set(["image:5'; drop table image; --"])), / \*'$/)

    const heard = new Promise<string>((resolve) => watch.onForeignCommit(resolve))
    const before = watch.mark()
    assert.equal(watch.mark(), before, 'it stays while nothing is committed')
    await other.query("notify waymark_commit, 'another node'")
    await heard
    const after = watch.mark()
    assert.notEqual(after, before)

    await client?.query('unlisten waymark_commit') // from here on it misses notifications without noticing
    await other.query("notify waymark_commit, 'another node'")
    await client?.query('select 1') // everything sent has arrived
    assert.equal(watch.mark(), after, 'it was lost')
    const now = performance.now()
    t.mock.method(performance, 'now', () => now + 5_001)
    assert.notEqual(watch.mark(), after)
  },
)

void test(
  'postgres: an unusable database is reported in one sentence with its reason, without a password',
  {
    skip: whyNoPostgres(),
  },
  async (t) => {
    const server = await startPostgres()
    t.after(() => server.end())
    const open = (at: string) =>
      openDatabase({ engine: 'postgres', url: `postgres://ana:hunter2@127.0.0.1:${at}` })
    await assert.rejects(open(`${server.port}/waymark`), {
      message: `The PostgreSQL at 127.0.0.1:${server.port}/waymark cannot be used: role "ana" does not exist.`,
      failureCode: 'wrong-setting',
    })
    const nobody = open('1/waymark')
    await assert.rejects(
      nobody,
      /^Error: The PostgreSQL at 127\.0\.0\.1:1\/waymark cannot be used: .*ECONNREFUSED.*\.$/,
    )
    await assert.rejects(nobody, (error: Error) => !error.message.includes('hunter2'))
  },
)

void test(
  'postgres: a writer that does not get its turn is refused as busy, and the next one has a good connection',
  {
    skip: whyNoPostgres(),
  },
  async (t) => {
    const server = await startPostgres()
    const ends = [() => server.end()]
    t.after(async () => {
      for (const end of ends.toReversed()) await end()
    })
    const url = await server.createDatabase()
    const database = await openDatabase({ engine: 'postgres', url, connections: 2 })
    ends.push(() => database.close())
    const write = (id: number) =>
      database.db
        .insertInto('trail')
        .values({ ...trailRow, id, slug: `trail-${id}` })
        .execute()
    const other = new Client({ connectionString: url })
    await other.connect()
    ends.push(() => other.end())
    await other.query(`select pg_advisory_lock(${lockSpace}, ${writeLock})`)
    const begun = performance.now()
    // More writers than connections: a reader still gets one immediately.
    let refused = 0
    const waiting = Array.from({ length: 6 }, (_, at) =>
      assert.rejects(write(10 + at), { code: 'EBUSY' }).then(() => (refused += 1)),
    )
    await database.db.selectFrom('trail').select('id').execute()
    assert.equal(refused, 0, 'who reads never waits')
    await Promise.all(waiting)
    await assert.rejects(write(1), { code: 'EBUSY' })
    await assert.rejects(
      database.db.transaction().execute(async () => undefined),
      { code: 'EBUSY' },
    )
    assert.ok(performance.now() - begun < 3 * 3_500)
    assert.deepEqual(
      await database.db.selectFrom('trail').select('id').execute(),
      [],
      'who reads never waits',
    )
    await other.query(`select pg_advisory_unlock(${lockSpace}, ${writeLock})`)
    await write(2)
    assert.deepEqual(await database.db.selectFrom('trail').select('id').execute(), [{ id: 2 }])
  },
)

void test(
  'postgres: a writer that gets no place among parallel writers is refused as busy',
  { skip: whyNoPostgres() },
  async (t) => {
    const server = await startPostgres()
    const ends = [() => server.end()]
    t.after(async () => {
      for (const end of ends.toReversed()) await end()
    })
    const url = await server.createDatabase()
    const database = await openDatabase({ engine: 'postgres', url, connections: 2 })
    ends.push(() => database.close())
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // With two connections there is one place.
    const first = inSharedTransaction(database.db, ['account:1'], async (tx) => {
      await findReadOnly(tx)
      begun.resolve()
      await released.promise
    })
    await begun.promise
    const second = inSharedTransaction(database.db, ['account:2'], findReadOnly)
    const [outcome] = await Promise.allSettled([second])
    released.resolve()
    await first
    assert.equal(outcome.status, 'rejected')
    assert.equal((outcome.reason as { code?: string }).code, 'EBUSY')
    assert.equal(await inSharedTransaction(database.db, ['account:2'], findReadOnly), undefined)
  },
)

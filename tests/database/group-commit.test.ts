// Transactions that share a COMMIT: each is acknowledged once durable, and is isolated from the others.
import assert from 'node:assert/strict'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Db, Tx } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'
import { groupBounds } from '../../src/database/sqlite/sqlite-groups.ts'
import { takePositions } from '../../src/events/outbox.ts'
import { createStorageFaults } from '../../src/storage/storage-faults.ts'
import { newFolder } from '../helpers/folders.ts'
import { trailRow } from './database-suite.ts'

/** On any machine, all transactions of a loop turn form one group. */
const unhurried = { ...groupBounds, maxMs: Number.POSITIVE_INFINITY }

async function openHere(t: TestContext, bounds = unhurried) {
  const databaseFile = path.join(await newFolder(t), 'waymark.sqlite')
  const faults = createStorageFaults()
  const database = openSqlite(databaseFile, faults, bounds)
  await migrate(database)
  // Another process's view: it sees only what is committed.
  const observer = new DatabaseSync(databaseFile, { readOnly: true })
  const every = observer.prepare('select id from trail order by id')
  t.after(async () => {
    observer.close()
    await database.close()
  })
  return { db: database.db, faults, committed: () => every.all().map(({ id }) => Number(id)) }
}

const add = async (tx: Db, id: number): Promise<void> => {
  await tx
    .insertInto('trail')
    .values({ ...trailRow, id, slug: `trail-${id}` })
    .execute()
}

const adding = (db: Db, id: number): Promise<void> => db.transaction().execute((tx) => add(tx, id))

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

const idsIn = async (db: Db): Promise<number[]> => {
  const rows = await db.selectFrom('trail').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** A transaction that stays open until it is released. */
function held(db: Db, work: (tx: Tx) => Promise<void>) {
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const done = db.transaction().execute(async (tx) => {
    begun.resolve()
    await gate.promise
    await work(tx)
  })
  return { begun: begun.promise, done, release: gate.resolve }
}

const settled = async (all: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(all)).map((one) =>
    one.status === 'fulfilled' ? 'done' : (one.reason as Error).message,
  )

void test('C17: transactions of one event-loop turn share a commit, and each is durable when acknowledged', async (t) => {
  const { db, committed } = await openHere(t)
  const afterMigration = db.commitMark?.() ?? 0
  await add(db, 1_000)
  assert.deepEqual(committed(), [1_000])
  const before = db.commitMark?.() ?? 0
  assert.equal(before, afterMigration + 1, 'a write alone is a commit')
  await Promise.all(
    numbers(50).map(async (id) => {
      await (id % 5 === 0 ? add(db, id) : adding(db, id)) // a single write counts as a transaction
      assert.ok(committed().includes(id), `${id} is acknowledged and not committed`)
    }),
  )
  const commits = (db.commitMark?.() ?? 0) - before
  assert.ok(commits >= 1 && commits <= 5, `${commits} commits of 50 transactions`)
  assert.deepEqual(await idsIn(db), [...numbers(50), 1_000])
})

void test("a failing transaction in a group loses its own changes, and no other's", async (t) => {
  const { db, committed } = await openHere(t)
  const failing = new Set([1, 17, 50]) // the first has no savepoint
  const outcomes = await settled(
    numbers(50).map((id) =>
      db.transaction().execute(async (tx) => {
        await add(tx, id)
        await add(tx, id + 100)
        if (failing.has(id)) throw new Error(`no ${id}`)
      }),
    ),
  )
  const kept = numbers(50).filter((id) => !failing.has(id))
  assert.deepEqual(
    outcomes,
    numbers(50).map((id) => (failing.has(id) ? `no ${id}` : 'done')),
  )
  assert.deepEqual(
    committed(),
    [0, 100].flatMap((more) => kept.map((id) => id + more)),
  )
})

void test('C17: nothing of a group is read or acknowledged before its commit', async (t) => {
  const { db, committed } = await openHere(t)
  const readAtOnce = db.prepareRead?.('select id from trail')
  assert.equal(readAtOnce?.([]), null)
  const reported: string[] = []
  const first = adding(db, 1).then(() => reported.push('first'))
  const refused = db
    .transaction()
    .execute(async (tx) => {
      assert.deepEqual(await idsIn(tx), [1])
      throw new Error('it is there already')
    })
    .catch(() => reported.push('refused'))
  const second = held(db, (tx) => add(tx, 2))
  await second.begun
  const read = idsIn(db)
  await new Promise(setImmediate)
  assert.equal(readAtOnce?.([]), undefined, 'a transaction is open')
  assert.deepEqual([reported, committed()], [[], []])
  second.release()
  assert.deepEqual(await read, [1, 2])
  await Promise.all([first, refused, second.done])
  assert.deepEqual(reported, ['first', 'refused'])
})

void test('C17: a failed commit is reported to all who shared it, and leaves nothing', async (t) => {
  const { db, committed } = await openHere(t)
  await sql`create table fault(id integer references trail(id) deferrable initially deferred)`.execute(db)
  const outcomes = await settled([
    adding(db, 1),
    db.transaction().execute(async (tx) => {
      await add(tx, 2)
      await sql`insert into fault values (-1)`.execute(tx)
    }),
    db.transaction().execute(() => Promise.reject(new Error('what it saw never was'))),
    add(db, 3),
  ])
  assert.equal(outcomes.length, 4)
  for (const outcome of outcomes) assert.match(outcome, /FOREIGN KEY constraint failed/)
  assert.deepEqual([committed(), await idsIn(db)], [[], []])
  await adding(db, 4)
  assert.deepEqual(committed(), [4])
})

void test('no deferred constraint can fail a commit that others share', async (t) => {
  const { db } = await openHere(t)
  const { rows } = await sql`select name from sqlite_schema where sql like '%deferr%'`.execute(db)
  assert.deepEqual(rows, [])
})

void test('an error that makes SQLite end the transaction fails all who shared it, and no later statement runs by itself', async (t) => {
  const { db, committed } = await openHere(t)
  await sql`create trigger fault before insert on trail when new.id = 2
    begin select raise(rollback, 'the disk is full'); end`.execute(db)
  const outcomes = await settled([
    adding(db, 1),
    db.transaction().execute(async (tx) => {
      await assert.rejects(add(tx, 2), /the disk is full/)
      await add(tx, 3)
    }),
    adding(db, 4),
    db.transaction().execute(async (tx) => {
      await assert.rejects(add(tx, 2), /the disk is full/) // and continues as if nothing had happened
    }),
    adding(db, 5),
  ])
  const full = 'the disk is full'
  assert.deepEqual(outcomes, [full, full, full, full, 'done'])
  assert.deepEqual(committed(), [5])
})

void test('a late statement of a finished transaction does not run by itself', async (t) => {
  const { db, committed } = await openHere(t)
  let late: Tx | undefined
  const first = db.transaction().execute(async (tx) => {
    late = tx
  })
  const second = held(db, (tx) => add(tx, 2))
  await second.begun
  assert.ok(late)
  await assert.rejects(add(late, 1), /The transaction is over/)
  second.release()
  await Promise.all([first, second.done])
  assert.deepEqual(committed(), [2])
})

void test('C17: after a lost write no transaction begins, not even in a group', async (t) => {
  const { db, faults, committed } = await openHere(t)
  const [first, second] = [held(db, (tx) => add(tx, 1)), adding(db, 2)]
  await first.begun
  faults.reportLoss(new Error('fsync'))
  first.release()
  await first.done
  await assert.rejects(second, { code: 'EIO' })
  await assert.rejects(add(db, 3), { code: 'EIO' })
  assert.deepEqual(committed(), [1])
})

void test('a group is limited in size, and readers run between two', async (t) => {
  for (const bounds of [
    { ...unhurried, maxMembers: 10 },
    { ...unhurried, maxMs: -1 },
  ]) {
    const { db } = await openHere(t, bounds)
    await adding(db, 1_000)
    const before = db.commitMark?.() ?? 0
    const all = Promise.all(numbers(30).map((id) => adding(db, id)))
    let seen = 0
    while (seen === 0) {
      await new Promise(setImmediate)
      seen = (await idsIn(db)).length - 1
    }
    assert.ok(seen <= 10, `a reader waited for ${seen} transactions`)
    await all
    const commits = (db.commitMark?.() ?? 0) - before
    assert.equal(commits, bounds.maxMembers === 10 ? 3 : 30)
  }
})

void test('C23: feed positions follow the order of commits, without gaps', async (t) => {
  const { db } = await openHere(t)
  const reported: number[] = []
  await Promise.all(
    numbers(60).map(async (id) => {
      const position = await db
        .transaction()
        .execute(async (tx) => {
          const taken = await takePositions(tx, 1)
          if (id % 7 === 0) throw new Error('given back')
          return taken
        })
        .catch(() => undefined)
      if (position !== undefined) reported.push(position)
    }),
  )
  assert.deepEqual(reported, numbers(52))
})

void test('a transaction in progress when the database is closed finishes first', async (t) => {
  const databaseFile = path.join(await newFolder(t), 'waymark.sqlite')
  const database = openSqlite(databaseFile)
  await migrate(database)
  const one = held(database.db, (tx) => add(tx, 1))
  await one.begun
  const closed = database.close()
  one.release()
  await Promise.all([one.done, closed])
  const again = openSqlite(databaseFile)
  t.after(() => again.close())
  assert.deepEqual(await idsIn(again.db), [1])
})

// A copy that follows its source: after any changes in any order, the copy is equal once they have been applied.
import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { copyChanges, requireCounts } from '../../src/database/copy-changes.ts'
import { copyRows, digestTable } from '../../src/database/copy-rows.ts'
import type { Database, Db } from '../../src/database/database.ts'
import { beginDeparture, endDeparture, onSnapshot, type Departure } from '../../src/database/departure.ts'
import { layoutOf } from '../../src/database/layout.ts'
import { makingRowsAfter } from '../../src/database/made-rows.ts'
import { findWrongSquares } from '../../src/database/map-squares.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'
import type { TableDigest } from '../../src/database/table-digest.ts'
import { newFolder } from '../helpers/folders.ts'
import { accountRow, imageRow, trailRow, type OpenEmptyDatabase } from './database-suite.ts'

const runsOf = { sqlite: 40, postgres: 20 } as const
const hashes = ['aa', 'bb', 'cc'].map((two) => two.repeat(32))

const anyRow = fc.integer({ min: 0, max: 3 })
const anySpot = fc.integer({ min: 0, max: 2 })
const changes = [
  'trail',
  'slug',
  'line',
  'miles',
  'geometry',
  'no-line',
  'content',
  'no-content',
  'image',
  'place',
  'hash',
  'no-image',
  'moved-key',
  'counter',
] as const
const anyChange = fc.record({ is: fc.constantFrom(...changes), row: anyRow, spot: anySpot })
type Change = typeof anyChange extends fc.Arbitrary<infer T> ? T : never

/** Every change once, in an order that no constraint refuses, since random rounds may omit one. */
const eachOnce: Change[] = [
  { is: 'trail', row: 3, spot: 0 },
  { is: 'slug', row: 0, spot: 0 },
  { is: 'line', row: 0, spot: 0 },
  { is: 'miles', row: 0, spot: 1 },
  { is: 'geometry', row: 0, spot: 0 },
  { is: 'no-line', row: 0, spot: 0 },
  { is: 'content', row: 0, spot: 1 },
  { is: 'hash', row: 0, spot: 1 },
  { is: 'moved-key', row: 0, spot: 1 },
  { is: 'image', row: 1, spot: 1 },
  { is: 'place', row: 1, spot: 1 },
  { is: 'no-image', row: 1, spot: 1 },
  { is: 'no-content', row: 0, spot: 1 },
  { is: 'counter', row: 0, spot: 0 },
]

/**
 * Like SQL by an operator.
 * @returns whether it succeeded: constraints refuse some changes.
 */
async function apply(db: Db, { is, row, spot }: Change): Promise<boolean> {
  const sha256 = hashes[spot] ?? ''
  const statements = {
    trail: sql`insert into trail (id, name, slug, version, created_at, search, sort_key)
      values (${row + 1}, 'Trail', ${`s${spot}`}, 0, 0, ${`rim ${spot}`}, 'rim')`,
    // Swaps values in one statement.
    slug: sql`update trail set slug = 't' || slug where id > ${row}`,
    // On both sides, a trigger records in the trail that it has a line.
    line: sql`insert into trail_line (trail_id, geometry) values (${row + 1}, ${`g${spot}`})`,
    miles: sql`update trail set miles = nullif(${spot}, 0), line_version = ${row} where id = ${row + 1}`,
    geometry: sql`update trail_line set geometry = ${`h${spot}`} where trail_id = ${row + 1}`,
    'no-line': sql`delete from trail_line where trail_id = ${row + 1}`,
    content: sql`insert into content (sha256, bytes) values (${sha256}, ${row})`,
    // Deletes its renditions too, by a cascade.
    'no-content': sql`delete from content where sha256 = ${sha256}`,
    place: sql`update image set latitude = ${spot}, longitude = 7, cell = ${spot * 2 ** 30}, along_version = 5, miles_along = 1
      where id = ${row + 1}`,
    hash: sql`insert into rendition (sha256, name, bytes, digest) values (${sha256}, ${`n${row}`}, 1, 'd')`,
    'no-image': sql`delete from image where id = ${row + 1}`,
    'moved-key': sql`update rendition set name = name || 'x' where sha256 = ${sha256} and name = ${`n${row}`}`,
    counter: sql`update counter set value = value + 1`,
  }
  const took = (work: Promise<unknown>): Promise<boolean> =>
    work.then(
      () => true,
      () => false,
    )
  if (is !== 'image') return took(statements[is].execute(db))
  const image = { ...imageRow, id: row + 1, seq: row, trail_id: spot + 1, sha256 }
  const inserting = db.insertInto('image').values(image)
  return took(
    inserting
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ sha256, state: 'approved' }))
      .execute(),
  )
}

async function digestsOf(database: Database): Promise<Map<string, TableDigest>> {
  const digests = new Map<string, TableDigest>()
  for (const table of await layoutOf(database)) digests.set(table.name, await digestTable(database.db, table))
  return digests
}

async function copyAll(from: Database, to: Database, { tables }: Departure) {
  return from.snapshot((db) =>
    to.patiently((target) =>
      target
        .transaction()
        .execute((tx) => makingRowsAfter(to.engine, tx, () => copyRows({ from: db, to: tx, tables }))),
    ),
  )
}

const bring = (
  from: Database,
  to: Database,
  departure: Departure,
  digests: ReadonlyMap<string, TableDigest>,
): Promise<Map<string, TableDigest>> =>
  onSnapshot(from, departure, (db, keys) =>
    to.db.transaction().execute(async (tx) => {
      const { tables } = departure
      const now = await copyChanges({ from: db, to: tx, tables, changes: keys, digests })
      await requireCounts([db, tx], tables, now)
      return now
    }),
  )

async function schemaNames({ engine, db }: Database): Promise<string[]> {
  const found =
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_schema`
      : sql<{
          name: string
        }>`select relname as name from pg_class where relnamespace = current_schema()::regnamespace
          union all select proname from pg_proc where pronamespace = current_schema()::regnamespace
          union all select tgname from pg_trigger where not tgisinternal`
  return (await found.execute(db)).rows.map(({ name }) => name).toSorted()
}

const gramsIn = (db: Db) =>
  db.selectFrom('trail_gram').selectAll().orderBy('gram').orderBy('sort_key').orderBy('trail_id').execute()

const allTables = (): boolean => true

async function openOther(t: TestContext): Promise<Database> {
  const other = openSqlite(path.join(await newFolder(t), 'other.sqlite'))
  t.after(() => other.close())
  await migrate(other)
  return other
}

export function testDeparture(name: string, open: OpenEmptyDatabase): void {
  for (const isSource of [true, false])
    void test(`${name}: a copy ${isSource ? 'of it' : 'into it'} is identical once the later changes were applied`, async (t) => {
      const { database } = await open(t)
      await migrate(database)
      const other = await openOther(t)
      const [from, to] = isSource ? [database, other] : [other, database]
      await from.db.insertInto('account').values(accountRow).execute()
      await from.db
        .insertInto('trail')
        .values([1, 2, 3].map((id) => Object.assign({}, trailRow, { id, slug: `trail-${id}` })))
        .execute()
      await from.db
        .insertInto('content')
        .values({ sha256: hashes[0] ?? '', bytes: 1 })
        .execute()
      const shown = { ...imageRow, state: 'approved', latitude: 1, longitude: 7, cell: 2 ** 40 } as const
      await from.db
        .insertInto('image')
        .values({ ...shown, trail_id: 1, sha256: hashes[0] ?? '' })
        .execute()
      const before = [await schemaNames(from), await schemaNames(to)]
      const departure = await beginDeparture(from, allTables)
      let digests: ReadonlyMap<string, TableDigest> = await copyAll(from, to, departure)
      assert.deepEqual(await digestsOf(to), digests)
      assert.deepEqual(await findWrongSquares(to.db), [])
      const round = fc.array(anyChange, { minLength: 1, maxLength: 25 })
      await fc.assert(
        fc.asyncProperty(round, async (made) => {
          const took = new Set<string>()
          for (const change of made) if (await apply(from.db, change)) took.add(change.is)
          if (made === eachOnce) assert.deepEqual([...took].toSorted(), changes.toSorted())
          digests = await bring(from, to, departure, digests)
          assert.deepEqual(await digestsOf(from), digests)
          assert.deepEqual(await digestsOf(to), digests)
        }),
        { numRuns: runsOf[database.engine], endOnFailure: true, examples: [[eachOnce]] },
      )
      assert.deepEqual(await findWrongSquares(to.db), [])
      const [grams, wanted] = await Promise.all([to, from].map(({ db }) => gramsIn(db)))
      assert.deepEqual(grams, wanted)
      await endDeparture(from)
      assert.deepEqual([await schemaNames(from), await schemaNames(to)], before)
    })

  void test(`${name}: incomplete change notes are reported, and nothing is applied then`, async (t) => {
    const { database, reopen } = await open(t)
    await migrate(database)
    const other = await openOther(t)
    const { db, engine } = database
    const begin = async () => {
      const departure = await beginDeparture(database, allTables)
      return { departure, digests: await copyAll(database, other, departure) }
    }
    const spoil = {
      'by another move': async () => void (await beginDeparture(await reopen(), allTables)),
      'by the end of it': () => endDeparture(database),
      'by the loss of a trigger': async () => {
        const on = engine === 'sqlite' ? sql`` : sql` on trail`
        const end = engine === 'sqlite' ? '_update' : ''
        await sql`drop trigger ${sql.raw(`waymark_departure_of_trail${end}`)}${on}`.execute(db)
      },
      'by another schema': async () => void (await sql`alter table trail add column extra text`.execute(db)),
    }
    for (const [how, work] of Object.entries(spoil)) {
      const { departure, digests } = await begin()
      await work()
      await assert.rejects(bring(database, other, departure, digests), /run the same command again/, how)
    }
    await endDeparture(database)
    await endDeparture(database)
  })

  void test(`${name}: rows without a change note are found by counting`, async (t) => {
    const { database } = await open(t)
    await migrate(database)
    const other = await openOther(t)
    const departure = await beginDeparture(database, allTables)
    const digests = await copyAll(database, other, departure)
    await other.db.insertInto('account').values(accountRow).execute()
    await assert.rejects(bring(database, other, departure, digests), /The table account was not copied/)
  })

  void test(`${name}: a write during the snapshot is either before it or after it`, async (t) => {
    const { database, reopen } = await open(t)
    await migrate(database)
    const other = await openOther(t)
    const { db } = await reopen()
    const departure = await beginDeparture(database, allTables)
    let digests: ReadonlyMap<string, TableDigest> = await copyAll(database, other, departure)
    const ended = new AbortController()
    let written = 0
    const writing = (async () => {
      for (; !ended.signal.aborted; written += 1)
        await db
          .insertInto('counter')
          .values({ name: `n${written}`, value: written })
          .execute()
    })()
    for (let round = 0; round < 20; round += 1) digests = await bring(database, other, departure, digests)
    ended.abort()
    await writing
    digests = await bring(database, other, departure, digests)
    assert.ok(written > 0)
    assert.deepEqual(await digestsOf(database), digests)
    assert.deepEqual(await digestsOf(other), digests)
  })

  void test(`${name}: the snapshot waits for a long transaction of others, and contains it`, async (t) => {
    const { database, reopen } = await open(t)
    await migrate(database)
    const other = await openOther(t)
    const slow = await reopen()
    const departure = await beginDeparture(database, allTables)
    const digests = await copyAll(database, other, departure)
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writing = slow.patiently((db) =>
      db.transaction().execute(async (tx) => {
        await tx.insertInto('counter').values({ name: 'slow', value: 1 }).execute()
        begun.resolve()
        await gate.promise
      }),
    )
    await begun.promise
    const bringing = bring(database, other, departure, digests)
    await setTimeout(3_500) // longer than any lock timeout
    gate.resolve()
    await writing
    const now = await bringing
    assert.equal(now.get('counter')?.rows, (digests.get('counter')?.rows ?? 0) + 1)
    assert.deepEqual(await digestsOf(other), now)
  })
}

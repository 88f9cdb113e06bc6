// Tests that hold for every database. Each engine's test file runs them.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Database, Db, Tx } from '../../src/database/database.ts'
import { migrate, pendingMigrations } from '../../src/database/migrate.ts'
import type { Insertable } from 'kysely'
import type { ImageTable } from '../../src/database/schema.ts'
import { untilAccepted } from '../helpers/until-accepted.ts'

export interface DatabaseUnderTest {
  readonly database: Database
  /** Another connection to the same database, closed when the test ends. */
  reopen(): Promise<Database>
}

/** Opens a new database without a schema, closed when the test ends. */
export type OpenEmptyDatabase = (t: TestContext) => Promise<DatabaseUnderTest>

/** Every migration file, in order. */
export const migrationNames = readdirSync(path.resolve(import.meta.dirname, '../../src/database/migrations'))
  .map((file) => path.parse(file).name)
  .toSorted()
const latest = migrationNames.at(-1)

const largestId = Number.MAX_SAFE_INTEGER
const sha256 = 'ab'.repeat(32)

const tables = [
  'account',
  'account_trail',
  'api_key',
  'audit',
  'brand_file',
  'choice',
  'claim',
  'consent',
  'content',
  'counter',
  'delivery',
  'delivery_attempt',
  'external_identity',
  'image',
  'image_distance',
  'image_hash',
  'image_history',
  'map_square',
  'near_pair',
  'oauth_client',
  'oauth_client_origin',
  'oauth_object',
  'one_time',
  'outbox',
  'passkey',
  'public_route',
  'pulled',
  'rate_window',
  'read_only',
  'installation_fact',
  'rendition',
  'report',
  'retry',
  'route',
  'route_gpx',
  'route_shown',
  'route_trail',
  'session',
  'signing_key',
  'trail',
  'trail_gram',
  'trail_line',
  'trail_routed',
  'webhook',
  'zone',
  'zone_set',
]

export const trailRow = { id: 4711, name: 'Rim Trail', slug: 'rim-trail', version: 0, created_at: 0 }

export const accountRow = {
  id: 42,
  display_name: 'Ana',
  email: 'Ana@trails.example',
  email_key: 'ana@trails.example',
  role: 'member',
  password_hash: null,
  created_at: 0,
} as const

export const imageRow: Insertable<ImageTable> = {
  id: 1,
  seq: 1,
  trail_id: trailRow.id,
  submitter_id: accountRow.id,
  state: 'pending',
  title: '',
  caption: '',
  lat: '0',
  lon: '0',
  latitude: null,
  longitude: null,
  mime_type: 'image/jpeg',
  sha256,
  bytes: 1,
  width: 1,
  height: 1,
  posted_at: 0,
  updated_at: 0,
  details_set_at: null,
  accepted_title: null,
  accepted_caption: null,
}

/** A trail, an account and a content, so that an image can be inserted. */
export async function insertParents(db: Db): Promise<void> {
  await db.insertInto('trail').values(trailRow).execute()
  await db.insertInto('account').values(accountRow).execute()
  await db.insertInto('content').values({ sha256, bytes: 1, condemned_at: null }).execute()
}

const countTrails = async (db: Db): Promise<number> =>
  (await db.selectFrom('trail').select('id').execute()).length

async function increment(tx: Tx): Promise<void> {
  const { version } = await tx.selectFrom('trail').select('version').executeTakeFirstOrThrow()
  await Promise.resolve() // gives another transaction a chance to interleave
  await tx
    .updateTable('trail')
    .set({ version: version + 1 })
    .execute()
}

function testSchema(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: the schema is created from nothing, once`, async (t) => {
    const { database, reopen } = await openEmpty(t)
    assert.deepEqual(await pendingMigrations(database), migrationNames)
    assert.deepEqual(await migrate(database), { applied: migrationNames, latest })
    assert.deepEqual(await migrate(database), { applied: [], latest })
    const again = await reopen()
    assert.deepEqual(await pendingMigrations(again), [])
    const found = await again.db.introspection.getTables()
    const own = again.engine === 'postgres' ? ['outbox_pending'] : []
    assert.deepEqual(found.map((table) => table.name).toSorted(), [...tables, ...own].toSorted())
  })

  void test(`${name}: a migration that fails half-way leaves nothing behind, and is applied completely later`, async (t) => {
    const { database } = await openEmpty(t)
    await database.db.schema.createTable('signing_key').addColumn('in_the_way', 'text').execute()
    await assert.rejects(migrate(database), /signing_key/)
    const left = await database.db.introspection.getTables()
    assert.deepEqual(
      left.map((table) => table.name),
      ['signing_key'],
    )
    await database.db.schema.dropTable('signing_key').execute()
    assert.deepEqual((await migrate(database)).applied, migrationNames)
  })

  void test(`${name}: a database of a newer version is left alone`, async (t) => {
    const { database } = await openEmpty(t)
    await migrate(database)
    const newer = database.db.withTables<{ kysely_migration: { name: string; timestamp: string } }>()
    await newer.insertInto('kysely_migration').values({ name: '9999-later', timestamp: '' }).execute()
    const needs = (value: number) =>
      database.db.updateTable('counter').set({ value }).where('name', '=', 'schema:needed').execute()
    await needs(migrationNames.length + 1)
    await assert.rejects(migrate(database, { mayBeNewer: true }), /newer version of Waymark.*9999-later/)
    // While nodes are replaced one by one, older ones keep working with tables and columns that newer ones have added.
    await needs(migrationNames.length)
    assert.deepEqual(await migrate(database, { mayBeNewer: true }), { applied: [], latest })
    await assert.rejects(migrate(database), /newer version of Waymark.*9999-later/)
    await assert.rejects(pendingMigrations(database), /newer version of Waymark.*9999-later/)
  })
}

function testTransactions(name: string, open: OpenEmptyDatabase): void {
  void test(`${name}: a transaction that throws has no effect, and the next one works`, async (t) => {
    const { db } = (await open(t)).database
    const fault = new Error('change of mind')
    const failing = db.transaction().execute(async (tx) => {
      await tx.insertInto('trail').values(trailRow).execute()
      assert.equal(await countTrails(tx), 1, 'a transaction sees what it wrote')
      throw fault
    })
    await assert.rejects(failing, fault)
    assert.equal(await countTrails(db), 0)
    await db.transaction().execute((tx) => tx.insertInto('trail').values(trailRow).execute())
    assert.equal(await countTrails(db), 1)
  })

  void test(`${name}: a statement that fails rolls back its whole transaction`, async (t) => {
    const { db } = (await open(t)).database
    const clashing = db.transaction().execute(async (tx) => {
      await tx.insertInto('trail').values(trailRow).execute()
      await tx.insertInto('trail').values(trailRow).execute()
    })
    await assert.rejects(clashing)
    assert.equal(await countTrails(db), 0)
  })

  void test(`${name}: simultaneous transactions lose no update`, async (t) => {
    const { db } = (await open(t)).database
    await db.insertInto('trail').values(trailRow).execute()
    await Promise.all(
      Array.from({ length: 50 }, () => untilAccepted(() => db.transaction().execute(increment))),
    )
    const { version } = await db.selectFrom('trail').select('version').executeTakeFirstOrThrow()
    assert.equal(version, 50)
  })
}

function testValues(name: string, open: OpenEmptyDatabase): void {
  void test(`${name}: IDs of 53 bits are exact both ways`, async (t) => {
    const { db } = (await open(t)).database
    await insertParents(db)
    const ids = [1, 2 ** 31, 2 ** 32 + 1, largestId - 1, largestId]
    for (const [index, id] of ids.entries()) {
      await db
        .insertInto('image')
        .values({ ...imageRow, id, seq: index, posted_at: largestId - index })
        .execute()
    }
    const rows = await db.selectFrom('image').select(['id', 'posted_at']).orderBy('id').execute()
    assert.deepEqual(
      rows.map((row) => [row.id, row.posted_at]),
      ids.map((id, index) => [id, largestId - index]),
    )
    for (const id of ids) {
      const found = await db.selectFrom('image').select('id').where('id', '=', id).executeTakeFirst()
      assert.equal(found?.id, id)
    }
    const { numDeletedRows } = await db
      .deleteFrom('image')
      .where('id', '=', largestId)
      .executeTakeFirstOrThrow()
    assert.equal(numDeletedRows, 1n)
  })

  void test(`${name}: texts and numbers come back as they were stored`, async (t) => {
    const { db } = (await open(t)).database
    await insertParents(db)
    const values = {
      title: ' a\tb\r\nc ',
      caption: 'ñandú 🥾 \u{10FFFF} \u00A0 \'; drop table image; -- "x" %_\\',
      lat: '45.523100',
      lon: '-122.6765000000000000000000001',
      latitude: 0.1 + 0.2,
      longitude: -122.676_500_000_001,
    }
    await db
      .insertInto('image')
      .values({ ...imageRow, ...values })
      .execute()
    const columns = ['title', 'caption', 'lat', 'lon', 'latitude', 'longitude'] as const
    assert.deepEqual({ ...(await db.selectFrom('image').select(columns).executeTakeFirst()) }, values)
  })

  void test(`${name}: rows cannot refer to missing rows, and a healthy database has no damage`, async (t) => {
    const { database } = await open(t)
    const { db } = database
    await insertParents(db)
    await db.insertInto('image').values(imageRow).execute()
    await assert.rejects(db.deleteFrom('trail').execute())
    await assert.rejects(db.deleteFrom('content').execute())
    await db.insertInto('rendition').values({ sha256, name: 'lg', bytes: 1, digest: '' }).execute()
    await db.deleteFrom('image').execute()
    await db.deleteFrom('content').execute()
    assert.deepEqual(
      await db.selectFrom('rendition').selectAll().execute(),
      [],
      'renditions go with their content',
    )
    assert.equal(await database.findDamage(), undefined)
  })
}

/** Runs the suite with one engine. */
export function testDatabase(name: string, openEmpty: OpenEmptyDatabase): void {
  const open: OpenEmptyDatabase = async (t) => {
    const opened = await openEmpty(t)
    await migrate(opened.database)
    return opened
  }
  testSchema(name, openEmpty)
  testTransactions(name, open)
  testValues(name, open)
}

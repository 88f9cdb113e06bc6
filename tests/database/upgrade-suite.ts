// A database of an older Waymark, with rows, after each migration: nothing is lost, and new columns are right. Over 300
// lines because each migration needs its own old rows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Database, Db } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { ImageHistoryTable } from '../../src/database/schema.ts'
import {
  countOutdated,
  keepOutdated,
  listOutdated,
  saveRenditions,
} from '../../src/images/storage/rendition-table.ts'
import * as knownDevices from '../../src/database/migrations/0012-known-devices.ts'
import * as firstTables from '../../src/database/migrations/0001-first-tables.ts'
import {
  accountRow,
  imageRow,
  insertParents,
  migrationNames,
  type OpenEmptyDatabase,
} from './database-suite.ts'
import { testHiddenPlaces } from './upgrade-hidden-places.ts'
import { testAccountLanguage } from './upgrade-language.ts'
import { testStoredFlags } from './upgrade-stored-flags.ts'
import { testRebuiltOriginals } from './upgrade-rebuilt-originals.ts'
import { testSmallSizes } from './upgrade-small-sizes.ts'
import { testBranding } from './upgrade-branding.ts'
import { testCapture } from './upgrade-capture.ts'
import { testPublicRoutes } from './upgrade-public-routes.ts'
import { testPulled } from './upgrade-pulled.ts'
import { testRouteCounts } from './upgrade-route-counts.ts'
import { testRouteShares } from './upgrade-route-shares.ts'
import { testTrailData } from './upgrade-trail-data.ts'
import { testApprovedApplications } from './upgrade-applications.ts'

/** The schema of the first release. */
async function migrateToFirst({ db, types }: Database): Promise<void> {
  const first = { up: (old: Kysely<unknown>) => firstTables.up(old, types) }
  const provider = { getMigrations: async () => ({ '0001-first-tables': first }) }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  assert.equal(error, undefined)
}

const { details_set_at: _, accepted_title: __, accepted_caption: ___, ...oldImageRow } = imageRow
const states = ['pending', 'approved', 'rejected', 'removed', 'deleted'] as const

type OldHistory = Omit<ImageHistoryTable, 'digest'>

/** Two images in each state, the second with edited details, with their history and feed. */
async function insertOldRows(db: Db): Promise<void> {
  await insertParents(db)
  // The table of the first release, with fewer columns.
  const old = db.withTables<{ image: typeof oldImageRow }>()
  const oldHistory = db as Kysely<unknown> as Kysely<{ image_history: OldHistory }>
  let position = 0
  for (const [index, state] of [...states, ...states].entries()) {
    const id = 2 ** 52 + index
    const isSet = index >= states.length
    const texts = isSet ? { title: `Title ${index}`, caption: 'ñandú 🥾', updated_at: 5_000 + index } : {}
    await old
      .insertInto('image')
      .values({ ...oldImageRow, id, seq: index, state, posted_at: 1_000 + index, ...texts })
      .execute()
    for (const type of isSet ? ['image.uploaded', 'image.updated'] : ['image.uploaded', 'image.approved']) {
      position += 1
      const event = { position, type, at: position, image_id: id, data: '{}' }
      await db.insertInto('outbox').values(event).execute()
    }
    await oldHistory
      .insertInto('image_history')
      .values({
        position,
        image_id: id,
        at: 1,
        actor_id: accountRow.id,
        from_state: null,
        to_state: state,
        reason: null,
        note: null,
      })
      .execute()
  }
  await db.insertInto('counter').values({ name: 'outbox', value: position }).execute()
  await db
    .insertInto('rendition')
    .values({ sha256: imageRow.sha256, name: 'lg', bytes: 1, digest: 'd' })
    .execute()
  await db
    .insertInto('api_key')
    .values({
      key_hash: 'h',
      prefix: 'p',
      account_id: accountRow.id,
      name: '',
      created_at: 0,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    })
    .execute()
}

type Row = Record<string, unknown>

/** Every row of every table; of `image` only the original columns. */
async function allRows(db: Db): Promise<Map<string, Row[]>> {
  const tables = await db.introspection.getTables()
  const rows = new Map<string, Row[]>()
  for (const { name } of tables.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const columns =
      name === 'image' ? sql.join(Object.keys(oldImageRow).map((column) => sql.ref(column))) : sql`*`
    const found = await sql<Row>`select ${columns} from ${sql.table(name)} order by 1, 2`.execute(db)
    rows.set(name, found.rows)
  }
  return rows
}

/** The columns of a row that existed before. */
function only(row: Record<string, unknown>, before: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.keys(before).map((name) => [name, row[name]]))
}

export function testUpgrades(name: string, openEmpty: OpenEmptyDatabase): void {
  testHiddenPlaces(name, openEmpty)

  void test(`${name}: a database of the first release keeps every row, and knows whose details were set`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrateToFirst(database)
    await insertOldRows(db)
    const before = await allRows(db)
    assert.deepEqual((await migrate(database)).applied, migrationNames.slice(1))
    const after = await allRows(db)
    for (const [table, rows] of before) {
      const kept = after.get(table) ?? []
      // The migration that counts images adds to counters.
      if (table === 'counter')
        assert.deepEqual(
          kept.find((row) => row['name'] === 'outbox'),
          rows[0],
        )
      // New columns do not change what was there before.
      else
        assert.deepEqual(
          kept.map((row, at) => only(row, rows[at])),
          rows.map((row) => only(row, row)),
          table,
        )
    }
    assert.deepEqual(after.get('retry'), [])
    const images = await db.selectFrom('image').selectAll().orderBy('seq').execute()
    assert.deepEqual(
      images.map((image) => [image.details_set_at, image.accepted_title, image.accepted_caption]),
      images.map(({ seq }) => [seq < states.length ? null : 5_000 + seq, null, null]),
    )
    assert.equal(await database.findDamage(), undefined)
  })

  void test(`${name}: 0012 keeps people signed in, and no browser known`, async (t) => {
    const { database } = await openEmpty(t)
    const { db, types } = database
    await migrate(database)
    // Both tables as in the version before.
    await db.schema.alterTable('account').dropColumn('device_epoch').execute()
    await db.schema.alterTable('session').dropColumn('how').execute()
    await db.schema.dropIndex('audit_incident').execute()
    await insertParents(db)
    const session = {
      id: 'session',
      token_hash: 'hash',
      account_id: accountRow.id,
      created_at: 1,
      last_seen_at: 2,
      expires_at: 3,
      browser: 'Firefox',
    }
    await db.insertInto('session').values(session).execute()
    await knownDevices.up(db as Kysely<unknown>, types)
    const [kept] = await db.selectFrom('session').selectAll().execute()
    assert.deepEqual({ ...kept }, { ...session, how: null })
    const accounts = await db.selectFrom('account').select(['id', 'device_epoch']).execute()
    assert.deepEqual(
      accounts.map(({ id, device_epoch: epoch }) => [id, epoch]),
      [[accountRow.id, 0]],
    )
  })

  void test(`${name}: 0013 treats every rendition as made by older rules, also one of an older node`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0012-known-devices' })
    await insertParents(db)
    const { sha256 } = imageRow
    const others = Array.from({ length: 10 }, (_, digit) => sha256.slice(0, -1) + String(digit))
    const old = db.withTables<{
      rendition: { sha256: string; name: string; bytes: number; digest: string }
    }>()
    const insert = async (content: string): Promise<void> => {
      await db
        .insertInto('content')
        .values({ sha256: content, bytes: 1, condemned_at: null })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      for (const rendition of ['lg', 'sm.jpeg'])
        await old
          .insertInto('rendition')
          .values({ sha256: content, name: rendition, bytes: 1, digest: 'd' })
          .execute()
    }
    for (const content of others) await insert(content)
    await migrate(database)
    assert.deepEqual(await listOutdated(db, 100), others)
    await keepOutdated(db, others[0] ?? '')
    await saveRenditions(db, others[1] ?? '', [{ name: 'lg', bytes: 2, digest: 'e' }])
    assert.deepEqual(await listOutdated(db, 3), others.slice(2, 5))
    assert.equal(await countOutdated(db), 8)
    await insert(sha256.slice(0, -1) + 'f')
    assert.equal(await countOutdated(db), 9)
    const rows = await db
      .selectFrom('rendition')
      .selectAll()
      .where('sha256', '=', others[2] ?? '')
      .execute()
    assert.deepEqual(
      rows.map((row) => Object.assign({}, row)),
      ['lg', 'sm.jpeg'].map((rendition) => ({
        sha256: others[2],
        name: rendition,
        bytes: 1,
        digest: 'd',
        version: 0,
        parts: null,
        webp: null,
      })),
    )
  })

  testAccountLanguage(name, openEmpty)
  testStoredFlags(name, openEmpty)
  testApprovedApplications(name, openEmpty)
  testRebuiltOriginals(name, openEmpty)
  testSmallSizes(name, openEmpty)
  testCapture(name, openEmpty)
  testPublicRoutes(name, openEmpty)
  testBranding(name, openEmpty)
  testTrailData(name, openEmpty)
  testPulled(name, openEmpty)
  testRouteShares(name, openEmpty)
  testRouteCounts(name, openEmpty)
}

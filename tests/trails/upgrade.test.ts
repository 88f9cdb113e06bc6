// Trails of an older Waymark after the upgrade: found and listed like new ones.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import type { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Db } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { fold } from '../../src/database/matching.ts'
import { migrate } from '../../src/database/migrate.ts'
import * as firstTables from '../../src/database/migrations/0001-first-tables.ts'
import { listTrails, upsertTrails } from '../../src/trails/trail-table.ts'
import { newFolder } from '../helpers/folders.ts'

const derived = (db: Db, id: number) =>
  db
    .selectFrom('trail')
    .select(['search', 'sort_key', 'updated_at', 'west', 'miles'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

void test('existing trails are indexed for filter and order like new ones', async (t) => {
  const databaseFile = path.join(await newFolder(t), 'waymark.sqlite')
  const database = await openDatabase({ engine: 'sqlite', file: databaseFile })
  t.after(() => database.close())
  const { db, types } = database
  const first = { up: (old: Kysely<unknown>) => firstTables.up(old, types) }
  const provider = { getMigrations: async () => ({ '0001-first-tables': first }) }
  assert.equal((await new Migrator({ db, provider }).migrateToLatest()).error, undefined)
  const name = ` ÖSTERLEDEN ${'Ⅸ'.repeat(50)}`
  await db.insertInto('trail').values({ id: 1, name, slug: 'old', version: 1, created_at: 7 }).execute()
  await migrate(database)

  const found = await listTrails(db, { words: fold('österleden IX') }, 5)
  assert.deepEqual(
    found.map(({ id }) => id),
    [1],
  )
  const upgraded = await derived(db, 1)
  assert.equal(upgraded.updated_at, 7)
  await upsertTrails(db, [{ id: 1, name, slug: 'old' }], 7)
  assert.deepEqual(await derived(db, 1), upgraded)
})

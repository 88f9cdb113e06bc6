// Migration 0026 on a database of the version before: routes are counted once, and those added by older nodes are found.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeUsageOf } from '../../src/account-routes/route-usage-table.ts'
import { mendCounts } from '../../src/database/account-counts.ts'
import type { Db } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../src/database/read-only.ts'
import { usageOf } from '../../src/images/usage-table.ts'
import {
  accountRow,
  imageRow,
  insertParents,
  migrationNames,
  type OpenEmptyDatabase,
} from './database-suite.ts'

const other = {
  ...accountRow,
  id: accountRow.id - 1,
  email: 'other@example.org',
  email_key: 'other@example.org',
}

/** Inserts like a node of the version before, without counts. */
async function insertRoute(db: Db, id: number, gpxBytes: number): Promise<void> {
  await db
    .insertInto('route')
    .values({
      id,
      account_id: accountRow.id,
      name: `Route ${id}`,
      description: '',
      length: null,
      miles: 0,
      measures: '{}',
      west: null,
      south: null,
      east: null,
      north: null,
      geometry_hash: null,
      gpx_bytes: gpxBytes,
      visibility: 'private',
      link_token: null,
      link_hash: null,
      link_nonce: null,
      revision: 'revision',
      line_revision: 'line',
      created_at: id,
      updated_at: id,
      search: '',
    })
    .execute()
}

export function testRouteCounts(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: 0026 counts the existing routes, and those of older nodes are counted later`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    const before0026 = migrationNames.findLast((migration) => migration < '0026')
    assert.ok(before0026)
    await migrate(database, { upTo: before0026 })
    await insertParents(db)
    await db.insertInto('account').values(other).execute()
    for (const [id, bytes] of [
      [1, 100],
      [2, 8_388_608],
      [3, 0],
    ] as const)
      await insertRoute(db, id, bytes)
    const before = await db.selectFrom('route').selectAll().orderBy('id').execute()
    await migrate(database)
    const after = await db.selectFrom('route').selectAll().orderBy('id').execute()
    for (const [index, row] of after.entries()) assert.deepEqual({ ...row, ...before[index] }, row)
    assert.deepEqual({ ...(await routeUsageOf(db, accountRow.id)) }, { routes: 3, bytes: 8_388_708 })
    assert.deepEqual({ ...(await routeUsageOf(db, other.id)) }, { routes: 0, bytes: 0 })
    assert.deepEqual(await mendCounts(db, 'routes'), { mended: [], left: [] })

    await insertRoute(db, 4, 5)
    assert.deepEqual({ ...(await routeUsageOf(db, accountRow.id)) }, { routes: 3, bytes: 8_388_708 })
    await switchReadOnlyOn(db, 0, '')
    assert.deepEqual(await mendCounts(db, 'routes'), { mended: [], left: [accountRow.id] })
    await switchReadOnlyOff(db)
    assert.deepEqual(await mendCounts(db, 'routes'), { mended: [accountRow.id], left: [] })
    assert.deepEqual({ ...(await routeUsageOf(db, accountRow.id)) }, { routes: 4, bytes: 8_388_713 })
  })

  void test(`${name}: wrong image counts are found and corrected, in more accounts than one pass handles`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database)
    await insertParents(db)
    await db.insertInto('image').values(imageRow).execute()
    const more = Array.from({ length: 1_100 }, (_, index) => ({
      ...other,
      id: 1_000 + index,
      email_key: `account ${index}`,
      image_bytes: index === 900 ? 7 : 0,
    }))
    for (let at = 0; at < more.length; at += 100)
      await db
        .insertInto('account')
        .values(more.slice(at, at + 100))
        .execute()
    assert.deepEqual(await mendCounts(db, 'images'), { mended: [accountRow.id, 1_900], left: [] })
    assert.equal((await usageOf(db, accountRow.id)).bytes, imageRow.bytes)
    assert.deepEqual(await mendCounts(db, 'images'), { mended: [], left: [] })
  })
}

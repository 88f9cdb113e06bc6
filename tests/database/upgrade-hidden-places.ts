// Migration 0010 on a database of the version before: links still work, and old clipped lines are not shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kysely } from 'kysely'
import { isLinkToken } from '../../src/account-routes/link-tokens.ts'
import { findPublicLines, listStale } from '../../src/account-routes/public-view/public-view-table.ts'
import { findZoneSet } from '../../src/account-routes/zones/zone-table.ts'
import { migrate } from '../../src/database/migrate.ts'
import { accountRow, insertParents, type OpenEmptyDatabase } from './database-suite.ts'

export function testHiddenPlaces(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: migration 0010 hashes links, which work as before, and shows no route as it was clipped`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0009-rate-windows' })
    await insertParents(db)
    const token = 'a-token-that-somebody-was-given-'
    const line = { line_revision: 'line', miles: 1, measures: '{}', geometry_hash: null }
    const box = { west: null, south: null, east: null, north: null }
    // The tables of the version before.
    const before = db as Kysely<unknown> as Kysely<Record<string, Record<string, unknown>>>
    for (const [index, visibility] of (['link', 'public', 'private'] as const).entries()) {
      const id = 2 ** 52 + index
      const row = { id, account_id: accountRow.id, name: '', description: '', length: null, ...line, ...box }
      const links = { visibility, link_token: visibility === 'link' ? token : null }
      await before
        .insertInto('route')
        .values({ ...row, ...links, gpx_bytes: 0, revision: 'r', created_at: 1, updated_at: 1, search: '' })
        .execute()
      if (visibility === 'private') continue
      const shown = { ...line, ...box, route_id: id, zones_revision: 3, length: '1', lines: Buffer.from('l') }
      await before.insertInto('route_shown').values(shown).execute()
    }
    await before
      .insertInto('zone_set')
      .values({ account_id: accountRow.id, revision: 3, salt: 'salt' })
      .execute()

    assert.equal((await migrate(database)).applied[0], '0010-hidden-places')
    const [linked, ...others] = await db.selectFrom('route').selectAll().orderBy('id').execute()
    assert.ok(linked)
    assert.equal(linked.link_token, null)
    assert.ok(isLinkToken(token, { linkHash: linked.link_hash }))
    assert.ok(!JSON.stringify(linked).includes(token))
    for (const other of others) assert.equal(other.link_hash, null)
    const stale = await listStale(db, { accountId: accountRow.id }, 10)
    assert.deepEqual(new Set(stale), new Set([2 ** 52, 2 ** 52 + 1]))
    for (const id of stale) assert.equal(await findPublicLines(db, id), undefined)
    assert.equal((await findZoneSet(db, accountRow.id)).displacement, 'ring')
    // Lines that a node of the version before derives do not count either.
    await db.updateTable('route_shown').set({ zones_revision: 3 }).execute()
    assert.equal((await listStale(db, { accountId: accountRow.id }, 10)).length, 2)
    await db.updateTable('route_shown').set({ zones_revision: -3 }).execute()
    assert.deepEqual(await listStale(db, { accountId: accountRow.id }, 10), [])
    assert.equal(await database.findDamage(), undefined)
  })
}

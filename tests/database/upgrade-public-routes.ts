// Migration 0023 on a database of the version before: routes are unchanged, and the list is filled from their public
// views.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packLines } from '../../src/account-routes/public-view/line-blob.ts'
import { createListings } from '../../src/account-routes/public-list/listings.ts'
import { listPublicRoutes } from '../../src/account-routes/public-list/public-list-table.ts'
import { createRouteTrails } from '../../src/account-routes/public-list/route-trails.ts'
import type { Db } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { Visibility } from '../../src/database/route-schema.ts'
import { lineOf } from '../../src/shared/geo/points.ts'
import {
  accountRow,
  insertParents,
  migrationNames,
  trailRow,
  type OpenEmptyDatabase,
} from './database-suite.ts'

const places = Array.from({ length: 50 }, (_, index) => ({ lat: 46 + index / 1_000, lon: 7 }))
const box = { west: 7, south: 46, east: 7, north: 46.049 }
const measures = JSON.stringify({
  pointCount: 50,
  measuredMiles: 3.4,
  climb: 120,
  descent: 0,
  start: null,
  end: null,
})

async function insertRoute(db: Db, id: number, visibility: Visibility, zonesRevision: number): Promise<void> {
  const common = { ...box, miles: 3.4, measures, geometry_hash: null, line_revision: 'line' }
  await db
    .insertInto('route')
    .values({
      ...common,
      id,
      account_id: accountRow.id,
      name: `Route ${id}`,
      description: '',
      length: null,
      gpx_bytes: 0,
      visibility,
      link_token: null,
      link_hash: null,
      link_nonce: null,
      revision: 'revision',
      created_at: id,
      updated_at: id,
      search: `route ${id}\n`,
    })
    .execute()
  await db
    .insertInto('route_shown')
    .values({
      ...common,
      route_id: id,
      zones_revision: zonesRevision,
      length: '3.4',
      lines: await packLines([lineOf(places)]),
    })
    .execute()
}

export function testPublicRoutes(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: 0023 changes no route, and lists those that are public and visible, also of older nodes`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    const before0023 = migrationNames.findLast((migration) => migration < '0023')
    assert.ok(before0023)
    await migrate(database, { upTo: before0023 })
    await insertParents(db)
    const coordinates = places.map(({ lat, lon }) => [lon, lat])
    await db.updateTable('trail').set(box).execute()
    await db
      .insertInto('trail_line')
      .values({ trail_id: trailRow.id, geometry: JSON.stringify({ type: 'LineString', coordinates }) })
      .execute()
    await insertRoute(db, 1, 'public', 0)
    await insertRoute(db, 2, 'link', 0)
    await insertRoute(db, 3, 'private', 0)
    await insertRoute(db, 4, 'public', -7) // clipped by older zones
    const tables = ['route', 'route_shown', 'trail'] as const
    const rows = () => Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()))
    const before = await rows()
    await migrate(database)
    for (const [table, found] of (await rows()).entries())
      for (const [index, row] of found.entries()) assert.deepEqual({ ...row, ...before[table]?.[index] }, row)

    const faults: unknown[] = []
    const onFault = (error: unknown): void => void faults.push(error)
    const fill = createListings({ db, onListed: () => undefined, onFault })
    const find = createRouteTrails({ db, restMs: () => 0, onFault })
    const catchUp = async (): Promise<void> => {
      await fill(undefined, async () => true)
      await find.run({ signal: new AbortController().signal, mayContinue: async () => true })
    }
    const listed = async (filters = {}): Promise<number[]> =>
      (await listPublicRoutes(db, { order: 'newest', ...filters }, { limit: 10 })).map(({ id }) => id)
    await catchUp()
    assert.deepEqual([await listed(), await listed({ nearTrail: trailRow.id })], [[1], [1]])
    // A node of the version before publishes a route, and hides it again.
    await insertRoute(db, 5, 'public', 0)
    await db.updateTable('route').set({ visibility: 'private' }).where('id', '=', 1).execute()
    await db.deleteFrom('route_shown').where('route_id', '=', 1).execute()
    assert.deepEqual(await listed(), [])
    await catchUp()
    assert.deepEqual([await listed(), await listed({ nearTrail: trailRow.id })], [[5], [5]])
    assert.deepEqual(faults, [])
    assert.equal(await database.findDamage(), undefined)
  })
}

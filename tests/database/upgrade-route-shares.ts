// Migration 0030 on a database of the version before: nothing more is shown, every climb is measured by the current rule,
// and rows written by older nodes are corrected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRouteClimbs } from '../../src/account-routes/climbs.ts'
import { examineGpx } from '../../src/account-routes/gpx/measured.ts'
import { packText } from '../../src/account-routes/gpx/packed.ts'
import { packLines } from '../../src/account-routes/public-view/line-blob.ts'
import { findPublicLines, findPublicView } from '../../src/account-routes/public-view/public-view-table.ts'
import { migrate } from '../../src/database/migrate.ts'
import { lineOf } from '../../src/shared/geo/points.ts'
import { gpxLimits } from '../../src/shared/gpx/gpx.ts'
import { renewTrailClimbs } from '../../src/trails/climbs.ts'
import { upsertTrails } from '../../src/trails/trail-table.ts'
import { readTrailLine } from '../../src/trails/trail-line.ts'
import {
  accountRow,
  insertParents,
  migrationNames,
  trailRow,
  type OpenEmptyDatabase,
} from './database-suite.ts'

/** Rises of 6 m, which the previous rule did not count. */
const places = Array.from({ length: 200 }, (_, index) => ({
  lat: 46 + index / 2_000,
  lon: 7,
  ele: 100 + 3 * Math.sin(index / 4),
}))
const gpx = `<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>${places
  .map(({ lat, lon, ele }) => `<trkpt lat="${lat}" lon="${lon}"><ele>${ele}</ele></trkpt>`)
  .join('')}</trkseg></trk></gpx>`
const box = { west: 7, south: 46, east: 7, north: 46.0995 }
const oldMeasures = JSON.stringify({
  pointCount: 200,
  measuredMiles: 6.87,
  climb: 0,
  descent: 0,
  start: { lat: 46, lon: 7 },
  end: { lat: 46.0995, lon: 7 },
})
const always = { signal: new AbortController().signal, mayContinue: async () => true }

export function testRouteShares(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: 0030 shares nothing, and all climbs are recalculated, also those of an older node`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    const before0030 = migrationNames.findLast((migration) => migration < '0030')
    assert.ok(before0030)
    await migrate(database, { upTo: before0030 })
    await insertParents(db)
    const row = (id: number) => ({
      ...box,
      id,
      account_id: accountRow.id,
      name: `Route ${id}`,
      description: '',
      length: null,
      miles: 6.87,
      measures: oldMeasures,
      geometry_hash: null,
      gpx_bytes: gpx.length,
      visibility: 'public' as const,
      link_token: null,
      link_hash: null,
      link_nonce: null,
      revision: 'revision',
      line_revision: 'line',
      created_at: id,
      updated_at: id,
      search: `route ${id}\n`,
    })
    const shown = async (id: number) => ({
      ...box,
      route_id: id,
      line_revision: 'line',
      zones_revision: 0,
      length: '6.87',
      miles: 6.87,
      measures: oldMeasures,
      geometry_hash: null,
      lines: await packLines([lineOf(places)]),
    })
    for (const id of [1, 2]) {
      await db.insertInto('route').values(row(id)).execute()
      await db
        .insertInto('route_gpx')
        .values({ route_id: id, gpx: await packText(gpx) })
        .execute()
      await db
        .insertInto('route_shown')
        .values(await shown(id))
        .execute()
      await db
        .insertInto('public_route')
        .values({
          ...box,
          route_id: id,
          created_at: id,
          miles: 6.87,
          ascent: 0,
          line_revision: 'line',
          zones_revision: 0,
          sketch: '[]',
        })
        .execute()
    }
    await db
      .insertInto('route_trail')
      .values({ trail_id: trailRow.id, route_id: 1, created_at: 1, miles: 6.87, ascent: 0 })
      .execute()
    // One that can no longer be parsed, stored with GPX_CHECK=off.
    const fault = JSON.stringify({
      pointCount: 0,
      measuredMiles: null,
      climb: null,
      descent: null,
      start: null,
      end: null,
      fault: 'x',
    })
    await db
      .insertInto('route')
      .values({ ...row(3), visibility: 'private', measures: fault })
      .execute()
    await db
      .insertInto('route_gpx')
      .values({ route_id: 3, gpx: Buffer.from('no gpx') })
      .execute()
    const coordinates = places.map(({ lat, lon, ele }) => [lon, lat, Math.round(ele * 10) / 10])
    const geometry = JSON.stringify({ type: 'LineString', coordinates })
    const drawn = async (): Promise<void> => {
      await db.insertInto('trail_line').values({ trail_id: trailRow.id, geometry }).execute()
      await db
        .updateTable('trail')
        .set({ ...box, miles: 6.87 })
        .where('id', '=', trailRow.id)
        .execute()
      await db
        .updateTable('trail')
        .set({ ascent: 0, descent: 0, highest: 103, lowest: 97 })
        .where('id', '=', trailRow.id)
        .execute()
    }
    await drawn()

    assert.ok((await migrate(database)).applied.some((migration) => migration.startsWith('0030')))
    const shares = await db.selectFrom('route').select('shares').execute()
    assert.deepEqual(
      shares.map((one) => one.shares),
      ['', '', ''],
    )
    assert.ok(await findPublicView(db, 1), 'what was shown is shown at once')

    const faults: unknown[] = []
    const routeClimbs = createRouteClimbs({
      db,
      gpxLimits,
      restMs: () => 0,
      onFault: (error) => faults.push(error),
    })
    const renew = async (): Promise<void> => {
      assert.ok(await renewTrailClimbs(db, always.mayContinue))
      await routeClimbs.run(always)
    }
    const figures = async () => {
      const routes = await db
        .selectFrom('route')
        .select(['id', 'measures', 'updated_at', 'revision'])
        .orderBy('id')
        .execute()
      const views = await db.selectFrom('route_shown').select(['measures']).orderBy('route_id').execute()
      const listed = await db.selectFrom('public_route').select('ascent').orderBy('route_id').execute()
      const used = await db.selectFrom('route_trail').select('ascent').execute()
      const trails = await db
        .selectFrom('trail')
        .select(['ascent', 'descent', 'highest', 'lowest'])
        .where('id', '=', trailRow.id)
        .execute()
      return { routes, views, listed, used, trails }
    }
    await renew()
    const { measures: present } = await examineGpx(gpx, gpxLimits)
    assert.ok((present.climb ?? 0) > 40, String(present.climb))
    const expected = {
      ...(JSON.parse(oldMeasures) as object),
      climb: present.climb,
      descent: present.descent,
      climbRule: 2,
    }
    const renewed = await figures()
    for (const { id, measures, updated_at: updatedAt, revision } of renewed.routes) {
      assert.deepEqual([updatedAt, revision], [id, 'revision'], 'nobody changed the route')
      assert.deepEqual(
        JSON.parse(measures),
        id === 3 ? { ...(JSON.parse(fault) as object), climbRule: 2 } : expected,
      )
    }
    for (const { measures } of renewed.views) assert.deepEqual(JSON.parse(measures), expected)
    assert.deepEqual(
      [...renewed.listed, ...renewed.used].map(({ ascent }) => ascent),
      [present.climb, present.climb, present.climb],
    )
    const [trail] = renewed.trails
    assert.ok(Math.abs((trail?.ascent ?? 0) - (present.climb ?? 0)) < 1.5, `trail ${trail?.ascent}`)
    assert.deepEqual([trail?.highest, trail?.lowest], [103, 97])

    // An older node writes its own measures: of a route, its public view, and a trail's line.
    await db.updateTable('route').set({ measures: oldMeasures }).where('id', '=', 1).execute()
    await db.updateTable('route_shown').set({ measures: oldMeasures }).where('route_id', '=', 1).execute()
    await db.updateTable('public_route').set({ ascent: 0 }).where('route_id', '=', 1).execute()
    await db.deleteFrom('trail_line').execute()
    await drawn()
    await renew()
    assert.deepEqual(await figures(), renewed)
    // Rows written by newer nodes need nothing.
    const reading = await readTrailLine([JSON.parse(geometry)])
    assert.ok(reading.ok && reading.line)
    await upsertTrails(db, [{ ...trailRow, line: reading.line }], 5)
    const { line_version: version, climb_version: climbed } = await db
      .selectFrom('trail')
      .select(['line_version', 'climb_version'])
      .where('id', '=', trailRow.id)
      .executeTakeFirstOrThrow()
    assert.equal(climbed, version)
    assert.deepEqual(faults, [])
    assert.equal(await database.findDamage(), undefined)
  })

  void test(`${name}: shared data that an older node leaves behind is shown to nobody`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database)
    await insertParents(db)
    await db
      .insertInto('route')
      .values({
        ...box,
        id: 1,
        account_id: accountRow.id,
        name: 'r',
        description: '',
        length: null,
        miles: 1,
        measures: oldMeasures,
        geometry_hash: null,
        gpx_bytes: 1,
        visibility: 'public',
        link_token: null,
        link_hash: null,
        link_nonce: null,
        revision: 'r',
        line_revision: 'line',
        created_at: 1,
        updated_at: 1,
        search: 'r',
        shares: 'times waypoints',
      })
      .execute()
    const lines = await packLines([lineOf(places)])
    await db
      .insertInto('route_shown')
      .values({
        ...box,
        route_id: 1,
        line_revision: 'line',
        zones_revision: 0,
        length: '1',
        miles: 1,
        measures: oldMeasures,
        geometry_hash: null,
        lines,
        shared: Buffer.from('old'),
        shared_of: 'line:0:times waypoints',
      })
      .execute()
    assert.ok(await findPublicView(db, 1))
    // A zone is added, and an older node derives the lines again, without the other columns.
    await db
      .insertInto('zone_set')
      .values({ account_id: accountRow.id, revision: 1, salt: 's', displacement: 'ring' })
      .execute()
    await db.updateTable('route_shown').set({ lines, zones_revision: -1 }).where('route_id', '=', 1).execute()
    assert.equal(await findPublicView(db, 1), undefined)
    assert.equal(await findPublicLines(db, 1), undefined)
    // A route that shares nothing more shows only its lines, immediately.
    await db.updateTable('route').set({ shares: '' }).where('id', '=', 1).execute()
    assert.equal((await findPublicLines(db, 1))?.shared, null)
    await db.updateTable('route').set({ shares: 'times' }).where('id', '=', 1).execute()
    assert.equal(await findPublicLines(db, 1), undefined)
  })
}

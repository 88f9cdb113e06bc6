// GET /v2/routes: nothing that is hidden by a zone or not public appears in it or affects a search.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startWaymark, type Person } from '../../helpers/waymark.ts'
import { addZone, changeRoute, gpxOf, jsonOf, northward, type RouteDocument } from '../v2-helpers.ts'
import { metresBetween } from '../zones/zone-cases.ts'
import {
  addListed,
  compareWithTrails,
  namesOf,
  pageOf,
  putTrail,
  soon,
  type PublicRoute,
} from './list-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const admin = await waymark.addPerson({ role: 'admin' })
const { db } = waymark.installation.database

const home = { lat: 45, lon: 7.5 }
const radius = 100
/** About 3.3 km due north of home. */
const fromHome = northward(home.lat, home.lon, 60, 0.0005)
const body = { name: 'Walk', length: 99, gpx: gpxOf([fromHome]), visibility: 'public' }

async function listed(routeID: number): Promise<PublicRoute | undefined> {
  const { items } = await pageOf(waymark, { limit: 500 })
  return items.find((item) => item.routeID === routeID)
}

async function setVisibility(person: Person, id: number, visibility: string): Promise<void> {
  await changeRoute(waymark, person, { id, visibility })
}

void describe('a zone', () => {
  void it('hides the hidden part from line, box, length, ascent, filters and orders', async () => {
    const owner = await waymark.addPerson()
    await addZone(waymark, owner, { ...home, radius })
    const whole = await addListed(waymark, owner, body)
    const item = await listed(whole.routeID)
    assert.ok(item)
    const shown = await jsonOf<RouteDocument>(await waymark.fetch(`/v2/routes/${whole.routeID}`))
    assert.deepEqual([item.lengthMiles, item.ascent, item.bbox], [shown.length, shown.climb, shown.bbox])
    assert.ok(item.lengthMiles < 99 && (item.ascent ?? 0) < (whole.climb ?? 0))
    for (const [lon, lat] of item.line.flat())
      assert.ok(metresBetween({ lat, lon }, home) > radius, 'no point near home')
    // Between the public length and the real one: a search by the owner's figures finds nothing.
    const between = (item.lengthMiles + 99) / 2
    const [west = 0, south = 0, east = 0] = item.bbox ?? []
    const betraying = [
      { minMiles: between },
      { minAscent: ((item.ascent ?? 0) + (whole.climb ?? 0)) / 2 },
      { bbox: `${west - 0.001},44.99,${east + 0.001},${(south - 0.0001).toFixed(6)}` },
    ]
    for (const query of betraying) assert.deepEqual(await namesOf(waymark, query), [], JSON.stringify(query))
    assert.deepEqual(await namesOf(waymark, { maxMiles: item.lengthMiles }), ['Walk'])
    const longer = await addListed(waymark, owner, {
      ...body,
      name: 'Longer',
      gpx: gpxOf([northward(60, 7, 90, 0.0005)]),
    })
    assert.deepEqual(await namesOf(waymark, { order: 'length' }), ['Longer', 'Walk'])
    for (const { routeID } of [whole, longer]) await setVisibility(owner, routeID, 'private')
  })

  void it('that is added takes every route off the list until it is clipped, and never shows the former line', async () => {
    const owner = await waymark.addPerson()
    const { routeID } = await addListed(waymark, owner, { ...body, length: null })
    const before = await listed(routeID)
    await addZone(waymark, owner, { ...home, radius })
    // From here on, either nothing or the remaining part of the route is visible.
    await soon(async () => {
      const item = await listed(routeID)
      if (item === undefined) return false
      assert.ok(item.lengthMiles < (before?.lengthMiles ?? 0))
      return true
    }, 'it is listed again')
    await setVisibility(owner, routeID, 'private')
  })

  void it('that a node of an older version adds invalidates what is listed, at once', async () => {
    const owner = await waymark.addPerson()
    const { routeID } = await addListed(waymark, owner, body)
    await addZone(waymark, owner, { lat: 10, lon: 10, radius: 100 })
    await soon(async () => (await listed(routeID)) !== undefined, 'it is listed')
    // Like an older node: nothing is listed again, and the old row stays.
    const bump = (revision: number) =>
      db.updateTable('zone_set').set({ revision }).where('account_id', '=', owner.accountId).execute()
    await bump(2)
    assert.equal(await listed(routeID), undefined)
    await bump(1)
    assert.ok(await listed(routeID))
    const rows = () =>
      db.selectFrom('public_route').select('route_id').where('route_id', '=', routeID).execute()
    assert.equal((await rows()).length, 1)
    // A route that such a node changes or hides.
    await db.updateTable('route').set({ line_revision: 'another' }).where('id', '=', routeID).execute()
    assert.equal(await listed(routeID), undefined)
    const { lineRevision } = await db
      .selectFrom('public_route')
      .select('line_revision as lineRevision')
      .where('route_id', '=', routeID)
      .executeTakeFirstOrThrow()
    const update = (visibility: 'link' | 'public') =>
      db
        .updateTable('route')
        .set({ line_revision: lineRevision, visibility })
        .where('id', '=', routeID)
        .execute()
    await update('link')
    assert.equal(await listed(routeID), undefined)
    await update('public')
    assert.ok(await listed(routeID))
    await db.deleteFrom('route').where('id', '=', routeID).execute()
    assert.deepEqual(await rows(), [], 'it goes with its route')
  })
})

void describe('a route that is no longer public', () => {
  for (const visibility of ['private', 'link'] as const) {
    void it(`that becomes ${visibility} leaves the list at once, and returns when it is public again`, async () => {
      const owner = await waymark.addPerson()
      const { routeID } = await addListed(waymark, owner, body)
      await setVisibility(owner, routeID, visibility)
      assert.equal(await listed(routeID), undefined)
      for (const table of ['public_route', 'route_trail'] as const)
        assert.deepEqual(await db.selectFrom(table).selectAll().where('route_id', '=', routeID).execute(), [])
      await setVisibility(owner, routeID, 'public')
      await soon(async () => (await listed(routeID)) !== undefined, 'it is listed again')
      await setVisibility(owner, routeID, 'private')
    })
  }

  void it('is not listed while its owner is suspended', async () => {
    const owner = await waymark.addPerson()
    const { routeID } = await addListed(waymark, owner, body)
    const suspend = (at: number | null) =>
      db.updateTable('account').set({ suspended_at: at }).where('id', '=', owner.accountId).execute()
    await suspend(1)
    assert.equal(await listed(routeID), undefined)
    await suspend(null)
    assert.ok(await listed(routeID))
    await setVisibility(owner, routeID, 'private')
  })
})

void it('a route whose visible part does not use a trail is not found near it, even if its hidden part does', async () => {
  const owner = await waymark.addPerson()
  await putTrail(waymark, admin, 'POST', { trailID: 77, name: 'Home path', points: fromHome.slice(0, 6) })
  const { routeID } = await addListed(waymark, owner, body)
  const near = async () => (await pageOf(waymark, { nearTrail: 77 })).items.map((item) => item.routeID)
  await compareWithTrails(waymark)
  assert.deepEqual(await near(), [routeID])
  await addZone(waymark, owner, { ...home, radius: 100 })
  await soon(async () => (await listed(routeID)) !== undefined, 'it is clipped')
  assert.deepEqual(await near(), [], 'what was found of the whole line is forgotten with it')
  await compareWithTrails(waymark)
  assert.deepEqual(await near(), [])
})

// PATCH and DELETE /v2/routes/{routeID}, duplicates, and the event of a change.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startWaymark } from '../helpers/waymark.ts'
import {
  addRoute,
  changeRoute,
  gpxOf,
  jsonOf,
  northward,
  patch,
  post,
  setOf,
  type RouteDocument,
} from './v2-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson({ name: 'Ana' })
const { token } = ana

void describe('PATCH /v2/routes/{routeID}', () => {
  void it('changes the given fields and leaves the rest, byte for byte', async () => {
    const gpx = `\ufeff${gpxOf([northward(45, 7, 5)])}\r\n`
    const made = await addRoute(waymark, ana, { name: 'before', description: 'd', length: 3, gpx })
    waymark.system.advance(5_000)
    const { updatedAt, ...named } = await changeRoute(waymark, ana, { id: made.routeID, name: 'after' })
    const { updatedAt: madeAt, ...earlier } = made
    assert.deepEqual(named, { ...earlier, name: 'after' })
    assert.equal(Date.parse(updatedAt ?? '') - Date.parse(madeAt ?? ''), 5_000)
    const whole = await jsonOf<RouteDocument>(await waymark.fetch(`/v2/routes/${made.routeID}`, { token }))
    assert.equal(whole.gpx, gpx)

    const silent = await changeRoute(waymark, ana, { id: made.routeID })
    assert.equal(silent.updatedAt, updatedAt)
    const computed = await changeRoute(waymark, ana, { id: made.routeID, length: null })
    assert.equal(computed.isLengthStated, false)
    assert.equal(computed.length, computed.measuredLengthMiles)
    await changeRoute(waymark, ana, { id: made.routeID, length: 4 })
    assert.equal((await changeRoute(waymark, ana, { id: made.routeID, length: 0 })).isLengthStated, false)
    const emptied = await changeRoute(waymark, ana, { id: made.routeID, gpx: '', description: '' })
    assert.deepEqual(
      [emptied.pointCount, emptied.length, emptied.description, emptied.start, emptied.name],
      [0, 0, '', null, 'after'],
    )
  })

  void it('C39: If-Match with an ETag of any response to the owner lets one of two changes through', async () => {
    const { routeID } = await addRoute(waymark, ana, { name: '0', gpx: gpxOf([northward(45, 7, 3)]) })
    const path = `/v2/routes/${routeID}`
    for (const suffix of ['', '.gpx', '.geojson']) {
      const etag = (await waymark.fetch(path + suffix, { token })).headers.get('etag') ?? ''
      const change = (name: string) =>
        patch(waymark, path, { token, body: { name: name + suffix }, headers: { 'if-match': etag } })
      const statuses = (await Promise.all([change('1'), change('2')])).map(({ status }) => status)
      assert.deepEqual(new Set(statuses), new Set([200, 412]), suffix)
      const answer = await change('3')
      assert.equal(answer.status, 412)
    }
    const changed = await patch(waymark, path, { token, body: { name: 'x' } })
    const again = { token, body: { name: 'y' }, headers: { 'if-match': changed.headers.get('etag') ?? '' } }
    assert.equal((await patch(waymark, path, again)).status, 200)
    const deletion = { method: 'DELETE', token, headers: { 'if-match': again.headers['if-match'] } }
    assert.equal((await waymark.fetch(path, deletion)).status, 412)
    assert.equal((await waymark.fetch(path, { method: 'DELETE', token })).status, 204)
    assert.equal((await waymark.fetch(path, { method: 'DELETE', token })).status, 404)
    assert.equal((await waymark.fetch(path, { token })).status, 404)
  })

  void it('C18: a POST repeated after its route was deleted creates no second one', async () => {
    const sent = { token, body: { name: 'gone' }, headers: { 'idempotency-key': 'deleted' } }
    const { routeID } = await jsonOf<RouteDocument>(await post(waymark, setOf(ana), sent))
    await waymark.fetch(`/v2/routes/${routeID}`, { method: 'DELETE', token })
    assert.ok((await post(waymark, setOf(ana), sent)).status < 500)
    const { items } = await jsonOf<{ items: RouteDocument[] }>(
      await waymark.fetch(`${setOf(ana)}?q=gone`, { token }),
    )
    assert.deepEqual(items, [])
  })
})

void describe('duplicates', () => {
  void it('reports routes with exactly the same points, in any segments, and refuses none', async () => {
    const points = northward(12, 34, 6)
    const first = await addRoute(waymark, ana, { gpx: gpxOf([points]) })
    const second = await addRoute(waymark, ana, { gpx: gpxOf([points.slice(0, 3), points.slice(3)]) })
    const other = await addRoute(waymark, ana, { gpx: gpxOf([points.slice(1)]) })
    assert.deepEqual(second.duplicates, [first.routeID])
    assert.deepEqual(other.duplicates, [])
    const whole = await jsonOf<RouteDocument>(await waymark.fetch(`/v2/routes/${first.routeID}`, { token }))
    assert.deepEqual(whole.duplicates, [second.routeID])
    const bob = await waymark.addPerson()
    assert.deepEqual((await addRoute(waymark, bob, { gpx: gpxOf([points]) })).duplicates, [])
  })
})

void it('the outbox tells the owner that a route changed, without its location', async () => {
  const cy = await waymark.addPerson()
  const { routeID } = await addRoute(waymark, cy, {
    name: 'Secret name',
    gpx: gpxOf([northward(48.1, 11.5, 3)]),
  })
  await changeRoute(waymark, cy, { id: routeID, visibility: 'public' })
  await waymark.fetch(`/v2/routes/${routeID}`, { method: 'DELETE', token: cy.token })
  const rows = await waymark.installation.database.db
    .selectFrom('outbox')
    .select(['type', 'image_id', 'data', 'account_id'])
    .where('account_id', '=', cy.accountId)
    .orderBy('position')
    .execute()
  const data = JSON.stringify({ routeID, acctID: cy.accountId })
  const of = (type: string) => ({ type, image_id: null, data, account_id: cy.accountId })
  const expected = ['route.created', 'route.updated', 'route.deleted'].map(of)
  assert.deepEqual(JSON.parse(JSON.stringify(rows)), JSON.parse(JSON.stringify(expected)))
})

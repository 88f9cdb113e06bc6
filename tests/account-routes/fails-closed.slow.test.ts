// A privacy zone takes effect as soon as it is acknowledged, whatever happens concurrently (trust: fails closed).
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { sql } from 'kysely'
import { unpackLines } from '../../src/account-routes/public-view/line-blob.ts'
import { parentOfFolders } from '../helpers/folders.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import {
  addRoute,
  addZone,
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
const stranger = await waymark.addPerson()
const home = { lat: 45, lon: 7.5, radius: 100 }
const gpx = gpxOf([northward(home.lat, home.lon, 40, 0.0005)])
const whole = 40

async function pointsShown(on: Waymark, id: number): Promise<number> {
  const answer = await on.fetch(`/v2/routes/${id}`)
  assert.equal(answer.status, 200)
  const { pointCount, bbox, gpx: text = '' } = await jsonOf<RouteDocument>(answer)
  assert.equal(
    text.split('<trkpt').length - 1,
    pointCount,
    'the figures and the line are of the same clipping',
  )
  if (pointCount < whole) assert.ok((bbox?.[1] ?? 90) > home.lat + 0.0009)
  return pointCount
}

async function listed(owner: Person): Promise<readonly RouteDocument[]> {
  const answer = await waymark.fetch(`${setOf(owner)}?limit=500`, { token: stranger.token })
  assert.equal(answer.status, 200)
  return (await jsonOf<{ items: RouteDocument[] }>(answer)).items
}

async function until(what: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000
  while (!(await what())) {
    assert.ok(Date.now() < end, 'in time')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Stored public views that count as current, as numbers of points. */
async function currentRows(owner: Person): Promise<number[]> {
  const rows = await waymark.installation.database.db
    .selectFrom('route_shown')
    .innerJoin('route', 'route.id', 'route_shown.route_id')
    .innerJoin('zone_set', 'zone_set.account_id', 'route.account_id')
    .select('route_shown.lines')
    .where('route.account_id', '=', owner.accountId)
    .whereRef('route_shown.line_revision', '=', 'route.line_revision')
    .where(sql<boolean>`route_shown.zones_revision = -zone_set.revision`)
    .execute()
  const lines = await Promise.all(rows.map((row) => unpackLines(row.lines)))
  return lines.map((of) => of.reduce((sum, { first, end }) => sum + end - first, 0))
}

void describe('the zone of an owner with 30 public routes', () => {
  void it('applies to the very next response, in list and documents, while others read; and ends when it is removed', async () => {
    const owner = await waymark.addPerson()
    const routes: RouteDocument[] = []
    for (let index = 0; index < 30; index += 1)
      routes.push(await addRoute(waymark, owner, { gpx, length: 50, visibility: 'public' }))
    assert.equal((await listed(owner)).filter(({ pointCount }) => pointCount === whole).length >= 20, true)
    await until(async () => (await listed(owner)).length === 30)

    const now = { isInForce: false, isOver: false }
    const seen = { before: 0, after: 0 }
    const readers = [0, 1].map(async (reader) => {
      for (let turn = reader; !now.isOver; turn += 1) {
        const wasInForce = now.isInForce
        const { routeID } = routes[turn % 30] ?? { routeID: 0 }
        const counts =
          turn % 3 === 0
            ? (await listed(owner)).map(({ pointCount }) => pointCount)
            : [await pointsShown(waymark, routeID)]
        if (wasInForce)
          assert.ok(
            counts.every((count) => count < whole),
            String(counts),
          )
        seen[wasInForce ? 'after' : 'before'] += counts.length
      }
    })
    await until(async () => seen.before > 10)
    const zoneId = await addZone(waymark, owner, home)
    now.isInForce = true
    const firstList = await listed(owner)
    assert.ok(firstList.length >= 20, 'what is stale is derived for the list, as far as it may take')
    assert.ok(firstList.every(({ pointCount, length }) => pointCount < whole && length < 2))
    for (const { routeID } of routes) assert.ok((await pointsShown(waymark, routeID)) < whole)
    await until(async () => (await listed(owner)).length === 30)
    now.isOver = true
    await Promise.all(readers)
    assert.ok(seen.after > 30)

    const gone = await waymark.fetch(`/v2/me/zones/${zoneId}`, { method: 'DELETE', token: owner.token })
    assert.equal(gone.status, 204)
    for (const { routeID } of routes.slice(0, 3)) assert.equal(await pointsShown(waymark, routeID), whole)
    await until(async () => (await listed(owner)).length === 30)
    assert.ok((await listed(owner)).every(({ pointCount, length }) => pointCount === whole && length === 50))
  })
})

void describe('at the same time', () => {
  void it('creating a zone and publishing a route at the same time never leaves a current row of the old zones', async () => {
    const owner = await waymark.addPerson()
    const { routeID } = await addRoute(waymark, owner, { gpx })
    const path = `/v2/routes/${routeID}`
    for (let round = 0; round < 30; round += 1) {
      const publishing = patch(waymark, path, {
        token: owner.token,
        body: round % 2 === 0 ? { visibility: 'public' } : { visibility: 'public', gpx },
      })
      const reading = publishing.then(() => Promise.all([1, 2].map(() => waymark.fetch(path))))
      const zone = addZone(waymark, owner, home)
      const zoneId = await zone
      const counts = await currentRows(owner)
      assert.ok(
        counts.every((count) => count < whole),
        `round ${round}: ${counts.join()}`,
      )
      assert.equal((await publishing).status, 200)
      await reading
      assert.ok((await pointsShown(waymark, routeID)) < whole, `round ${round}`)
      assert.ok((await currentRows(owner)).every((count) => count < whole))
      await waymark.fetch(`/v2/me/zones/${zoneId}`, { method: 'DELETE', token: owner.token })
      await changeRoute(waymark, owner, { id: routeID, visibility: 'private' })
    }
  })

  void it('a zone created while a long route is being clipped without it leaves no current row without it', async () => {
    const owner = await waymark.addPerson()
    const count = 6_000
    const long = gpxOf([northward(home.lat, home.lon, count, 0.00005)])
    const { routeID } = await addRoute(waymark, owner, { gpx: long, visibility: 'public' })
    const path = `/v2/routes/${routeID}`
    for (let round = 0; round < 3; round += 1) {
      // A new length invalidates the public view without parsing.
      await changeRoute(waymark, owner, { id: routeID, length: round + 1 })
      const reading = waymark.fetch(path, { method: 'HEAD' })
      const zoneId = await addZone(waymark, owner, home)
      assert.equal((await reading).status, 200)
      const counts = await currentRows(owner)
      assert.ok(
        counts.every((shown) => shown < count),
        `round ${round}`,
      )
      await waymark.fetch(`/v2/me/zones/${zoneId}`, { method: 'DELETE', token: owner.token })
    }
  })

  void it('deleting a route or making it private leaves its readers with a response and nothing stored', async () => {
    const owner = await waymark.addPerson()
    for (let round = 0; round < 8; round += 1) {
      const { routeID } = await addRoute(waymark, owner, { gpx, visibility: 'public' })
      const path = `/v2/routes/${routeID}`
      const read = () => waymark.fetch(path).then(({ status }) => status)
      const reads = [read(), read()]
      const change =
        round % 2 === 0
          ? waymark.fetch(path, { method: 'DELETE', token: owner.token })
          : patch(waymark, path, { token: owner.token, body: { visibility: 'private' } })
      const statuses = await Promise.all([...reads, read(), listed(owner).then(() => 200)])
      assert.ok((await change).ok)
      for (const status of statuses) assert.ok([200, 401, 404].includes(status), `${status}`)
      const kept = await waymark.installation.database.db
        .selectFrom('route_shown')
        .select('route_id')
        .where('route_id', '=', routeID)
        .execute()
      assert.deepEqual(kept, [])
    }
  })

  void it('a link is not revealed to clients that read while a public route is being closed', async () => {
    const owner = await waymark.addPerson()
    for (let round = 0; round < 8; round += 1) {
      const { routeID } = await addRoute(waymark, owner, { gpx, visibility: 'public' })
      const path = `/v2/routes/${routeID}`
      const read = async () => (await waymark.fetch(path)).text()
      const reads = [read(), read(), read()]
      const closed = patch(waymark, path, { token: owner.token, body: { visibility: 'link' } })
      const texts = await Promise.all([...reads, read(), read(), read()])
      const { link } = await jsonOf<RouteDocument>(await closed)
      const token = new URL(link ?? '').searchParams.get('token') ?? 'none'
      for (const text of texts) assert.equal(text.includes(token), false)
    }
  })
})

void it('a server that stops right after the response about the zone shows nothing hidden when it starts again', async () => {
  const dataDir = await mkdtemp(path.join(parentOfFolders(), 'waymark-zones-'))
  try {
    const first = await startWaymark({ dataDir })
    const owner = await first.addPerson()
    const routes: RouteDocument[] = []
    for (let index = 0; index < 5; index += 1)
      routes.push(await addRoute(first, owner, { gpx, visibility: 'public' }))
    assert.equal(await pointsShown(first, routes[0]?.routeID ?? 0), whole)
    const answer = await post(first, '/v2/me/zones', { token: owner.token, body: home })
    assert.equal(answer.status, 201)
    await first.close()

    const second = await startWaymark({ dataDir })
    try {
      for (const { routeID } of routes) assert.ok((await pointsShown(second, routeID)) < whole)
    } finally {
      await second.close()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

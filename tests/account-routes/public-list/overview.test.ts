// GET /v2/routes/{routeID}/overview: the public view and no more, small enough for a page.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { addRoute, addZone, gpxOf, jsonOf, northward, type RouteDocument } from '../v2-helpers.ts'
import { metresBetween } from '../zones/zone-cases.ts'

const waymark = await startWaymark()
after(() => waymark.close())

interface Overview extends RouteDocument {
  readonly line: readonly (readonly (readonly [number, number])[])[]
  readonly profile: readonly { readonly miles: number; readonly elevation: number }[]
}

const overviewOf = async (id: number, query = '', token?: string): Promise<Overview> => {
  const answer = await waymark.fetch(
    `/v2/routes/${id}/overview${query}`,
    token === undefined ? {} : { token },
  )
  assert.equal(answer.status, 200, await answer.clone().text())
  return jsonOf<Overview>(answer)
}

void test('it is the public view, the same for everyone, with a drawing clipped by zones', async () => {
  const owner = await waymark.addPerson()
  const home = { lat: 45, lon: 7.5 }
  await addZone(waymark, owner, { ...home, radius: 100 })
  const gpx = gpxOf([northward(home.lat, home.lon, 2_000, 0.0001)])
  const { routeID } = await addRoute(waymark, owner, { name: 'Walk', gpx, visibility: 'public', length: 99 })
  const overview = await overviewOf(routeID)
  assert.deepEqual(await overviewOf(routeID, '', owner.token), overview, 'to its owner, too')
  const { line, profile, ...summary } = overview
  const { gpx: _, ...shown } = await jsonOf<RouteDocument>(await waymark.fetch(`/v2/routes/${routeID}`))
  assert.deepEqual(summary, shown)
  assert.ok(summary.length < 99)
  assert.ok(line.flat().length > 1 && line.flat().length <= 300)
  for (const [lon, lat] of line.flat()) assert.ok(metresBetween({ lat, lon }, home) > 100)
  assert.ok(profile.length > 100 && profile.length <= 300)
  assert.equal(profile[0]?.miles, 0, 'from where the shown part begins')
  assert.ok((profile.at(-1)?.miles ?? 0) <= (summary.measuredLengthMiles ?? 0) + 1e-6)
})

void test('a route of visibility link needs its token, and a private one returns not found', async () => {
  const owner = await waymark.addPerson()
  const gpx = gpxOf([northward(50, 8, 20)])
  const linked = await addRoute(waymark, owner, { gpx, visibility: 'link' })
  const { search } = new URL(linked.link ?? '')
  assert.equal((await overviewOf(linked.routeID, search)).routeID, linked.routeID)
  const bare = await waymark.fetch(`/v2/routes/${linked.routeID}/overview`)
  await assertProblem(bare, 'credential-required')
  const own = await addRoute(waymark, owner, { gpx })
  const asked = await waymark.fetch(`/v2/routes/${own.routeID}/overview`, { token: owner.token })
  await assertProblem(asked, 'invalid-route-id')
  const none = await addRoute(waymark, owner, { visibility: 'public' })
  const { line, profile } = await overviewOf(none.routeID)
  assert.deepEqual([line, profile], [[], []])
})

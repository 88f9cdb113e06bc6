// A refusal that comes after the headers of a body were set has none of them: a client would decode, store or cache it.
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { addRoute, gpxOf, northward } from '../account-routes/v2-helpers.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson({ role: 'admin' })

function assertOfNoBody({ headers }: Response): void {
  for (const name of ['content-encoding', 'content-disposition', 'etag'])
    assert.equal(headers.get(name), null, name)
}

void it('C37: a route whose stored lines are damaged is refused as plain text, whatever the client accepts', async () => {
  const route = { name: 'Rim', gpx: gpxOf([northward(50, 9, 300)]), visibility: 'public' }
  const { routeID } = await addRoute(waymark, ana, route)
  const forms = [`/v2/routes/${routeID}`, `/v2/routes/${routeID}.gpx`, `/v2/routes/${routeID}.geojson`]
  const headers = { 'accept-encoding': 'gzip' }
  const [first = '', ...others] = forms
  const whole = await send(waymark.url, { method: 'GET', path: first, headers })
  assert.deepEqual([whole.status, whole.headers.get('content-encoding')], [200, 'gzip'])
  await whole.arrayBuffer()
  await waymark.installation.database.db
    .updateTable('route_shown')
    .set({ lines: Buffer.from('28b52ffd00', 'hex') })
    .where('route_id', '=', routeID)
    .execute()
  for (const path of others) {
    const refused = await send(waymark.url, { method: 'GET', path, headers })
    assertOfNoBody(refused)
    await assertProblem(refused, 'storage-unavailable', path)
  }
})

void it('C37: a range beyond the end of a download is no download', async () => {
  const headers = { authorization: `Bearer ${ana.token}`, range: 'bytes=100000000-' }
  const beyond = await send(waymark.url, { method: 'GET', path: '/v2/trails.geojson', headers })
  assertOfNoBody(beyond)
  await assertProblem(beyond, 'range-not-satisfiable')
})

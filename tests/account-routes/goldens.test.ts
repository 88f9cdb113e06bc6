// Responses of the classic route endpoints as bytes, compared with files written by hand from the contract (A3, A6, A8,
// C7, C8).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createGoldens } from '../helpers/golden.ts'
import { startWaymark, type Person } from '../helpers/waymark.ts'
import type { WireRequest } from '../helpers/wire.ts'
import { createRouteClient } from './route-client.ts'

let lastId = 5_207_716_358_243_100
const newId = (): number => {
  lastId += 1
  return lastId
}
const waymark = await startWaymark({ newId })
const other = await startWaymark({ newId, environment: { ROUTE_DATE: 'full', EMPTY_ROUTES: '200' } })
after(() => Promise.all([waymark.close(), other.close()]))

const folder = new URL('golden/', import.meta.url)
let asked = waymark
const { check, assertAllChecked } = createGoldens(folder, () => asked.url)

const json = { accept: 'application/json' }
const xml = { accept: 'application/xml' }
const bearer = ({ token }: Person) => ({ authorization: `Bearer ${token}` })
const allOfRoutes = 'routes:read routes:write'

async function checkBoth(name: string, request: WireRequest): Promise<void> {
  await check(`${name}.json.http`, { ...request, headers: { ...request.headers, ...json } })
  await check(`${name}.xml.http`, { ...request, headers: { ...request.headers, ...xml } })
}

const ada = await waymark.addPerson({ id: 3_141_592_653_589_793, name: 'Ada Ødegård' })
const set = '/v1.6/Accounts/3141592653589793/Routes'
const rim = {
  description: 'Line 1\r\nhttps://example.org/ 🏔',
  gpx: '<?xml version="1.0" encoding="UTF-8"?>\r\n<gpx version="1.1" creator=\'Hand "held"\' xmlns="http://www.topografix.com/GPX/1/1">\n\t<trk><name>Süd &amp; Nord</name><trkseg><trkpt lat="0" lon="7.50"/></trkseg></trk>\n</gpx>\n',
  name: 'Brücke a/b & <i>"süd"</i>',
}
const rimId = await createRouteClient(waymark, ada).make(
  `[${JSON.stringify({ length: 0, ...rim }).replace('"length":0', '"length":12.50')}]`,
)

// Half a day and a minute later, when all tokens have expired.
waymark.system.advance(12 * 3_600_000 + 61_500)
const owner = { ...ada, token: await waymark.tokenFor(ada.accountId, allOfRoutes) }
const { make, write } = createRouteClient(waymark, owner)
await make({ description: ' ', gpx: '', length: 0, name: ' ' })
const empty = await waymark.addPerson({ id: 42, name: 'Nobody' })
const reader = { ...ada, token: await waymark.tokenFor(ada.accountId, 'routes:read') }
const item = `${set}/${rimId}`

void test('A3 A6 C7 C8 C10 C11 C12: the set of two routes, and one route, in JSON and XML', async () => {
  await checkBoth('list', { path: `${set}/`, headers: bearer(owner) })
  await checkBoth('route', { path: item, headers: bearer(owner) })
})

void test('A6 C17: POST of an array of one returns 201, Location and the bare ID', async () => {
  const post = {
    method: 'POST',
    path: set,
    headers: { ...bearer(owner), 'content-type': 'application/json' },
    body: '[{"description":"","gpx":"","length":1,"name":"one"}]',
  }
  await checkBoth('post', post)
})

void test('A6 C2 C32: PUT on the item and on the set returns true', async () => {
  const put = { method: 'PUT', headers: { ...bearer(owner), 'content-type': 'application/json' } }
  await checkBoth('put', { ...put, path: item, body: '{"name":"Rim"}' })
  await checkBoth('put', { ...put, path: set, body: `[{"routeID":${rimId},"name":"Rim"}]` })
})

void test('A6: DELETE returns true', async () => {
  const doomed = async () => `${set}/${await make({ name: 'doomed' })}`
  const request = async (accept: Record<string, string>) => ({
    method: 'DELETE',
    path: await doomed(),
    headers: { ...bearer(owner), ...accept },
  })
  await check('delete.json.http', await request(json))
  await check('delete.xml.http', await request(xml))
})

void test('A8 C30 C32 C33 C35 C37: refusals, as problem documents in both formats', async () => {
  const writing = {
    method: 'POST',
    path: set,
    headers: { ...bearer(owner), 'content-type': 'application/json' },
  }
  const writingXml = { ...writing, headers: { ...writing.headers, 'content-type': 'application/xml' } }
  const cases: Readonly<Record<string, WireRequest>> = {
    'no-routes': { path: '/Accounts/42/Routes', headers: bearer(empty) },
    'invalid-account-id': { path: '/Accounts/43/Routes', headers: bearer(owner) },
    'invalid-route-id': { path: `${set}/5`, headers: bearer(owner) },
    'forbidden-wrong-token': { path: set, headers: { authorization: 'Bearer wrong' } },
    'forbidden-other-account': { path: item, headers: bearer(empty) },
    'credential-required': { path: item },
    'expired-token': { path: item, headers: bearer(ada) },
    'insufficient-scope': { method: 'DELETE', path: item, headers: bearer(reader) },
    'method-not-allowed': { method: 'DELETE', path: set, headers: bearer(owner) },
    'gpx-refused': {
      ...writing,
      body: JSON.stringify([{ gpx: '<gpx>\n<wpt lat="1" lon="1"/>\n<wpt lat="91" lon="1"/></gpx>' }]),
    },
    'two-routes': { ...writing, body: '[{"name":"one"},{"name":"two"}]' },
    'no-route': { ...writing, body: '[]' },
    'malformed-json': { ...writing, body: '[{"name":\n  "a/b" "&"}]' },
    'malformed-xml': {
      ...writingXml,
      body: '<ArrayOfRoute>\n<Route><name>a & b</name></Route></ArrayOfRoute>',
    },
  }
  for (const [name, request] of Object.entries(cases)) await checkBoth(name, request)
  const unchanged = await write('PUT', item, JSON.stringify(rim))
  assert.equal(await unchanged.text(), 'true')
})

void test('C10 C35: ROUTE_DATE=full writes the full timestamp, EMPTY_ROUTES=200 an empty list', async () => {
  asked = other
  const person = await other.addPerson({ id: 42, name: 'Ada' })
  const path = '/V1/accounts/42/routes'
  await checkBoth('empty-set', { path, headers: bearer(person) })
  lastId = 5_207_716_358_243_900
  await createRouteClient(other, person).make({ name: 'a', length: 3 })
  await checkBoth('list-full-date', { path, headers: bearer(person) })
})

void test('every golden file is compared with a response', () => {
  assertAllChecked()
})

// Account and route ids in a path, and which of several faults is reported first (contract A8, C4, C31).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { RefusalCode } from '../../src/errors.ts'
import { assertProblem } from '../helpers/problems.ts'
import { reachingNodes } from '../helpers/test-nodes.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send, type WireRequest } from '../helpers/wire.ts'
import { createRouteClient } from './route-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson({ id: 41 })
const bea = await waymark.addPerson({ id: 42 })
const client = createRouteClient(waymark, ana)
const routeId = await client.make({ name: 'Rim' })

const set = '/Accounts/41/Routes'
const item = `${set}/${routeId}`
const body = JSON.stringify({ routeID: routeId, name: 'Changed' })
const json = { 'content-type': 'application/json' }

const endpoints: readonly WireRequest[] = [
  { path: set },
  { method: 'HEAD', path: set },
  { method: 'POST', path: set, headers: json, body: '[{"name":"new"}]' },
  { method: 'PUT', path: set, headers: json, body },
  { path: item },
  { method: 'PUT', path: item, headers: json, body },
  { method: 'DELETE', path: item },
]
const nameOf = ({ method = 'GET', path }: WireRequest): string => `${method} ${path}`

type Headers = Readonly<Record<string, string>>
const ask = (request: WireRequest, headers: Headers = {}): Promise<Response> =>
  send(waymark.url, { ...request, headers: { ...request.headers, ...headers } })
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

/** The stored routes and their events. */
async function stored(): Promise<unknown> {
  const { db } = waymark.installation.database
  const routes = await db.selectFrom('route').selectAll().orderBy('id').execute()
  return { routes, outbox: (await db.selectFrom('outbox').selectAll().execute()).length }
}

void test('A8 C4: an account that does not exist is 404 Invalid Account ID, for any valid token', async () => {
  const wrong = ['77', '0', '-1', 'x', '041', '9'.repeat(20), '4%31', '41%20', '%', '..', '+41']
  for (const asked of reachingNodes(wrong)) {
    for (const endpoint of endpoints) {
      const path = endpoint.path.replace('/41/', `/${asked}/`)
      const answer = await ask({ ...endpoint, path }, bearer(ana.token))
      if (endpoint.method === 'HEAD') assert.equal(answer.status, 404, `${nameOf(endpoint)} ${path}`)
      else await assertProblem(answer, 'invalid-account-id', `${nameOf(endpoint)} ${path}`)
      assert.equal((await ask({ ...endpoint, path })).status, 401)
      assert.equal((await ask({ ...endpoint, path }, bearer('wrong'))).status, 403)
    }
  }
})

void test('C4: a route that the account does not have is 404 Invalid Route ID', async () => {
  const before = await stored()
  const ids = ['77', '0', '-1', 'x', `0${routeId}`, '9'.repeat(20), '%', `${routeId}%20`, '1.5', '1e3', '..']
  for (const asked of reachingNodes(ids)) {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      for (const sent of method === 'PUT' ? ['{}', '{"name":"x"}', '{"gpx":""}'] : [undefined]) {
        const put = sent === undefined ? {} : { headers: json, body: sent }
        const answer = await ask({ method, path: `${set}/${asked}`, ...put }, bearer(ana.token))
        await assertProblem(answer, 'invalid-route-id', `${method} ${asked} ${sent}`)
      }
    }
  }
  assert.deepEqual(await stored(), before)
})

void test("C4: a new name for another account's route changes nothing, on the item and on the set", async () => {
  const hers = await createRouteClient(waymark, bea).make({ name: 'Hers' })
  const before = await stored()
  for (const path of [`${set}/${hers}`, set]) {
    const sent = JSON.stringify({ routeID: hers, name: 'x' })
    const answer = await ask({ method: 'PUT', path, headers: json, body: sent }, bearer(ana.token))
    await assertProblem(answer, 'invalid-route-id', path)
  }
  assert.deepEqual(await stored(), before)
  const removed = await ask({ method: 'DELETE', path: `/Accounts/42/Routes/${hers}` }, bearer(bea.token))
  assert.equal(removed.status, 200)
})

void test('C31: of several faults, the first in the order of checks is reported', async () => {
  const reader = await waymark.tokenFor(ana.accountId, 'routes:read')
  const writer = bearer(ana.token)
  const bad = { accept: 'image/png', 'content-type': 'text/plain', 'if-match': '"x"' }
  const broken = { method: 'PUT', body: '[', headers: json }
  const missing = `${set}/77`
  const named = { method: 'PUT', body: '{"name":"x"}', headers: json }
  const misnamed = { ...named, body: '{"name":"x","routeID":77}' }
  const long = { ...named, body: JSON.stringify({ description: 'x'.repeat(20_000) }) }
  const nobody = '/Accounts/77/Routes'
  const cases: readonly (readonly [expected: RefusalCode, request: WireRequest, headers: Headers])[] = [
    ['not-found', { ...broken, path: '/v9/Accounts/41/Routes' }, bad],
    ['method-not-allowed', { ...broken, method: 'PATCH', path: item }, { ...bad, ...bearer('wrong') }],
    ['credential-required', { ...broken, path: `${nobody}/1` }, bad],
    ['forbidden', { ...broken, path: `${nobody}/1` }, { ...bad, ...bearer('wrong') }],
    ['invalid-account-id', { ...broken, path: `${nobody}/1` }, { ...bad, ...bearer(reader) }],
    ['insufficient-scope', { ...broken, path: missing }, { ...bad, ...bearer(reader) }],
    ['forbidden', { ...broken, path: missing }, { ...bad, ...bearer(bea.token) }],
    ['invalid-route-id', { ...broken, path: missing }, { ...bad, ...writer }],
    ['not-acceptable', { ...broken, path: item }, { ...bad, ...writer }],
    ['unsupported-media-type', { ...broken, path: item }, { ...bad, ...writer, accept: '*/*' }],
    ['precondition-failed', { ...broken, path: item }, { ...bad, ...writer, accept: '*/*', ...json }],
    ['malformed-body', { ...broken, path: item }, writer],
    ['invalid-route-id', { ...named, path: missing }, { ...writer, accept: 'image/png', 'if-match': '"x"' }],
    ['not-acceptable', { ...named, path: item }, { ...writer, accept: 'image/png', 'if-match': '"x"' }],
    ['precondition-failed', { ...named, path: item }, { ...writer, 'if-match': '"x"' }],
    ['precondition-failed', { ...misnamed, path: item }, { ...writer, 'if-match': '"x"' }],
    ['invalid-field', { ...misnamed, path: item }, writer],
    ['precondition-failed', { ...long, path: item }, { ...writer, 'if-match': '"x"' }],
    ['invalid-route-id', { ...long, path: missing }, writer],
    ['precondition-failed', { ...named, path: set, body }, { ...writer, 'if-match': '"x"' }],
    ['not-acceptable', { ...broken, method: 'POST', path: set }, { ...bad, ...writer }],
    [
      'unsupported-media-type',
      { ...broken, method: 'POST', path: set },
      { ...writer, 'content-type': 'text/plain' },
    ],
    ['not-acceptable', { method: 'DELETE', path: item }, { ...bad, ...writer }],
    ['precondition-failed', { method: 'DELETE', path: item }, { ...writer, 'if-match': '"x"' }],
    ['not-acceptable', { path: item }, { ...writer, accept: 'image/png', 'if-none-match': '*' }],
    ['no-routes', { path: '/Accounts/42/Routes' }, { ...bearer(bea.token), accept: 'image/png' }],
  ]
  for (const [expected, request, headers] of cases) {
    await assertProblem(
      await ask(request, headers),
      expected,
      `${nameOf(request)} ${JSON.stringify(headers)}`,
    )
  }
  for (const { body: sent } of [named, long])
    assert.equal((await ask({ ...named, body: sent, path: item }, writer)).status, 200)
})

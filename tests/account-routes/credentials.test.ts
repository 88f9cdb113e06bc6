// Permissions on an account's routes, responses to bad credentials, and that nothing is revealed (C30, C31, C36).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { refusals, type RefusalCode } from '../../src/errors.ts'
import { assertProblem } from '../helpers/problems.ts'
import { reachingNodes } from '../helpers/test-nodes.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send, type WireRequest } from '../helpers/wire.ts'
import { createRouteClient, gpxOf } from './route-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const { db } = waymark.installation.database
const ana = await waymark.addPerson({ id: 41 })
const bea = await waymark.addPerson({ id: 42 })
const admin = await waymark.addPerson({ id: 43, role: 'admin' })
const key = await waymark.addKey(ana.accountId)
const client = createRouteClient(waymark, ana)
const routeId = await client.make({ name: 'Rim', gpx: gpxOf('45,7') })
const publicId = await client.make({ name: 'Public' })
const opened = await waymark.fetch(`/v2/routes/${publicId}`, {
  method: 'PATCH',
  token: ana.token,
  headers: { 'content-type': 'application/json' },
  body: '{"visibility":"public"}',
})
assert.equal(opened.status, 200, await opened.text())

const set = '/Accounts/41/Routes'
const item = `${set}/${routeId}`
const body = JSON.stringify({ routeID: routeId, name: 'Changed' })
const json = { 'content-type': 'application/json' }

/** Every endpoint with every method, as its owner may use it; the deletion comes last. */
const endpoints: readonly WireRequest[] = [
  { path: set },
  { method: 'HEAD', path: set },
  { method: 'POST', path: set, headers: json, body: '[{"name":"new"}]' },
  { method: 'PUT', path: set, headers: json, body },
  { path: item },
  { method: 'HEAD', path: item },
  { method: 'PUT', path: item, headers: json, body },
  { method: 'DELETE', path: item },
]
const nameOf = ({ method = 'GET', path }: WireRequest): string => `${method} ${path}`
const isWriting = ({ method = 'GET' }: WireRequest): boolean => !['GET', 'HEAD'].includes(method)

type Headers = Readonly<Record<string, string>>
const ask = (request: WireRequest, headers: Headers = {}): Promise<Response> =>
  send(waymark.url, { ...request, headers: { ...request.headers, ...headers } })
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

const metadata = 'resource_metadata="https://trails.example/.well-known/oauth-protected-resource"'

async function assertRefused(
  answer: Response,
  expected: { readonly code: RefusalCode; readonly challenge: string },
  message: string,
): Promise<void> {
  assert.equal(answer.headers.get('www-authenticate'), expected.challenge, message)
  assert.match(answer.headers.get('vary') ?? '', /\bAuthorization\b.*\bAccept\b/, message)
  assert.equal(answer.headers.get('etag'), null, message)
  if (answer.headers.get('content-length') === null || (await answer.clone().text()) === '') {
    assert.equal(answer.status, refusals[expected.code].status, message) // HEAD has no body
    return
  }
  await assertProblem(answer, expected.code, message)
}

/** Everything stored in the set. */
async function stored(): Promise<unknown> {
  const routes = await db.selectFrom('route').selectAll().orderBy('id').execute()
  const outbox = await db.selectFrom('outbox').selectAll().execute()
  return { routes, outbox: outbox.length }
}

async function revokedToken(): Promise<string> {
  const { clientId, clientSecret = '' } = await registerClient(db, {
    accountId: ana.accountId,
    name: 'revoked',
    scope: 'routes:read routes:write',
    now: waymark.system.now(),
    isPublic: false,
    redirectUris: [],
  })
  waymark.secrets.note('client secret', clientSecret)
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  const oauth = (path: string, form: Record<string, string>) =>
    waymark.fetch(path, {
      method: 'POST',
      headers: { authorization: basic },
      body: new URLSearchParams(form),
    })
  const issued = await oauth('/oauth/token', { grant_type: 'client_credentials' })
  const { access_token: token = '' } = (await issued.json()) as { access_token?: string }
  assert.equal((await ask({ path: set }, bearer(token))).status, 200)
  assert.equal((await oauth('/oauth/revoke', { token })).status, 200)
  return token
}

const forbidden = { code: 'forbidden', challenge: `Bearer error="invalid_token", ${metadata}` } as const
const required = { code: 'credential-required', challenge: `Bearer ${metadata}` } as const
const expired = { code: 'invalid-token', challenge: forbidden.challenge } as const
const foreign = { code: 'forbidden', challenge: 'Bearer error="invalid_token"' } as const
const lacking = (scope: string) =>
  ({ code: 'insufficient-scope', challenge: `Bearer error="insufficient_scope", scope="${scope}"` }) as const

void test('C30: no credential or only an API key is 401; wrong, malformed or revoked is 403 Forbidden, on every endpoint', async () => {
  const revoked = await revokedToken()
  const before = await stored()
  const none: readonly Headers[] = [{}, { 'x-api-key': key }, { cookie: `session=${ana.token}` }]
  const wrong: readonly Headers[] = [
    ...['wrong', 'null', `${ana.token}x`, ana.token.slice(0, -1), ana.token.toUpperCase(), revoked, key].map(
      bearer,
    ),
    ...['x'.repeat(4_000), "' or 1=1--", '=', '%00', '{"x":1}'].map(bearer),
    ...[
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${ana.token} ${ana.token}`,
      `Bearer ${ana.token},${ana.token}`,
      `Bearer\t${ana.token}`,
      `Bearer "${ana.token}"`,
      ana.token,
      `Token ${ana.token}`,
      `Basic ${Buffer.from(`ana:${ana.token}`).toString('base64')}`,
      `OAuth ${ana.token}`,
      'Digest username="ana"',
    ].map((authorization) => ({ authorization })),
    { ...bearer('wrong'), 'x-api-key': key },
  ]
  for (const endpoint of endpoints) {
    for (const headers of none) {
      await assertRefused(
        await ask(endpoint, headers),
        required,
        `${nameOf(endpoint)} ${JSON.stringify(headers)}`,
      )
    }
    const byQuery = { ...endpoint, path: `${endpoint.path}?api_key=${key}&access_token=${ana.token}` }
    await assertRefused(await ask(byQuery), required, `${nameOf(endpoint)} by query`)
    for (const headers of wrong) {
      await assertRefused(
        await ask(endpoint, headers),
        forbidden,
        `${nameOf(endpoint)} ${JSON.stringify(headers)}`,
      )
    }
  }
  assert.deepEqual(await stored(), before)
})

void test('C30: Bearer may be in any case, with any number of spaces', async () => {
  for (const authorization of [`bearer ${ana.token}`, `BEARER   ${ana.token}`]) {
    assert.equal((await ask({ path: item }, { authorization })).status, 200)
  }
})

void test('C29 C30: a token without the scope gets 403 that names the missing scope', async () => {
  const before = await stored()
  const tokens = {
    'images:read images:write': ['routes:read', 'routes:write'],
    'routes:read': [undefined, 'routes:write'],
    'routes:write': ['routes:read', undefined],
  } as const
  for (const [scope, [forReading, forWriting]] of Object.entries(tokens)) {
    const headers = bearer(await waymark.tokenFor(ana.accountId, scope))
    for (const endpoint of endpoints) {
      const missing = isWriting(endpoint) ? forWriting : forReading
      if (missing === undefined) continue
      await assertRefused(await ask(endpoint, headers), lacking(missing), `${nameOf(endpoint)} ${scope}`)
    }
  }
  assert.deepEqual(await stored(), before)
})

void test("C30 C36: a token of another account, even an admin's, gets 403 Forbidden, and nothing reveals which routes exist", async () => {
  const before = await stored()
  const many = { ...json, 'if-match': '"x"', 'if-none-match': '*', 'idempotency-key': 'k' }
  for (const person of [bea, admin]) {
    for (const endpoint of endpoints) {
      await assertRefused(await ask(endpoint, bearer(person.token)), foreign, nameOf(endpoint))
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      for (const extra of [{}, { ...many, accept: 'application/xml' }, { accept: 'image/png' }]) {
        const seen = new Set<string>()
        for (const id of reachingNodes([routeId, publicId, 77, 'x', '-1', '9'.repeat(30), '0', '%00'])) {
          const sent = method === 'PUT' ? { body, headers: { ...json, ...extra } } : { headers: extra }
          const answer = await ask({ method, path: `${set}/${id}`, ...sent }, bearer(person.token))
          const headers = [...answer.headers].filter(
            ([name]) => !/^(date|ratelimit.*|x-request-id)$/.test(name),
          )
          const text = (await answer.text()).replace(/urn:waymark:request:[\w-]+/, '')
          seen.add(JSON.stringify([answer.status, headers, text]))
        }
        assert.equal(seen.size, 1, `${method} ${[...seen].join('\n')}`)
      }
    }
  }
  assert.deepEqual(await stored(), before)
})

void test('C30: a suspended account gets 403 Forbidden at once', async () => {
  const sam = await waymark.addPerson()
  const sams = createRouteClient(waymark, sam)
  const id = await sams.make({ name: 'x' })
  const suspend = (at: number | null) =>
    db.updateTable('account').set({ suspended_at: at }).where('id', '=', sam.accountId).execute()
  await suspend(waymark.system.now())
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace('/41/', `/${sam.accountId}/`).replace(String(routeId), String(id))
    await assertRefused(await ask({ ...endpoint, path }, bearer(sam.token)), forbidden, nameOf(endpoint))
  }
  await suspend(null)
  assert.equal((await sams.read(id)).route.name, 'x')
})

void test('C36: a route that was made public in v2 stays private here', async () => {
  await assertRefused(await ask({ path: `${set}/${publicId}` }, bearer(bea.token)), foreign, 'public')
  await assertRefused(await ask({ path: `${set}/${publicId}` }), required, 'public')
})

void test('C30: an expired token gets 401, so that OAuth libraries refresh, and still does an hour later', async () => {
  const before = await stored()
  for (const milliseconds of [15 * 60_000 + 1, 3_600_000]) {
    waymark.system.advance(milliseconds)
    for (const endpoint of endpoints) {
      await assertRefused(await ask(endpoint, bearer(ana.token)), expired, nameOf(endpoint))
    }
  }
  assert.deepEqual(await stored(), before)
})

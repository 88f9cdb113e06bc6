// Credentials and their permissions, and which of several faults is reported first (contract C28–C31).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApiKeys } from '../../src/auth/api-keys.ts'
import type { RefusalCode } from '../../src/errors.ts'
import { loggerTo } from '../../src/http/server.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { send, type WireRequest } from '../helpers/wire.ts'

const log: string[] = []
const waymark = await startWaymark({ logger: loggerTo({ write: (line) => void log.push(line) }, 'trace') })
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const stan = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)
const photo = await jpegPicture({ width: 12, height: 9 })
const imageId = await waymark.upload(ana, 4711, photo)
const pendingId = await waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9, seed: 1 }))
assert.equal((await waymark.review(rob, imageId, 'approve')).status, 200)

const set = '/Trails/4711/Images'
const image = `${set}/${imageId}`
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const ask = (path: string, headers: Record<string, string | string[]> = {}, method = 'GET') =>
  send(waymark.url, { path, headers, method })

const metadata = 'resource_metadata="https://trails.example/.well-known/oauth-protected-resource"'
const challenges = {
  'credential-required': `Bearer ${metadata}`,
  'invalid-api-key': `Bearer ${metadata}`,
  'invalid-token': `Bearer error="invalid_token", ${metadata}`,
} as const

async function assert401(answer: Response, code: keyof typeof challenges, message: string): Promise<string> {
  assert.equal(answer.headers.get('www-authenticate'), challenges[code], message)
  return (await assertProblem(answer, code, message)).detail ?? ''
}

void test('C28: a key allows reading published images, in the query or the header', async () => {
  for (const path of [set, image, `/v2/images/${imageId}`]) {
    assert.equal((await ask(`${path}?api_key=${key}`)).status, 200, path)
    assert.equal((await ask(`${path}?x=1&api_key=${key}&y=2`)).status, 200, path)
    for (const name of ['X-API-Key', 'x-api-key']) {
      assert.equal((await ask(path, { [name]: key })).status, 200, `${path} ${name}`)
    }
  }
})

void test('C28: a missing, wrong, expired or revoked key gets 401', async () => {
  const keys = createApiKeys(waymark.installation.database.db, () => waymark.system.now())
  const expired = await keys.create(ana.accountId, { name: 'short', expiresAt: 1 })
  const revoked = await keys.create(ana.accountId, { name: 'revoked' })
  assert.equal((await ask(set, { 'x-api-key': revoked.apiKey })).status, 200)
  assert.equal(await keys.revoke(revoked.prefix), true)
  const wrong = [
    'wrong',
    '',
    ' ',
    'null',
    `${key}x`,
    key.slice(0, -1),
    key.toUpperCase(),
    `%20${key}`,
    '%00',
    "' or 1=1--",
  ]
  for (const bad of [...wrong, expired.apiKey, revoked.apiKey, ana.token, 'x'.repeat(4_000)]) {
    const query = encodeURI(bad).replaceAll('%25', '%')
    await assert401(await ask(`${set}?api_key=${query}`), 'invalid-api-key', bad)
  }
  for (const query of ['', `API_KEY=${key}`, `apikey=${key}`, `key=${key}`]) {
    await assert401(await ask(`${set}?${query}`), 'credential-required', query)
  }
})

void test('C28 C30: a key is not accepted where a token is required', async () => {
  const requests: [string, string][] = [
    ['POST', set],
    ['PUT', image],
    ['GET', '/v2/images'],
    ['POST', `/v2/images/${imageId}/review`],
  ]
  for (const [method, path] of requests) {
    const answer = await ask(`${path}?api_key=${key}`, { 'x-api-key': key }, method)
    await assert401(answer, 'credential-required', `${method} ${path}`)
  }
})

void test('C30: no token, and anything that is not a valid token, get 401 with a challenge', async () => {
  const bad = [
    'Bearer wrong',
    'Bearer',
    'Bearer ',
    `Bearer ${ana.token}x`,
    `Bearer ${ana.token} ${ana.token}`,
    `Bearer "${ana.token}"`,
    `Bearer ${key}`,
    `Basic ${Buffer.from('a:b').toString('base64')}`,
    `Token ${ana.token}`,
    ana.token,
    '',
    'Bearer ' + 'x'.repeat(4_000),
    'Bearer null',
    'Bearer é',
  ]
  for (const path of [set, image, '/v2/images', `/v2/images/${imageId}`]) {
    await assert401(await ask(path), 'credential-required', path)
    for (const authorization of bad)
      await assert401(await ask(path, { authorization }), 'invalid-token', authorization)
    await assert401(await ask(`${path}?access_token=${ana.token}`), 'credential-required', path)
  }
  for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
    assert.equal((await ask('/v2/images', { authorization: `${scheme} ${ana.token}` })).status, 200, scheme)
  }
})

void test('C28: of a key and a token, one valid one is enough; the token, which may see more, is tried first', async () => {
  const pending = `${set}/${pendingId}`
  const both = async (path: string, apiKey: string, authorization: string): Promise<number> =>
    (await ask(`${path}?api_key=${apiKey}`, { authorization })).status
  const good = `Bearer ${ana.token}`
  assert.equal(await both(image, key, good), 200)
  assert.equal(await both(image, 'wrong', good), 200)
  assert.equal(await both(image, key, 'Bearer wrong'), 200)
  assert.equal(await both(image, key, 'Basic YTpi'), 200)
  assert.equal(await both(pending, key, good), 200, 'seen by the token')
  assert.equal(await both(pending, key, 'Bearer wrong'), 404, 'not by the key, though it is the submitter’s')
  const neither = await ask(`${image}?api_key=wrong`, { authorization: 'Bearer wrong' })
  assert.equal(neither.status, 401)
  assert.match(neither.headers.get('www-authenticate') ?? '', /^Bearer /)
  assert.equal((await ask(`${image}?api_key=wrong`, { 'x-api-key': key })).status, 200)
  assert.equal((await ask(`${image}?api_key=${key}&api_key=${key}`)).status, 200)
  await assert401(await ask(`${image}?api_key=&api_key=x`, { 'x-api-key': '' }), 'invalid-api-key', 'three')
})

void test('C24 C30: an invalid credential never hides an image that anyone may see', async () => {
  for (const id of [imageId, pendingId]) {
    for (const headers of [bearer('stale'), { authorization: 'Basic x' }, { 'x-api-key': 'wrong' }]) {
      assert.equal((await ask(`/ImageHandler?id=${id}&api_key=wrong`, headers)).status, 200)
    }
  }
})

void test('C29: a missing scope is named', async () => {
  const none = bearer(await waymark.tokenFor(rob.accountId, 'routes:read'))
  const cases: readonly (readonly [method: string, path: string, scope: string])[] = [
    ['GET', set, 'images:read'],
    ['GET', image, 'images:read'],
    ['POST', set, 'images:write'],
    ['PUT', image, 'images:write'],
    ['GET', '/v2/images', 'images:read'],
    ['GET', `/v2/images/${imageId}`, 'images:read'],
    ['POST', `/v2/images/${imageId}/review`, 'images:review'],
  ]
  for (const [method, path, scope] of cases) {
    const answer = await ask(path, none, method)
    assert.equal(
      answer.headers.get('www-authenticate'),
      `Bearer error="insufficient_scope", scope="${scope}"`,
      `${method} ${path}`,
    )
    const { detail } = await assertProblem(answer, 'insufficient-scope', `${method} ${path}`)
    assert.match(detail ?? '', new RegExp(`\\b${scope}\\b`))
  }
})

interface Step {
  readonly expected: RefusalCode | number
  /** Fixes the fault of the previous step. */
  readonly request: Partial<WireRequest>
}

/** Each step fixes one fault, and the response must report the next. */
async function climb(steps: readonly Step[]): Promise<void> {
  const headers: Record<string, string> = {}
  const request: WireRequest = { path: '', headers }
  for (const [index, { expected, request: mended }] of steps.entries()) {
    Object.assign(headers, mended.headers)
    Object.assign(request, mended, { headers })
    const answer = await send(waymark.url, request)
    const message = `step ${index + 1}: ${request.method} ${request.path}`
    if (typeof expected === 'number')
      assert.equal(answer.status, expected, `${message} ${await answer.text()}`)
    else if (expected === 'credential-required') await assert401(answer, expected, message)
    else await assertProblem(answer, expected, message)
  }
}

const scopeless = bearer(await waymark.tokenFor(stan.accountId, 'routes:read'))
const wrongEverywhere = {
  'content-type': 'none',
  accept: 'image/png',
  'if-match': '"old"',
  'content-encoding': 'gzip',
}

void test('C31: of several faults of a PUT the first is reported', async () => {
  const bad = { method: 'DELETE', headers: wrongEverywhere, body: '{"title":' }
  await climb([
    { request: { ...bad, path: '/V2/Trails/1/Images/1' }, expected: 'not-found' },
    { request: { path: '/V1/Trails/1/Images/1' }, expected: 'method-not-allowed' },
    { request: { method: 'PUT' }, expected: 'credential-required' },
    { request: { headers: bearer('wrong') }, expected: 'invalid-token' },
    { request: { headers: scopeless }, expected: 'invalid-trail-id' },
    { request: { path: `${set}/1` }, expected: 'invalid-image-id' },
    { request: { path: image }, expected: 'insufficient-scope' },
    { request: { headers: bearer(stan.token) }, expected: 'forbidden' },
    { request: { headers: bearer(ana.token) }, expected: 'not-acceptable' },
    { request: { headers: { accept: 'application/json' } }, expected: 'unsupported-media-type' },
    { request: { headers: { 'content-encoding': 'identity' } }, expected: 'unsupported-media-type' },
    { request: { headers: { 'content-type': 'text/plain' } }, expected: 'unsupported-media-type' },
    { request: { headers: { 'content-type': 'application/json' } }, expected: 'precondition-failed' },
    { request: { headers: { 'if-match': '*' } }, expected: 'malformed-body' },
    { request: { body: '{"lat":"x"}' }, expected: 'invalid-field' },
    { request: { body: '{"imageID":1}' }, expected: 'invalid-field' },
    { request: { body: '{"title":"x"}' }, expected: 200 },
  ])
})

void test('C31: of several faults of a POST the first is reported', async () => {
  await climb([
    {
      request: { method: 'PATCH', path: '/v9/Trails/1/Images', headers: wrongEverywhere, body: 'x' },
      expected: 'not-found',
    },
    { request: { path: '/Trails/1/Images' }, expected: 'method-not-allowed' },
    { request: { method: 'POST' }, expected: 'credential-required' },
    { request: { headers: scopeless }, expected: 'invalid-trail-id' },
    { request: { path: set }, expected: 'insufficient-scope' },
    { request: { headers: bearer(stan.token) }, expected: 'not-acceptable' },
    { request: { headers: { accept: '*/*' } }, expected: 'unsupported-media-type' },
    { request: { headers: { 'content-encoding': 'identity' } }, expected: 'unsupported-media-type' },
    { request: { headers: { 'content-type': 'text/html' } }, expected: 'unsupported-image-type' },
    { request: { headers: { 'content-type': 'image/png' } }, expected: 'unsupported-image-type' },
    { request: { body: photo }, expected: 201 },
  ])
})

void test('C31: of several faults of a read or a review the first is reported', async () => {
  const headers = { accept: 'image/png' }
  await climb([
    { request: { path: '/Trails/1/Images/1', headers }, expected: 'credential-required' },
    { request: { headers: scopeless }, expected: 'invalid-trail-id' },
    { request: { path: `${set}/${pendingId}` }, expected: 'invalid-image-id' },
    { request: { path: image }, expected: 'insufficient-scope' },
    { request: { headers: bearer(stan.token) }, expected: 'not-acceptable' },
    { request: { headers: { accept: '*' } }, expected: 200 },
  ])
  const body = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{' }
  await climb([
    { request: { ...body, path: `/v2/images/${pendingId}/review` }, expected: 'credential-required' },
    { request: { headers: scopeless }, expected: 'invalid-image-id' },
    { request: { path: `/v2/images/${imageId}/review` }, expected: 'insufficient-scope' },
    { request: { headers: bearer(stan.token) }, expected: 'forbidden' },
    { request: { headers: bearer(rob.token) }, expected: 'unsupported-media-type' },
    { request: { headers: { 'content-type': 'application/json' } }, expected: 'malformed-body' },
    { request: { body: '{"decision":"delete"}' }, expected: 'invalid-field' },
    { request: { body: '{"decision":"reject"}' }, expected: 'already-decided' },
    { request: { body: '{"decision":"remove"}' }, expected: 200 },
  ])
  await climb([
    { request: { path: '/v2/images?limit=x' }, expected: 'credential-required' },
    { request: { headers: scopeless }, expected: 'insufficient-scope' },
    { request: { headers: bearer(stan.token) }, expected: 'invalid-query' },
    { request: { path: '/v2/images' }, expected: 200 },
  ])
})

void test('C29: removing a role or an account takes effect at once', async () => {
  const { db } = waymark.installation.database
  const former = await waymark.addPerson({ role: 'reviewer' })
  const path = `${set}/${pendingId}`
  assert.equal((await ask(path, bearer(former.token))).status, 200)
  await db.updateTable('account').set({ role: 'member' }).where('id', '=', former.accountId).execute()
  await assertProblem(await ask(path, bearer(former.token)), 'invalid-image-id')
  await db.deleteFrom('oauth_client').where('account_id', '=', former.accountId).execute()
  await assert401(await ask(path, bearer(former.token)), 'invalid-token', 'its client is gone')
})

void test('C30: an expired token is reported as such', async () => {
  waymark.system.advance(15 * 60_000 + 1)
  for (const path of [set, '/v2/images']) {
    const detail = await assert401(await ask(path, bearer(ana.token)), 'invalid-token', path)
    assert.match(detail, /expired/)
  }
  assert.equal((await ask(`${set}?api_key=${key}`, bearer(ana.token))).status, 200, 'the key still opens it')
})

void test('C28: no key and no token ever appears in a log line', () => {
  const lines = log.join('')
  assert.ok(log.length > 100)
  for (const secret of [key, ana.token, stan.token, rob.token, 'api_key', 'Bearer']) {
    assert.equal(lines.includes(secret), false, 'a secret is logged')
  }
  for (const line of log) assert.match(line, /^\{.*\}\n$/)
})

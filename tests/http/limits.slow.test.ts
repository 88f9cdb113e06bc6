// Rate limits by address, key and account, and quotas by account: what is counted, and how limits are reported (contract
// C38).
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test } from 'node:test'
import { filesBelow } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

// Tokens are created without limits; then the same store is served with small limits.
const roomy = await startWaymark()
const dataDir = roomy.dataDir
// 3 calls a minute by address, 30 by key and by account, 30 uploads an hour, 300 views a minute.
const tight = await startWaymark({
  dataDir,
  environment: { RATE_LIMIT_FACTOR: '0.05', TRUST_PROXY: '127.0.0.1' },
})
const narrow = await startWaymark({
  dataDir,
  environment: { QUOTA_PENDING_IMAGES: '1', QUOTA_BYTES: '5000' },
})
const boundless = await startWaymark({
  dataDir,
  environment: { QUOTA_PENDING_IMAGES: '0', QUOTA_BYTES: '0' },
})
after(async () => {
  for (const server of [boundless, narrow, tight, roomy]) await server.close()
})

await roomy.addTrail(4711, 'Rim Trail')
const people: Person[] = []
for (let count = 0; count < 6; count += 1) people.push(await roomy.addPerson())
const [ana, bea, cora, dora, eva, flo] = people as [Person, Person, Person, Person, Person, Person]
const rob = await roomy.addPerson({ role: 'reviewer' })
const key = await roomy.addKey(ana.accountId)
const otherKey = await roomy.addKey(ana.accountId)
const seen = await roomy.upload(flo, 4711, await jpegPicture({ width: 12, height: 9 }))

const set = '/Trails/4711/Images'
type Headers = Record<string, string>
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

let addresses = 0
/** An address without earlier requests. */
function newAddress(): string {
  addresses += 1
  return `198.51.100.${addresses}`
}

const call = (address: string, path: string, headers: Headers = {}, method = 'GET') =>
  send(tight.url, { path, method, headers: { 'x-forwarded-for': address, ...headers } })

async function statuses(times: number, ask: () => Promise<Response>): Promise<number[]> {
  const found: number[] = []
  for (let count = 0; count < times; count += 1) {
    const answer = await ask()
    await answer.arrayBuffer()
    found.push(answer.status)
  }
  return found
}

/** Asserts that the limit is reached after exactly this many responses with this status. */
async function assertLimit(
  times: number,
  status: number,
  ask: () => Promise<Response>,
  policy: string,
): Promise<void> {
  assert.deepEqual(await statuses(times, ask), Array<number>(times).fill(status))
  const refused = await ask()
  const retryAfter = Number(refused.headers.get('retry-after'))
  const [, quota, window] = /q=(\d+);w=(\d+)/.exec(policy) ?? []
  assert.ok(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= Number(window), policy)
  assert.equal(refused.headers.get('ratelimit-policy'), policy)
  assert.match(refused.headers.get('ratelimit') ?? '', new RegExp(`^${policy.split(';')[0]};r=0;t=\\d+$`))
  const { detail } = await assertProblem(refused, 'too-many-requests', policy)
  assert.match(detail ?? '', new RegExp(`limit of ${quota} requests in ${window} seconds`))
}

const byAddress = '"address";q=3;w=60'

void test('C38: requests without a credential are limited by address, before the missing credential is reported', async () => {
  const address = newAddress()
  const first = await call(address, set)
  assert.equal(first.status, 401)
  assert.equal(first.headers.get('ratelimit-policy'), byAddress)
  assert.match(first.headers.get('ratelimit') ?? '', /^"address";r=2;t=\d+$/)
  await assertLimit(2, 401, () => call(address, '/V1/trails/4711/images/?x=1'), byAddress)
  for (const [method, path] of [
    ['GET', '/Trails/1/Images'],
    ['HEAD', set],
    ['POST', set],
    ['PUT', `${set}/1`],
    ['GET', '/v2/images'],
  ] as const) {
    assert.equal((await call(address, path, {}, method)).status, 429, `${method} ${path}`)
  }
  assert.equal((await call(newAddress(), set)).status, 401, 'another address')
})

void test('C31 C38: unknown paths and methods, and health checks, are not counted', async () => {
  const address = newAddress()
  const free = async (path: string, method = 'GET') => statuses(10, () => call(address, path, {}, method))
  assert.deepEqual(new Set(await free('/nothing')), new Set([404]))
  assert.deepEqual(new Set(await free(set, 'DELETE')), new Set([405]))
  assert.deepEqual(new Set(await free('/health/live')), new Set([200]))
  assert.equal((await call(address, set)).headers.get('ratelimit')?.includes('r=2'), true)
})

void test('C38: guessing any credential ends in 429, and a valid one still works then', async () => {
  const guesses: readonly ((guess: number) => readonly [path: string, headers: Headers])[] = [
    (guess) => [`${set}?api_key=${guess}`, {}],
    (guess) => [set, { 'x-api-key': String(guess) }],
    (guess) => [set, bearer(String(guess))],
    (guess) => [`/v2/images`, { authorization: `Basic ${guess}` }],
    (guess) => [`${set}?api_key=${guess}`, bearer(String(guess))],
  ]
  for (const guess of guesses) {
    const address = newAddress()
    let count = 0
    const ask = () => {
      count += 1
      return call(address, ...guess(count))
    }
    await assertLimit(3, 401, ask, byAddress)
    // Others behind the same address are not locked out.
    assert.equal((await call(address, set, { 'x-api-key': otherKey })).status, 200)
    assert.equal((await call(address, '/v2/images', bearer(dora.token))).status, 200)
  }
})

void test('C38: an IPv6 /64 counts as one address, and a mapped IPv4 address as that address', async () => {
  const spent = async (address: string) => statuses(3, () => call(address, set))
  await spent('2001:db8:1:2::1')
  for (const same of ['2001:db8:1:2:ffff::9', '2001:0DB8:0001:0002::1']) {
    assert.equal((await call(same, set)).status, 429, same)
  }
  for (const other of ['2001:db8:1:3::1', '2001:db8::1:2:0:0:1', '2001:db8::']) {
    assert.equal((await call(other, set)).status, 401, other)
  }
  await spent('203.0.113.7')
  assert.equal((await call('::ffff:203.0.113.7', set)).status, 429)
  assert.equal((await call('::ffff:203.0.113.8', set)).status, 401)
})

void test('C38: X-Forwarded-For of a client that is not a trusted proxy has no effect', async () => {
  const ask = (address: string) =>
    send(roomy.url, { path: set, headers: { 'x-forwarded-for': address } }).then(async (answer) => {
      await answer.arrayBuffer()
      return Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
    })
  const first = await ask('192.0.2.1')
  assert.equal(await ask('192.0.2.2'), first - 1)
})

void test('C38: a key has its own limit, from any address', async () => {
  await assertLimit(30, 200, () => call(newAddress(), set, { 'x-api-key': key }), '"key";q=30;w=60')
  assert.equal((await call(newAddress(), `${set}?api_key=${key}`)).status, 429)
  assert.equal((await call(newAddress(), set, { 'x-api-key': otherKey })).status, 200, 'another key')
  assert.equal((await call(newAddress(), set, bearer(ana.token))).status, 200, 'the account behind it')
})

void test('C38: an account has one limit for all its tokens', async () => {
  const tokens = [bea.token, await roomy.tokenFor(bea.accountId, 'images:read')]
  let count = 0
  const ask = () => {
    count += 1
    return call(newAddress(), set, bearer(tokens[count % 2] ?? ''))
  }
  await assertLimit(30, 200, ask, '"account";q=30;w=60')
  assert.equal((await call(newAddress(), set, bearer(cora.token))).status, 200, 'another account')
})

void test('C38: uploads have their own limit, and refused ones count', async () => {
  const ask = () => call(newAddress(), set, { ...bearer(eva.token), 'content-type': 'text/html' }, 'POST')
  const first = await ask()
  assert.equal(first.status, 415)
  assert.equal(first.headers.get('ratelimit-policy'), '"uploads";q=30;w=3600')
  assert.match(first.headers.get('ratelimit') ?? '', /^"uploads";r=29;t=\d+$/)
  assert.deepEqual(new Set(await statuses(29, ask)), new Set([415]))
  assert.equal((await ask()).status, 429)
})

void test('C38: image views are counted by address, for every viewer', async () => {
  const address = newAddress()
  const path = `/ImageHandler?id=${seen}&t=sm`
  const tokens = [{}, bearer(flo.token), bearer('stale'), { 'x-api-key': key }]
  let count = 0
  const ask = () => {
    count += 1
    return call(address, path, tokens[count % 4])
  }
  await assertLimit(300, 200, ask, '"views";q=300;w=60')
  assert.equal((await call(newAddress(), path)).status, 200)
})

const upload = async (server: Waymark, { token }: Person, seed: number, bytes = 900): Promise<Response> => {
  const picture = await jpegPicture({ width: 12, height: 9, seed })
  const body = Buffer.concat([picture, Buffer.alloc(Math.max(0, bytes - picture.length), seed)])
  return send(server.url, { method: 'POST', path: set, headers: bearer(token), body })
}

const files = () => filesBelow(path.join(dataDir, 'blobs'))

void test('C38: over QUOTA_PENDING_IMAGES the refusal names limit and count, until an image is reviewed', async () => {
  const first = await upload(narrow, ana, 1)
  assert.equal(first.status, 201)
  const before = await files()
  const { detail } = await assertProblem(await upload(narrow, ana, 2), 'quota-reached')
  assert.match(detail ?? '', /\b1 pending image.*limit is 1\b/)
  assert.deepEqual(await files(), before)
  assert.equal((await upload(narrow, bea, 3)).status, 201, 'another account')
  assert.equal((await narrow.review(rob, Number(await first.text()), 'reject')).status, 200)
  assert.equal((await upload(narrow, ana, 4)).status, 201)
})

void test('C38: simultaneous uploads pass only up to the quota, and the others leave nothing', async () => {
  const answers = await Promise.all([11, 12, 13, 14].map((seed) => upload(narrow, cora, seed)))
  const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
  assert.deepEqual(statuses, [201, 403, 403, 403])
  const { db } = narrow.installation.database
  const contents = await db.selectFrom('content').select('sha256').execute()
  const images = await db.selectFrom('image').select('sha256').distinct().execute()
  assert.deepEqual(new Set(contents.map(({ sha256 }) => sha256)), new Set(images.map(({ sha256 }) => sha256)))
  const originals = (await files()).filter((name) => /original.*[\da-f]{64}/.test(name))
  assert.equal(originals.length, images.length)
})

void test('C38: QUOTA_BYTES counts the originals, and a refused one is not stored', async () => {
  const first = await upload(narrow, dora, 21, 3_000)
  assert.equal(first.status, 201)
  assert.equal((await narrow.review(rob, Number(await first.text()), 'approve')).status, 200)
  const before = await files()
  const { detail } = await assertProblem(await upload(narrow, dora, 22, 2_001), 'quota-reached')
  assert.match(detail ?? '', /\b3000 bytes\b.*\b5000\b/)
  assert.deepEqual(await files(), before)
  assert.equal((await upload(narrow, dora, 23, 2_000)).status, 201, 'up to the limit')
})

void test('C38: 0 means no quota', async () => {
  assert.deepEqual(
    [await upload(boundless, dora, 31, 9_000), await upload(boundless, dora, 32, 9_000)].map(
      ({ status }) => status,
    ),
    [201, 201],
  )
})

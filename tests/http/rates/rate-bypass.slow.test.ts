// A client cannot choose the limit it is counted in (contract C38, trust 55).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addressBucket } from '../../../src/http/rates/rate-limits.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { parseAnswer, say, send, type WireRequest } from '../../helpers/wire.ts'

const roomy = await startWaymark()
await roomy.addTrail(4711, 'Rim Trail')
const ana = await roomy.addPerson()
const bob = await roomy.addPerson()
const key = await roomy.addKey(ana.accountId)
const otherToken = await roomy.tokenFor(ana.accountId, 'images:read')
const servers: Waymark[] = [roomy]
after(async () => {
  for (const server of servers.toReversed()) await server.close()
})

/** The same store with this test's limits and fresh counters. */
async function serve(environment: Record<string, string>): Promise<Waymark> {
  const server = await startWaymark({
    dataDir: roomy.dataDir,
    environment: { RATE_LIMIT_FACTOR: '1', ...environment },
  })
  servers.push(server)
  return server
}

const set = '/Trails/4711/Images'
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Number of sequential requests that were not refused by a rate limit. */
async function passed(server: Waymark, requests: readonly WireRequest[]): Promise<number> {
  let count = 0
  for (const request of requests) {
    const answer = await send(server.url, request)
    await answer.arrayBuffer()
    if (answer.status !== 429) count += 1
  }
  return count
}

void test('trust 55: an address is counted once, whatever path, name and credentials it uses', async () => {
  const server = await serve({ RATE_ADDRESS: '5' })
  const disguises: WireRequest[] = [
    { path: set },
    { path: '/trails/4711/images/' },
    { path: '/V1/TRAILS/4711/IMAGES' },
    { path: '/v1.6/Trails/4711/Images/?x=1' },
    { path: `http://other.example${set}` },
    { path: `${set}/1`, method: 'PUT' },
    { path: set, method: 'HEAD' },
    { path: '/v2/images' },
    ...[
      'x-forwarded-for',
      'X-FORWARDED-FOR',
      'forwarded',
      'x-real-ip',
      'x-client-ip',
      'cf-connecting-ip',
      'true-client-ip',
    ].map((name, index) => ({
      path: set,
      headers: { [name]: `203.0.113.${index}`, host: `h${index}.example` },
    })),
    ...times(5, (guess) => ({ path: `${set}?api_key=${guess}` })),
    ...times(5, (guess) => ({ path: `${set}?API_KEY=${guess}` })),
    ...times(5, (guess) => ({ path: set, headers: { 'X-Api-Key': `${guess}` } })),
    ...times(5, (guess) => ({ path: set, headers: { AUTHORIZATION: `bearer ${guess}` } })),
    ...times(5, (guess) => ({ path: set, headers: { authorization: `Basic ${guess}` } })),
    ...times(5, (guess) => ({ path: '/v2/images', headers: { authorization: `${guess}` } })),
  ]
  assert.equal(await passed(server, disguises), 5)
})

void test('trust 55: no more simultaneous requests pass than sequential ones', async () => {
  const server = await serve({ RATE_ADDRESS: '5' })
  const answers = await Promise.all(times(60, () => send(server.url, { path: set })))
  assert.equal(answers.filter(({ status }) => status !== 429).length, 5)
})

void test('trust 55: a key is one key, in the URL or in a header', async () => {
  const server = await serve({ RATE_KEY: '6' })
  const spellings: WireRequest[] = [
    { path: `${set}?api_key=${key}` },
    { path: `/V1/trails/4711/images/?x=1&api_key=${key}` },
    { path: `${set}?api_key=wrong&api_key=${key}` },
    { path: set, headers: { 'x-api-key': key } },
    { path: set, headers: { 'X-API-KEY': key, 'x-forwarded-for': '203.0.113.1' } },
    { path: `${set}?api_key=wrong`, headers: { 'x-api-key': key } },
    { path: set, headers: { 'x-api-key': key, authorization: 'Bearer wrong' } },
  ]
  assert.equal(await passed(server, [...spellings, ...spellings]), 6)
})

void test('trust 55: an account is one account, with any of its tokens in any spelling', async () => {
  const server = await serve({ RATE_ACCOUNT: '6' })
  const spellings = [ana.token, otherToken].flatMap((token): WireRequest[] => [
    { path: set, headers: { authorization: `Bearer ${token}` } },
    { path: set, headers: { AUTHORIZATION: `bearer   ${token}` } },
    { path: '/v2/images', headers: { authorization: `BEARER ${token}`, 'x-forwarded-for': '203.0.113.1' } },
    { path: `${set}?api_key=${key}`, headers: { authorization: `Bearer ${token}` } },
  ])
  assert.equal(await passed(server, [...spellings, ...spellings]), 6)
  assert.equal(await passed(server, [{ path: set, headers: { authorization: `Bearer ${bob.token}` } }]), 1)
})

void test('trust 55: guesses at the token endpoint are counted by address', async () => {
  const server = await serve({ RATE_TOKEN: '4' })
  const guesses = times(12, (guess): WireRequest => ({
    path: guess % 2 === 0 ? '/oauth/token' : '/oauth/token/',
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`client${guess}:secret`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': `203.0.113.${guess}`,
    },
    body: 'grant_type=client_credentials',
  }))
  assert.equal(await passed(server, guesses), 4)
})

void test('trust 55: invalid requests are counted and refused like others', async () => {
  const server = await serve({ RATE_ADDRESS: '3' })
  const statuses: number[] = []
  for (let count = 0; count < 4; count += 1) {
    statuses.push(parseAnswer(await say(server.url, 'garbage\r\n\r\n')).status)
  }
  assert.deepEqual(statuses, [400, 400, 400, 429])
  const garbage = parseAnswer(await say(server.url, 'garbage\r\n\r\n'))
  assert.match(garbage.headers.get('retry-after') ?? '', /^\d+$/)
  await assertProblem(garbage, 'too-many-requests')
  assert.equal(await passed(server, [{ path: set }]), 0)
  // Clients with a credential behind the same address are not locked out.
  assert.equal(await passed(server, [{ path: set, headers: { 'x-api-key': key } }]), 1)
})

void test('trust 55: behind a trusted proxy, headers that the client sends have no effect', async () => {
  const server = await serve({ RATE_ADDRESS: '5', TRUST_PROXY: '127.0.0.0/8' })
  const reported = [
    '203.0.113.5',
    '198.51.100.1, 203.0.113.5',
    '127.0.0.1, 198.51.100.2,203.0.113.5',
    'unknown, 203.0.113.5',
    ', 203.0.113.5',
    `${'1.2.3.4, '.repeat(200)}203.0.113.5`,
    '203.0.113.5, 127.0.0.1',
    '::ffff:203.0.113.5',
    '::FFFF:203.0.113.5',
    '::ffff:cb00:7105',
    '0:0:0:0:0:ffff:cb00:7105',
  ]
  const requests = reported.map((value) => ({ path: set, headers: { 'x-forwarded-for': value } }))
  assert.equal(await passed(server, [...requests, ...requests]), 5)
  assert.equal(await passed(server, [{ path: set, headers: { 'x-forwarded-for': '203.0.113.6' } }]), 1)
})

void test('trust 55: an address has one bucket, in every notation', () => {
  const same: readonly (readonly string[])[] = [
    [
      '203.0.113.5',
      '::ffff:203.0.113.5',
      '::FFFF:CB00:7105',
      '0:0:0:0:0:ffff:203.0.113.5',
      '::ffff:203.0.113.5%eth0',
    ],
    ['2001:db8::1', '2001:DB8:0:0::2', '2001:0db8:0000:0000:ffff:ffff:ffff:ffff', '2001:db8::203.0.113.5'],
    ['::1', '0:0:0:0::', '::203.0.113.5'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
  ]
  const buckets = same.map((addresses) => new Set(addresses.map((address) => addressBucket(address))))
  for (const bucket of buckets) assert.equal(bucket.size, 1, [...bucket].join(' '))
  assert.equal(new Set(buckets.map((bucket) => [...bucket].join())).size, same.length)
  assert.notEqual(addressBucket('2001:db8:0:1::1'), addressBucket('2001:db8::1'))
  assert.notEqual(addressBucket('::fffe:203.0.113.5'), addressBucket('203.0.113.5'))
})

void test('C38: every limit is a setting, and the factor multiplies it', async () => {
  const environment = {
    RATE_LIMIT_FACTOR: '2',
    RATE_ADDRESS: '11',
    RATE_KEY: '12',
    RATE_ACCOUNT: '13',
    RATE_UPLOADS: '14',
    RATE_VIEWS: '15',
    RATE_TOKEN: '16',
  }
  const server = await serve(environment)
  const bearer = { authorization: `Bearer ${ana.token}` }
  const expected: readonly (readonly [request: WireRequest, policy: string])[] = [
    [{ path: set }, '"address";q=22;w=60'],
    [{ path: set, headers: { 'x-api-key': key } }, '"key";q=24;w=60'],
    [{ path: set, headers: bearer }, '"account";q=26;w=60'],
    [{ path: set, method: 'POST', headers: bearer }, '"uploads";q=28;w=3600'],
    [{ path: '/ImageHandler?id=1' }, '"views";q=30;w=60'],
    [{ path: '/oauth/token', method: 'POST' }, '"token";q=32;w=60'],
  ]
  for (const [request, policy] of expected) {
    assert.equal((await send(server.url, request)).headers.get('ratelimit-policy'), policy)
  }
})

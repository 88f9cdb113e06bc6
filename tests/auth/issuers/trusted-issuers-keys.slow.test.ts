// How a trusted issuer's keys are found, cached and refreshed: rotation, floods, and misbehaving issuers (C29).
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createIssuerKeys, keysAddressIn } from '../../../src/auth/issuers/issuer-keys.ts'
import { Refusal } from '../../../src/errors.ts'
import {
  ask,
  listen,
  newKey,
  startIssuer,
  startTrusting,
  type Answer,
  type SigningKey,
} from '../../helpers/issuers.ts'
import { assertProblem } from '../../helpers/problems.ts'

const second = 1_000
const minute = 60 * second

const discovery = '/.well-known/openid-configuration'

/** An issuer, and a Waymark that trusts it and has the account in its tokens. */
async function setUp(t: TestContext) {
  const issuer = await startIssuer(t)
  const waymark = await startTrusting(t, [{ issuer: issuer.url, accountClaim: 'sub' }])
  const { accountId } = await waymark.addPerson()
  /** Valid for two hours from now. */
  const token = (key: SigningKey = issuer.key) => {
    const iat = Math.floor(waymark.system.now() / second)
    return issuer.token({ sub: String(accountId), iat, exp: iat + 7_200 }, { key })
  }
  return { issuer, waymark, token, status: async (sent: string) => (await ask(waymark, sent)).status }
}

void test('C29: keys are fetched once, and a rotated key is accepted after one more fetch', async (t) => {
  const { issuer, waymark, token, status } = await setUp(t)
  const old = await token()
  assert.deepEqual(await Promise.all(Array.from({ length: 20 }, () => status(old))), Array(20).fill(200))
  assert.deepEqual(issuer.asked, [discovery, '/keys'], 'twenty first requests share one fetch')

  const next = await newKey('second')
  issuer.keys = [next, issuer.key]
  waymark.system.advance(31 * second)
  assert.equal(await status(await token(next)), 200)
  assert.equal(await status(old), 200, 'both are published, both are good')
  assert.deepEqual(issuer.asked, [discovery, '/keys', '/keys'])

  issuer.keys = [next]
  assert.equal(await status(old), 200, 'a key that was withdrawn is good until the keys are stale')
  waymark.system.advance(5 * minute)
  assert.equal(await status(old), 200)
  waymark.system.advance(4 * minute + 59 * second)
  assert.equal(await status(old), 200, 'just under ten minutes')
  waymark.system.advance(second)
  await assertProblem(await ask(waymark, old), 'invalid-token')
  assert.equal(issuer.countOf('/keys'), 3)
})

void test('C29: many tokens with unknown keys do not flood the issuer', async (t) => {
  const { issuer, waymark, token, status } = await setUp(t)
  assert.equal(await status(await token()), 200)
  const strangers = await Promise.all(Array.from({ length: 25 }, (_, index) => newKey(`stranger ${index}`)))
  const forged = await Promise.all(strangers.map((key) => token(key)))
  const flood = async () => {
    const seen = await Promise.all([...forged, ...forged].map(status))
    assert.deepEqual(new Set(seen), new Set([401]))
  }
  await flood()
  assert.equal(issuer.countOf('/keys'), 1, 'the keys are fresh: nothing is asked')
  waymark.system.advance(30 * second)
  await flood()
  assert.equal(issuer.countOf('/keys'), 2)
  waymark.system.advance(29 * second)
  await flood()
  assert.equal(issuer.countOf('/keys'), 2)
  assert.equal(issuer.countOf(discovery), 1)
})

void test('C29: a verified token still expires, and is only valid unaltered', async (t) => {
  const { waymark, issuer, token, status } = await setUp(t)
  const long = await token()
  const short = await issuer.token({ sub: '1' })
  for (const sent of [long, long]) assert.equal(await status(sent), 200)
  assert.equal(await status(`${long.slice(0, -4)}AAAA`), 401, 'another signature')
  assert.equal(await status(short), 403, 'nobody has the account 1')
  await waymark.addPerson({ id: 1 })
  assert.equal(await status(short), 200, 'whose it is is asked each time')
  // Ten minutes plus a minute of clock tolerance; keys are refreshed in the meantime, and the token is used again.
  waymark.system.advance(10 * minute)
  assert.equal(await status(short), 200)
  waymark.system.advance(minute)
  const answer = await ask(waymark, short)
  assert.match((await assertProblem(answer, 'invalid-token')).detail ?? '', /has expired/)
  assert.equal(await status(long), 200)
})

void test('C29: tokens that can never be valid do not cause requests to the issuer', async (t) => {
  const { issuer, waymark } = await setUp(t)
  const hopeless = [
    issuer.token({ iss: 'https://evil.example' }),
    issuer.token({}, { key: await newKey('x', 'ES512').then((key) => ({ ...key, alg: 'ES512' })) }),
    issuer.token({}, { header: { typ: 'id_token+jwt' } }),
  ]
  for (const token of hopeless) await assertProblem(await ask(waymark, await token), 'invalid-token')
  assert.deepEqual(issuer.asked, [])
})

void test('C29: the service starts while the issuer is down, responds with 503, and recovers', async (t) => {
  const { issuer, waymark, token, status } = await setUp(t)
  const down: Answer = (_request, response) => response.destroy()
  issuer.answers = { [discovery]: down, '/.well-known/oauth-authorization-server': down }
  const answer = await ask(waymark, await token())
  assert.equal(answer.headers.get('retry-after'), '10')
  const { detail } = await assertProblem(answer, 'issuer-unavailable')
  assert.match(detail, /keys of the issuer http:\S+ cannot be fetched/)
  const before = issuer.asked.length
  assert.deepEqual(
    new Set(await Promise.all(Array.from({ length: 20 }, async () => status(await token())))),
    new Set([503]),
  )
  assert.equal(issuer.asked.length, before, 'it is left in peace for ten seconds')
  assert.equal((await waymark.fetch('/health/ready')).status, 200)
  const key = await waymark.addKey((await waymark.addPerson()).accountId)
  await waymark.addTrail(1, 'Rim Trail')
  const beside = await waymark.fetch('/Trails/1/Images', {
    token: await token(),
    headers: { 'x-api-key': key },
  })
  assert.equal(beside.status, 200, 'one valid credential is enough')

  issuer.answers = {}
  waymark.system.advance(10 * second)
  assert.equal(await status(await token()), 200)
})

void test('C29: keys stay valid for an hour while the issuer is down', async (t) => {
  const { issuer, waymark, token: tokenNow, status } = await setUp(t)
  const token = await tokenNow()
  assert.equal(await status(token), 200)
  const down: Answer = (_request, response) => response.writeHead(500).end()
  issuer.answers = { [discovery]: down, '/keys': down }
  waymark.system.advance(59 * minute)
  assert.equal(await status(token), 200)
  const stranger = await tokenNow(await newKey('new'))
  assert.equal(await status(stranger), 503, 'a key that nobody could look up may be a good one')
  waymark.system.advance(minute)
  assert.equal(await status(token), 503)
})

const json =
  (document: unknown): Answer =>
  (_request, response) =>
    response.end(JSON.stringify(document))

type Misbehave = (issuer: string, elsewhere: string, keys: string) => Record<string, Answer>

/** Responses of a misbehaving issuer, by requested path; `keys` is the correct key document. */
const misbehaviours: Readonly<Record<string, Misbehave>> = {
  'metadata of another issuer': (issuer) => ({
    [discovery]: json({ issuer: 'https://other.example', jwks_uri: `${issuer}/keys` }),
  }),
  'metadata with a slash more': (issuer) => ({
    [discovery]: json({ issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` }),
  }),
  'metadata without keys': (issuer) => ({ [discovery]: json({ issuer }) }),
  'keys at no address': (issuer) => ({ [discovery]: json({ issuer, jwks_uri: 'keys' }) }),
  'keys over plain http elsewhere': (issuer) => ({
    [discovery]: json({ issuer, jwks_uri: 'http://keys.example/' }),
  }),
  'keys in a file': (issuer) => ({ [discovery]: json({ issuer, jwks_uri: 'file:///etc/passwd' }) }),
  'keys with a password': (issuer) => ({
    [discovery]: json({ issuer, jwks_uri: `${issuer.replace('//', '//ann:secret@')}/keys` }),
  }),
  'redirected metadata': (_issuer, elsewhere) => ({
    [discovery]: (_request, response) => response.writeHead(302, { location: elsewhere }).end(),
  }),
  'redirected keys, with good ones beside': (_issuer, elsewhere, keys) => ({
    '/keys': (_request, response) => response.writeHead(307, { location: elsewhere }).end(keys),
  }),
  'good keys under a bad status': (_issuer, _elsewhere, keys) => ({
    '/keys': (_request, response) => response.writeHead(404).end(keys),
  }),
  'metadata that is no JSON': () => ({ [discovery]: (_request, response) => response.end('<html>') }),
  'metadata that is null': () => ({ [discovery]: json(null) }),
  'no UTF-8': () => ({ '/keys': (_request, response) => response.end(Buffer.from([0x22, 0xff, 0x22])) }),
  'keys that are no list': () => ({ '/keys': json({ keys: {} }) }),
  'keys that are no objects': () => ({ '/keys': json({ keys: [1] }) }),
  'too many keys': () => ({ '/keys': json({ keys: Array.from({ length: 101 }, () => ({ kty: 'EC' })) }) }),
  'too many bytes': () => ({ '/keys': json({ keys: [], padding: 'x'.repeat(300_000) }) }),
  'keys that never end': () => ({
    '/keys': (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
        response.once('drain', more)
      }
      more()
    },
  }),
  'an answer that says it is compressed': (_issuer, _elsewhere, keys) => ({
    '/keys': (_request, response) => response.writeHead(200, { 'content-encoding': 'br' }).end(keys),
  }),
  'an answer that breaks off': () => ({
    '/keys': (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"keys":[')
      response.socket?.end()
    },
  }),
  'another protocol': () => ({
    '/keys': (_request, response) => {
      response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end()
    },
  }),
}

void test('C29: whatever an issuer responds, the result is 503 and no request goes elsewhere', async (t) => {
  const asked: string[] = []
  const elsewhere = await listen(t, (request, response) => {
    asked.push(request.url ?? '')
    response.end('{"keys":[]}')
  })
  const { issuer, waymark, token, status } = await setUp(t)
  const keys = JSON.stringify({ keys: [issuer.key.publicJwk] })
  for (const [what, misbehave] of Object.entries(misbehaviours)) {
    await t.test(what, async () => {
      waymark.system.advance(25 * 60 * minute) // nothing is cached that long
      issuer.answers = misbehave(issuer.url, elsewhere, keys)
      await assertProblem(await ask(waymark, await token()), 'issuer-unavailable', what)
      assert.deepEqual(asked, [])
      issuer.answers = {}
      waymark.system.advance(10 * second)
      assert.equal(await status(await token()), 200, 'and all is well once it answers as it should')
    })
  }
})

void test('C29: the keys of an https issuer are never fetched over plain HTTP, not even on loopback', () => {
  const issuer = 'https://id.example'
  const good = 'https://keys.example/jwks?v=1'
  assert.equal(keysAddressIn({ issuer, jwks_uri: good }, issuer).href, good)
  for (const uri of [
    'http://id.example/keys',
    'http://127.0.0.1/keys',
    'https://a_b.example/',
    'data:,{}',
    7,
  ])
    assert.throws(() => keysAddressIn({ issuer, jwks_uri: uri }, issuer), /no https jwks_uri/)
})

void test('C29: metadata is also found at the RFC 8414 path', async (t) => {
  const { issuer, token, status } = await setUp(t)
  issuer.answers = {
    [discovery]: (_request, response) => response.writeHead(404).end(),
    '/.well-known/oauth-authorization-server': json({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }),
  }
  assert.equal(await status(await token()), 200)
})

void test('C29: unusable keys of an issuer are not our internal error', async (t) => {
  const { issuer, waymark, token } = await setUp(t)
  const broken = [
    { kty: 'EC', crv: 'P-256', kid: 'first', x: 'AA', y: 'AA' },
    { kty: 'EC', crv: 'P-521', kid: 'first', x: 'AA', y: 'AA' },
    { kty: 'oct', kid: 'first', k: 'AAAA' },
    { kty: 'RSA', kid: 'first', n: 'AQAB', e: 'AQAB', alg: 'ES256' },
    { ...issuer.key.publicJwk, use: 'enc' },
    { kty: 1 },
  ]
  for (const key of broken) {
    issuer.answers = { '/keys': json({ keys: [key] }) }
    await assertProblem(await ask(waymark, await token()), 'invalid-token', JSON.stringify(key))
    waymark.system.advance(10 * minute)
    issuer.answers = {}
  }
})

void test('C29: an issuer that accepts connections but never responds times out', async (t) => {
  for (const silent of [discovery, '/keys']) {
    const issuer = await startIssuer(t)
    issuer.answers = { [silent]: () => undefined }
    const keys = createIssuerKeys({
      issuer: issuer.url,
      read: ({ keys }) => keys,
      now: Date.now,
      waitMs: 100,
    })
    const began = performance.now()
    await assert.rejects(
      keys.current(),
      (error) => error instanceof Refusal && error.code === 'issuer-unavailable',
    )
    assert.ok(performance.now() - began < 2_000)
  }
})

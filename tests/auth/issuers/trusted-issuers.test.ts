// Access tokens of another site: those of a real provider, and all ways to forge or misuse one (C29, C30).
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { createExternalIdentities } from '../../../src/auth/issuers/external-identities.ts'
import {
  ask,
  audience,
  listen,
  newKey,
  startIssuer,
  startProvider,
  startTrusting,
  type Issuer,
} from '../../helpers/issuers.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startOfTime } from '../../helpers/waymark.ts'

const start = Math.floor(startOfTime / 1_000)
const hour = 3_600

void test('C29: a JWT of a second real provider acts as the account that a claim names', async (t) => {
  const provider = await startProvider(t, { acct: '4711' })
  const waymark = await startTrusting(t, [{ issuer: provider.url, accountClaim: 'acct' }])
  waymark.system.advance(Date.now() - startOfTime) // the provider uses the real time
  await waymark.addPerson({ id: 4_711 })
  await waymark.addTrail(1, 'Rim Trail')

  const reading = await provider.fetchToken('images:read')
  const answer = await ask(waymark, reading)
  assert.equal(answer.status, 200, await answer.text())
  const upload = { method: 'POST', headers: { 'content-type': 'image/jpeg' }, body: 'x' }
  const refused = await waymark.fetch('/Trails/1/Images', { ...upload, token: reading })
  await assertProblem(refused, 'insufficient-scope')
  const writing = await provider.fetchToken('images:write')
  // The token is valid; the photo is wrong.
  await assertProblem(
    await waymark.fetch('/Trails/1/Images', { ...upload, token: writing }),
    'unsupported-image-type',
  )
})

const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** A copy of the token with another header, unsigned or signed differently. */
function resigned(token: string, header: object, sign: (data: string) => string): string {
  const data = `${encoded(header)}.${token.split('.')[1]}`
  return `${data}.${sign(data)}`
}

type Forgery = (issuer: Issuer, trap: string) => Promise<string> | string

const times =
  (claims: object): Forgery =>
  (issuer) =>
    issuer.token({ ...claims })
const inHeader =
  (header: object, claims: object = {}): Forgery =>
  (issuer) =>
    issuer.token({ ...claims }, { header: { ...header } })

const hmac = (secret: string) => (data: string) =>
  createHmac('sha256', secret).update(data).digest('base64url')

const forgeries: Readonly<Record<string, readonly [Forgery, RegExp]>> = {
  'alg none': [
    async (issuer) => resigned(await issuer.token(), { alg: 'none', typ: 'at+jwt' }, () => ''),
    /algorithm that is not allowed/,
  ],
  'alg None': [
    async (issuer) => resigned(await issuer.token(), { alg: 'None' }, () => ''),
    /algorithm that is not allowed/,
  ],
  'HS256 with the public key as its secret': [
    async (issuer) =>
      resigned(
        await issuer.token(),
        { alg: 'HS256', kid: 'first' },
        hmac(JSON.stringify(issuer.key.publicJwk)),
      ),
    /algorithm that is not allowed/,
  ],
  'an algorithm that the entry does not list': [
    async (issuer) => issuer.token({}, { key: await newKey('first', 'ES384') }),
    /algorithm that is not allowed/,
  ],
  'another audience': [times({ aud: 'https://maps.example' }), /claim aud/],
  'other audiences': [times({ aud: ['https://maps.example', `${audience}/`] }), /claim aud/],
  'no audience': [times({ aud: undefined }), /claim aud/],
  'an audience that is no text': [times({ aud: { 0: audience } }), /claim aud/],
  'another issuer': [times({ iss: 'https://evil.example' }), /is not trusted/],
  'the issuer with a slash': [(issuer) => issuer.token({ iss: `${issuer.url}/` }), /is not trusted/],
  'no issuer': [times({ iss: undefined }), /is not trusted/],
  expired: [times({ iat: start - 600, exp: start - 61 }), /^The access token has expired\.$/],
  'no end': [times({ exp: undefined }), /claim exp/],
  'an end that is no number': [times({ exp: String(start + 600) }), /claim exp/],
  'not yet': [times({ nbf: start + 120 }), /claim nbf/],
  'issued in the future': [times({ iat: start + 120 }), /issued in the future/],
  'a life of more than a day': [times({ exp: start + 24 * hour + 61 }), /valid for more than 24 hours/],
  'a life of more than a day that is nearly over': [
    times({ iat: start - 25 * hour }),
    /valid for more than 24 hours/,
  ],
  'a life of more than a day that hides its start': [
    times({ iat: undefined, exp: start + 25 * hour }),
    /valid for more than 24 hours/,
  ],
  'another key under the same kid': [
    async (issuer) => issuer.token({}, { key: await newKey('first') }),
    /could not be verified/,
  ],
  'a key in the header': [
    async (issuer) => {
      const key = await newKey('first')
      return issuer.token({}, { key, header: { jwk: key.publicJwk } })
    },
    /could not be verified/,
  ],
  'a key in the header and a kid of nobody': [
    async (issuer) => {
      const key = await newKey('mine')
      return issuer.token({}, { key, header: { jwk: key.publicJwk } })
    },
    /that its issuer does not publish/,
  ],
  'an address of keys in the header': [
    async (issuer, trap) => issuer.token({}, { key: await newKey('mine'), header: { jku: `${trap}/keys` } }),
    /that its issuer does not publish/,
  ],
  'an address of a certificate in the header': [
    async (issuer, trap) => issuer.token({}, { key: await newKey('mine'), header: { x5u: `${trap}/pem` } }),
    /that its issuer does not publish/,
  ],
  'a critical header that nobody knows': [inHeader({ crit: ['odd'], odd: 1 }), /could not be verified/],
  'an ID token by its type': [inHeader({ typ: 'id_token+jwt' }), /type of the token/],
  'a logout token by its type': [inHeader({ typ: 'logout+jwt' }), /type of the token/],
  'a type that is no text': [inHeader({ typ: 1 }), /type of the token|could not|not trusted/],
  'an ID token by its nonce': [inHeader({ typ: 'JWT' }, { nonce: 'n' }), /contains nonce/],
  'an ID token that calls itself an access token': [times({ at_hash: 'a' }), /contains at_hash/],
  'an ID token by c_hash': [inHeader({ typ: undefined }, { c_hash: 'c' }), /contains c_hash/],
  'a logout token by its events': [inHeader({ typ: 'JWT' }, { events: {} }), /contains events/],
  'an ID token for an application that is our audience': [
    inHeader({ typ: 'JWT' }, { azp: audience }),
    /the application itself/,
  ],
  'a token bound to a key': [times({ cnf: { jkt: 'j' } }), /bound to a key/],
  'claims changed after signing': [
    async (issuer) => {
      const [header, , signature] = (await issuer.token()).split('.')
      const claims = { iss: issuer.url, aud: audience, sub: 'ben', exp: start + 600 }
      return `${header}.${encoded(claims)}.${signature}`
    },
    /could not be verified/,
  ],
  'no JSON': [() => 'a.b.c', /is not trusted/],
  'an encrypted token': [() => 'a.b.c.d.e', /not known here/],
}

void test('C30: no forged, misused or foreign token gives access', async (t) => {
  const issuer = await startIssuer(t)
  const stolen: string[] = []
  const trap = await listen(t, (request, response) => {
    stolen.push(request.url ?? '')
    response.end('{"keys":[]}')
  })
  const waymark = await startTrusting(t, [{ issuer: issuer.url, algorithms: ['ES256', 'EdDSA'] }])
  const identities = createExternalIdentities({
    db: waymark.installation.database.db,
    system: waymark.system,
  })
  for (const subject of ['ann', 'ben']) {
    const { accountId } = await waymark.addPerson()
    await identities.link(byCommand, { issuer: issuer.url, subject }, accountId)
  }
  assert.equal((await ask(waymark, await issuer.token())).status, 200, 'what a forgery differs from is good')
  for (const [what, [forge, sentence]] of Object.entries(forgeries)) {
    await t.test(what, async () => {
      const answer = await ask(waymark, await forge(issuer, trap))
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/)
      const { detail } = await assertProblem(answer, 'invalid-token', what)
      assert.match(detail, sentence)
    })
  }
  assert.deepEqual(stolen, [], 'nobody was asked at an address that a token named')
})

void test('C29: variants between issuers are understood', async (t) => {
  const issuer = await startIssuer(t, { path: '/realms/trails' })
  const key = await newKey('curve', 'EdDSA')
  issuer.keys.push(key)
  const waymark = await startTrusting(t, [{ issuer: issuer.url, accountClaim: 'acct' }])
  const { accountId: acct } = await waymark.addPerson()
  const good: Readonly<Record<string, Promise<string>>> = {
    'no type': issuer.token({ acct }, { header: { typ: undefined } }),
    'type JWT': issuer.token({ acct }, { header: { typ: 'JWT' } }),
    'the long type': issuer.token({ acct }, { header: { typ: 'application/AT+JWT' } }),
    'the id as text': issuer.token({ acct: String(acct) }),
    'a list of audiences': issuer.token({ acct, aud: ['https://maps.example', audience] }),
    'scp as a list': issuer.token({ acct, scope: undefined, scp: ['images:read', 'openid'] }),
    'scp as a text': issuer.token({ acct, scope: undefined, scp: 'openid images:read' }),
    'another curve': issuer.token({ acct }, { key }),
    'clocks a minute apart': issuer.token({ acct, iat: start + 59, nbf: start + 59 }),
    'an end of a moment ago': issuer.token({ acct, iat: start - 600, exp: start - 59 }),
    'no kid, where one key fits': issuer.token({ acct }, { key, header: { kid: undefined } }),
    'the application named beside us': issuer.token({ acct, azp: 'planner', client_id: 'planner' }),
    'a chain of certificates beside it': issuer.token({ acct }, { header: { x5c: ['AA=='], x5t: 'x' } }),
  }
  for (const [what, token] of Object.entries(good)) {
    const answer = await ask(waymark, await token)
    assert.equal(answer.status, 200, `${what}: ${await answer.text()}`)
  }
})

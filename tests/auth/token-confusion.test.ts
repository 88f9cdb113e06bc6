// Anything but our access tokens, or an API key where keys are accepted, is refused (C28–C30, issue 4).
import assert from 'node:assert/strict'
import { createHmac, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { after, before, test } from 'node:test'
import { hostCookieNames } from '../../src/auth/oauth/oauth-cookies.ts'
import { removeClient, registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { createAdministration } from '../../src/admin/administration.ts'
import { byServer } from '../../src/accounts/audit/audit.ts'
import { createSessions } from '../../src/auth/sessions.ts'
import { authorize } from '../helpers/oauth-people.ts'
import { challengeOf, newVerifier } from '../helpers/pkce.ts'
import { addSignedIn, type Member } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

let waymark: Waymark
let person: Member
let clientId: string
const redirectUri = 'https://gallery.example/back'

before(async () => {
  waymark = await startWaymark()
  await waymark.addTrail(7, 'Rim Trail')
  person = await addSignedIn(waymark)
  const { accountId } = await waymark.addPerson()
  ;({ clientId } = await registerClient(waymark.installation.database.db, {
    accountId,
    name: 'Gallery',
    scope: 'images:read images:write',
    now: waymark.system.now(),
    isPublic: true,
    redirectUris: [redirectUri],
  }))
})
after(() => waymark.close())

async function newCode(): Promise<{ code: string; verifier: string }> {
  const verifier = newVerifier()
  const address = new URL(`${waymark.installation.config.publicUrl}/oauth/authorize`)
  address.search = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid images:read images:write',
    state: 'x',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  }).toString()
  return { code: (await authorize(person, address)).searchParams.get('code') ?? '', verifier }
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
}

async function newTokens(): Promise<Tokens> {
  const { code, verifier } = await newCode()
  const body = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
  const answer = await waymark.fetch('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({ ...body, redirect_uri: redirectUri }),
  })
  assert.equal(answer.status, 200)
  return (await answer.json()) as Tokens
}

/** As a bearer token and as an API key, on a read that accepts both and on an endpoint that accepts only tokens. */
async function assertRefused(what: string, credential: string): Promise<void> {
  const bearer = { authorization: `Bearer ${credential}` }
  const asked: readonly (readonly [string, RequestInit])[] = [
    ['/v2/images', { headers: bearer }],
    ['/v2/me', { headers: bearer }],
    ['/Trails/7/Images', { headers: bearer }],
    ['/Trails/7/Images', { method: 'POST', headers: { ...bearer, 'content-type': 'image/jpeg' }, body: 'x' }],
    ['/v2/admin/accounts', { headers: bearer }],
  ]
  for (const [address, init] of asked) {
    const answer = await waymark.fetch(address, init)
    assert.equal(answer.status, 401, `${what} as bearer at ${address}`)
    assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_token"/, what)
  }
}

async function assertNoKey(what: string, credential: string): Promise<void> {
  const inHeader = await waymark.fetch('/Trails/7/Images', { headers: { 'x-api-key': credential } })
  const inQuery = await waymark.fetch(`/Trails/7/Images?api_key=${encodeURIComponent(credential)}`)
  assert.deepEqual([inHeader.status, inQuery.status], [401, 401], `${what} as API key`)
}

void test('C28–C30: only an access token is a bearer token, and only a key is a key', async () => {
  const tokens = await newTokens()
  assert.equal((await waymark.fetch('/v2/me', { token: tokens.access_token })).status, 200)
  const { code } = await newCode()
  const key = await waymark.addKey(person.accountId)
  const { clientSecret = '' } = await registerClient(waymark.installation.database.db, {
    accountId: person.accountId,
    name: 'own',
    scope: 'images:read',
    now: waymark.system.now(),
    isPublic: false,
    redirectUris: [],
  })
  const others = {
    'an ID token': tokens.id_token,
    'a refresh token': tokens.refresh_token,
    'a code': code,
    'a session cookie': person.jar.get('__Host-waymark') ?? '',
    'the cookie of the authorization server': person.jar.get(hostCookieNames.session) ?? '',
    'a client secret': clientSecret,
    'a client id': clientId,
    'a password': person.password.replaceAll(' ', ''),
  }
  for (const [what, credential] of Object.entries(others)) {
    assert.ok(credential.length > 8, what)
    await assertRefused(what, credential)
    await assertNoKey(what, credential)
  }
  await assertRefused('an API key', key)
  await assertNoKey('an access token', tokens.access_token)
  assert.equal((await waymark.fetch('/Trails/7/Images', { headers: { 'x-api-key': key } })).status, 200)
})

void test('C28: neither a token nor a key is a session', async () => {
  const { access_token: token } = await newTokens()
  const key = await waymark.addKey(person.accountId)
  for (const value of [token, key]) {
    const headers = { cookie: `__Host-waymark=${value}`, 'sec-fetch-site': 'same-origin' }
    assert.equal((await waymark.fetch('/v2/me', { headers })).status, 401)
  }
})

void test('C29: only its own secret authenticates a client at the token endpoint', async () => {
  const { access_token: token, refresh_token: refreshToken } = await newTokens()
  const own = await registerClient(waymark.installation.database.db, {
    accountId: person.accountId,
    name: 'own',
    scope: 'images:read',
    now: waymark.system.now(),
    isPublic: false,
    redirectUris: [],
  })
  const secretHash = await waymark.installation.database.db
    .selectFrom('oauth_client')
    .select('secret_hash as hash')
    .where('id', '=', own.clientId)
    .executeTakeFirstOrThrow()
  for (const wrong of [token, refreshToken, secretHash.hash ?? '', '', person.password]) {
    const answer = await waymark.fetch('/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: own.clientId,
        client_secret: wrong,
      }),
    })
    assert.ok([400, 401].includes(answer.status), `${answer.status}`)
    assert.match(await answer.text(), /"error":"invalid_(client|request)"/)
  }
})

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** A JWT with perfect claims and some signature. */
function forged(header: object, claims: object, signature: (text: string) => Buffer | string): string {
  const text = `${encoded(header)}.${encoded(claims)}`
  const made = signature(text)
  return `${text}.${typeof made === 'string' ? made : made.toString('base64url')}`
}

void test('C30: no forged or foreign JWT is accepted: alg none, HS256 with the public key, another key, another audience', async () => {
  const issuer = waymark.installation.config.publicUrl
  const { keys } = (await (await waymark.fetch('/oauth/jwks')).json()) as { keys: { kid: string }[] }
  const [jwk] = keys
  assert.ok(jwk)
  const publicKey = createPublicKey({ key: jwk as never, format: 'jwk' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  const now = Math.floor(waymark.system.now() / 1_000)
  const claims = {
    iss: issuer,
    sub: String(person.accountId),
    aud: issuer,
    scope: 'images:read images:write images:review',
    client_id: clientId,
    iat: now - 10,
    exp: now + 600,
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const rs256 = (key: KeyObject) => (text: string) => sign('sha256', Buffer.from(text), key)
  const kid = jwk.kid
  const tokens = {
    'alg none': forged({ alg: 'none', typ: 'at+jwt' }, claims, () => ''),
    'alg None': forged({ alg: 'None', typ: 'JWT', kid }, claims, () => ''),
    'HS256 with the public key as PEM': forged({ alg: 'HS256', kid }, claims, (text) =>
      createHmac('sha256', pem).update(text).digest(),
    ),
    'HS256 with the public key as JWK': forged({ alg: 'HS256', kid }, claims, (text) =>
      createHmac('sha256', JSON.stringify(jwk)).update(text).digest(),
    ),
    'RS256 with another key under our name': forged({ alg: 'RS256', kid }, claims, rs256(privateKey)),
    'RS256 with its own key in the header': forged(
      { alg: 'RS256', jwk: privateKey.export({ format: 'jwk' }) },
      claims,
      rs256(privateKey),
    ),
    'another audience': forged(
      { alg: 'RS256', kid },
      { ...claims, aud: 'https://x.example' },
      rs256(privateKey),
    ),
    'another issuer': forged(
      { alg: 'RS256', kid },
      { ...claims, iss: 'https://x.example' },
      rs256(privateKey),
    ),
  }
  for (const [what, token] of Object.entries(tokens)) await assertRefused(what, token)
  // The real ID token, signed by our key; with another signature; and truncated.
  const { id_token: idToken } = await newTokens()
  await assertRefused('an ID token without signature', `${idToken.split('.').slice(0, 2).join('.')}.`)
})

void test('C29: tokens of a removed client and of a suspended account are refused from the next request on', async () => {
  const { db } = waymark.installation.database
  const now = () => waymark.system.now()
  const { accountId } = await waymark.addPerson()
  const client = await registerClient(db, {
    accountId,
    name: 'short-lived',
    scope: 'images:read',
    now: now(),
    isPublic: false,
    redirectUris: [],
  })
  const answer = await waymark.fetch('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret ?? '',
    }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  assert.equal((await waymark.fetch('/v2/me', { token })).status, 200)
  await removeClient(db, client.clientId, { by: byServer, now: now() })
  await assertRefused('a token of a removed client', token)

  const suspended = await waymark.addPerson()
  const key = await waymark.addKey(suspended.accountId)
  const sessions = createSessions({ db, now, publicUrl: waymark.installation.config.publicUrl })
  await createAdministration({ db, now, sessions }).change(suspended.accountId, { suspended: true }, byServer)
  await assertRefused('a token of a suspended account', suspended.token)
  await assertNoKey('a key of a suspended account', key)
})

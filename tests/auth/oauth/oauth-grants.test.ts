// Guarantees of sign-in: codes and refresh tokens work once, PKCE is required, and the database contains no usable
// credential.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import {
  answerOf,
  ann,
  basic,
  ben,
  forgeries,
  rawGet,
  startOauth,
  type OauthHarness,
} from '../../helpers/oauth-harness.ts'

const publicUrl = 'https://trails.example/photos/v'
const redirectUri = 'https://app.example/back'
const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')

let oauth: OauthHarness
let clientId: string

before(async () => {
  oauth = await startOauth({ publicUrl })
  ;({ clientId } = await oauth.register({ isPublic: true, redirectUris: [redirectUri] }))
})

after(async () => {
  await oauth.close()
  assert.deepEqual(oauth.faults, [])
})

/** A grant with its code, as the consent page creates them. */
async function grantCode(accountId = ben): Promise<{ code: string; grantId: string }> {
  const { provider } = oauth.server
  const client = await provider.Client.find(clientId)
  assert.ok(client)
  const grant = new provider.Grant({ accountId: String(accountId), clientId })
  grant.addOIDCScope('images:read images:write')
  const grantId = await grant.save()
  const code = new provider.AuthorizationCode({
    client,
    grantId,
    accountId: String(accountId),
    scope: 'images:read images:write',
    gty: 'authorization_code',
    redirectUri,
    codeChallenge: challenge,
    codeChallengeMethod: 'S256',
  })
  return { code: await code.save(), grantId }
}

const redeem = (code: string, changes: Record<string, string> = {}) =>
  oauth.post('/oauth/token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    code,
    ...changes,
  })

const refresh = (token: string) =>
  oauth.post('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token })

const stateOf = async (token = '') => (await oauth.accessTokens.find(token)).state

void test('a code gives an access token of the person and a refresh token', async () => {
  const answer = await answerOf(await redeem((await grantCode()).code))
  assert.equal(answer.expires_in, 900)
  assert.equal(answer.scope, 'images:read images:write')
  assert.ok(answer.refresh_token)
  const found = await oauth.accessTokens.find(answer.access_token)
  assert.ok(found.state === 'live')
  assert.equal(found.accountId, ben)
  assert.equal(found.clientId, clientId)
})

void test('a DPoP header binds nothing, since the binding would not be checked', async () => {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    code: (await grantCode()).code,
  })
  const response = await fetch(`${oauth.baseUrl}/oauth/token`, {
    method: 'POST',
    body,
    headers: { dpop: 'x' },
  })
  assert.equal((await answerOf(response)).token_type, 'Bearer')
})

void test('a refresh token rotates, and reuse revokes the whole family', async () => {
  const first = await answerOf(await redeem((await grantCode()).code))
  const second = await answerOf(await refresh(first.refresh_token ?? ''))
  assert.ok(second.refresh_token && second.refresh_token !== first.refresh_token)
  assert.equal(await stateOf(second.access_token), 'live')

  const reused = await refresh(first.refresh_token ?? '')
  assert.equal((await answerOf(reused)).error, 'invalid_grant')
  assert.equal(await stateOf(first.access_token), 'unknown')
  assert.equal(await stateOf(second.access_token), 'unknown')
  assert.equal((await refresh(second.refresh_token)).status, 400)
})

void test('a code used twice revokes what the first use gave', async () => {
  const { code } = await grantCode()
  const first = await answerOf(await redeem(code))
  assert.equal((await answerOf(await redeem(code))).error, 'invalid_grant')
  assert.equal(await stateOf(first.access_token), 'unknown')
  assert.equal((await refresh(first.refresh_token ?? '')).status, 400)
})

/** At most one response may contain tokens, and they must be revoked once all have responded. */
async function assertOneUse(responses: Response[]): Promise<void> {
  const answers = await Promise.all(responses.map(answerOf))
  const issued = answers.filter(({ access_token: token }) => token !== undefined)
  assert.ok(issued.length <= 1, `${issued.length} succeeded`)
  for (const { error } of answers) assert.ok(error === undefined || error === 'invalid_grant', String(error))
  for (const answer of issued) {
    assert.equal(await stateOf(answer.access_token), 'unknown')
    assert.equal((await refresh(answer.refresh_token ?? '')).status, 400)
  }
}

void test('50 simultaneous redemptions of a code never issue twice, and leave no valid token', async () => {
  const { code, grantId } = await grantCode()
  await assertOneUse(await Promise.all(Array.from({ length: 50 }, () => redeem(code))))
  const left = await oauth.db
    .selectFrom('oauth_object')
    .select('kind')
    .where('grant_id', '=', grantId)
    .execute()
  assert.deepEqual(left, [])
})

void test('50 simultaneous uses of a refresh token never issue twice, and leave no valid token', async () => {
  const { code, grantId } = await grantCode()
  const { refresh_token: token = '' } = await answerOf(await redeem(code))
  await assertOneUse(await Promise.all(Array.from({ length: 50 }, () => refresh(token))))
  const left = await oauth.db
    .selectFrom('oauth_object')
    .select('kind')
    .where('grant_id', '=', grantId)
    .execute()
  assert.deepEqual(left, [])
})

for (const [name, changes] of [
  ['without a verifier', { code_verifier: '' }],
  ['with another verifier', { code_verifier: 'w'.repeat(43) }],
  ['with the challenge for a verifier', { code_verifier: challenge }],
  ['for another redirect address', { redirect_uri: 'https://app.example/other' }],
] as const) {
  void test(`a code ${name} is not redeemed (row 51)`, async () => {
    const response = await redeem((await grantCode()).code, changes)
    assert.equal(response.status, 400)
    assert.match((await answerOf(response)).error ?? '', /^invalid_(grant|request)$/)
  })
}

void test('a client cannot redeem the code of another', async () => {
  const other = await oauth.register({ isPublic: true, redirectUris: [redirectUri] })
  const { code } = await grantCode()
  assert.equal((await answerOf(await redeem(code, { client_id: other.clientId }))).error, 'invalid_grant')
})

void test('a deleted account gets no tokens', async () => {
  assert.equal((await answerOf(await redeem((await grantCode(999)).code))).error, 'invalid_grant')
})

function authorizationTarget(changes: Record<string, string>): string {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'images:read',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'kept',
    ...changes,
  })
  for (const [name, value] of Object.entries(changes)) if (value === '') query.delete(name)
  return `/oauth/authorize?${query.toString()}`
}

const authorize = (changes: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(oauth.baseUrl + authorizationTarget(changes), { redirect: 'manual', headers })

for (const [name, changes, error] of [
  ['without PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
  ['with PKCE plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['with a challenge and no method', { code_challenge_method: '' }, 'invalid_request'],
  ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
  ['for an ID token', { response_type: 'id_token' }, 'unsupported_response_type'],
  ['for a scope beyond the registered', { scope: 'routes:write' }, 'invalid_scope'],
] as const) {
  void test(`authorization ${name} is sent back with ${error}`, async () => {
    const location = new URL((await authorize(changes)).headers.get('location') ?? '')
    assert.equal(location.origin + location.pathname, redirectUri)
    const answered = new URLSearchParams(location.search || location.hash.slice(1))
    assert.equal(answered.get('error'), error)
    assert.equal(answered.get('iss'), oauth.publicUrl)
  })
}

void test('an unregistered redirect URL gets an error page of our own, and no redirect', async () => {
  const response = await authorize({ redirect_uri: `${redirectUri}/<b>` }, { accept: 'text/html' })
  assert.equal(response.status, 400)
  assert.equal(response.headers.get('location'), null)
  assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src/)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  const page = await response.text()
  assert.match(page, /^<!doctype html>/)
  assert.match(page, /invalid_redirect_uri/)
  assert.doesNotMatch(page, /https?:\/\/|<script|@import|<b>/)
})

void test('the page shows what the client sent as plain text', async () => {
  const headers = { origin: '<img src=x>', accept: 'text/html' }
  const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId }
  const page = await (await oauth.post('/oauth/token', form, headers)).text()
  assert.match(page, /&lt;img src=x&gt;/)
  assert.doesNotMatch(page, /<img/)
})

for (const prefix of ['', 'http://evil.example']) {
  void test(`a forged Host changes no URL, not even a stored one, at ${prefix}/oauth/authorize`, async () => {
    const answer = await rawGet(oauth.baseUrl, prefix + authorizationTarget({}), forgeries)
    const uid = /"location":"\/photos\/v\/oauth\/interaction\/([^"]+)"/.exec(answer)?.[1] ?? ''
    const interaction = await oauth.server.provider.Interaction.find(uid)
    assert.equal(interaction?.returnTo, `${publicUrl}/oauth/authorize/${uid}`)
    assert.doesNotMatch(answer, /evil|gopher/)
    assert.match(answer, /__Host-waymark-resume-[^"]* path=\/; [^"]*samesite=lax; secure; httponly/)
  })
}

void test('after a full run the database files contain no usable credential (trap 2)', async () => {
  const { provider } = oauth.server
  const confidential = await oauth.registerConfidential({ accountId: ann })
  const headers = basic(confidential.clientId, confidential.clientSecret)
  const program = await answerOf(
    await oauth.post('/oauth/token', { grant_type: 'client_credentials' }, headers),
  )
  const person = await answerOf(await redeem((await grantCode()).code))
  const unused = await grantCode()
  const started = await authorize({})
  const cookies = started.headers.getSetCookie().map((cookie) => /=([^;]*)/.exec(cookie)?.[1] ?? '')
  const client = await provider.Client.find(clientId)
  assert.ok(client)
  const device = new provider.DeviceCode({
    client,
    params: {},
    deviceInfo: {},
    grantId: unused.grantId,
    userCode: 'QWRTZPSD',
  })
  const deviceCode = await device.save()
  const secretFile = (await fs.readFile(path.join(oauth.folder, 'secret'), 'utf8')).trim()

  const live = {
    clientSecret: confidential.clientSecret.slice(4),
    program: program.access_token,
    person: person.access_token,
    refresh: person.refresh_token ?? '',
    code: unused.code,
    deviceCode,
    userCode: 'QWRTZPSD',
    secretFile,
    cookieKey: oauth.secret.cookieKeys[0] ?? '',
    ...Object.fromEntries(cookies.map((value, index) => [`cookie ${index}`, value])),
  }
  const files = (await fs.readdir(oauth.folder)).filter((name) => name !== 'secret')
  assert.ok(files.includes('waymark.sqlite') && files.includes('waymark.sqlite-wal'))
  const dump = Buffer.concat(
    await Promise.all(files.map((name) => fs.readFile(path.join(oauth.folder, name)))),
  )
  for (const [name, value] of Object.entries(live)) {
    assert.ok(value.length >= 8, `${name} is there to be looked for`)
    assert.equal(dump.includes(value), false, `${name} stands in the database`)
  }
  assert.ok(dump.includes(clientId), 'the dump is the right one')
  assert.doesNotMatch(dump.toString('latin1'), /"d":"/, 'nor does a private key')
  assert.equal(await stateOf(program.access_token), 'live')
  assert.equal(await stateOf(person.access_token), 'live')
})

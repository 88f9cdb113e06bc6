// The token endpoint for programs: client credentials with both secret methods, scopes, revocation, introspection,
// expiry.
import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { sql } from 'kysely'
import * as client from 'openid-client'
import { answerOf, ann, basic, ben, startOauth, type OauthHarness } from '../../helpers/oauth-harness.ts'

let oauth: OauthHarness

before(async () => {
  oauth = await startOauth()
})

after(async () => {
  await oauth.close()
  assert.deepEqual(oauth.faults, [])
})

const grant = { grant_type: 'client_credentials' }

for (const [method, authenticate] of [
  ['client_secret_basic', client.ClientSecretBasic],
  ['client_secret_post', client.ClientSecretPost],
] as const) {
  void test(`openid-client goes from discovery to a revoked token with ${method}`, async () => {
    const { clientId, clientSecret } = await oauth.registerConfidential()
    const config = await client.discovery(
      new URL(oauth.publicUrl),
      clientId,
      clientSecret,
      authenticate(clientSecret),
      { execute: [client.allowInsecureRequests] },
    )
    const answer = await client.clientCredentialsGrant(config, { scope: 'images:write' })
    assert.equal(answer.token_type, 'bearer')
    assert.equal(answer.expires_in, 900)
    assert.equal(answer.scope, 'images:write')

    const found = await oauth.accessTokens.find(answer.access_token)
    assert.ok(found.state === 'live')
    assert.equal(found.accountId, ann)
    assert.deepEqual([...found.scopes], ['images:write'])

    const reported = await client.tokenIntrospection(config, answer.access_token)
    assert.equal(reported.active, true)
    assert.equal(reported.client_id, clientId)
    assert.equal(reported.scope, 'images:write')

    await client.tokenRevocation(config, answer.access_token)
    assert.equal((await oauth.accessTokens.find(answer.access_token)).state, 'unknown')
    assert.deepEqual(await client.tokenIntrospection(config, answer.access_token), { active: false })
  })
}

void test('openid-client discovers the OAuth document as well', async () => {
  const { clientId, clientSecret } = await oauth.registerConfidential()
  const config = await client.discovery(new URL(oauth.publicUrl), clientId, clientSecret, undefined, {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests],
  })
  assert.ok((await client.clientCredentialsGrant(config)).access_token)
})

void test('so does plain HTTP, with the secret in the header or in the body', async () => {
  const { clientId, clientSecret } = await oauth.registerConfidential({ accountId: ben })
  const inHeader = await oauth.post('/oauth/token', grant, basic(clientId, clientSecret))
  const inBody = await oauth.post('/oauth/token', {
    ...grant,
    client_id: clientId,
    client_secret: clientSecret,
  })
  for (const response of [inHeader, inBody]) {
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    const answer = await answerOf(response)
    assert.deepEqual(Object.keys(answer).toSorted(), ['access_token', 'expires_in', 'scope', 'token_type'])
    assert.match(answer.access_token, /^[A-Za-z0-9_-]{43}$/)
    assert.equal(answer.token_type, 'Bearer')
    const found = await oauth.accessTokens.find(answer.access_token)
    assert.ok(found.state === 'live' && found.accountId === ben)
  }
})

void test('a wrong secret is 401 invalid_client, with either method', async () => {
  const { clientId, clientSecret } = await oauth.registerConfidential()
  const wrong = `${clientSecret.slice(0, -1)}${clientSecret.endsWith('A') ? 'B' : 'A'}`
  const { secret_hash: hash } = await oauth.db
    .selectFrom('oauth_client')
    .select('secret_hash')
    .where('id', '=', clientId)
    .executeTakeFirstOrThrow()
  for (const secret of [wrong, 'x', clientSecret.toUpperCase(), hash ?? '']) {
    const inHeader = await oauth.post('/oauth/token', grant, basic(clientId, secret))
    assert.match(inHeader.headers.get('www-authenticate') ?? '', /^Basic /)
    const inBody = await oauth.post('/oauth/token', { ...grant, client_id: clientId, client_secret: secret })
    for (const response of [inHeader, inBody]) {
      assert.equal(response.status, 401)
      assert.equal((await answerOf(response)).error, 'invalid_client')
    }
  }
})

void test('so is an unknown client, a missing secret, and another client with this secret', async () => {
  const { clientId, clientSecret } = await oauth.registerConfidential()
  const other = await oauth.registerConfidential()
  for (const [id, secret] of [
    ['wmc_nobody', clientSecret],
    [other.clientId, clientSecret],
  ] as const) {
    const response = await oauth.post('/oauth/token', grant, basic(id, secret))
    assert.equal(response.status, 401)
  }
  const without = await oauth.post('/oauth/token', { ...grant, client_id: clientId })
  assert.equal(without.status, 401)
  assert.equal((await answerOf(without)).error, 'invalid_client')
})

void test('a client whose account is deleted is unknown', async () => {
  const { clientId, clientSecret } = await oauth.registerConfidential()
  const { db } = oauth
  // As a database without foreign keys would leave it.
  await sql`pragma foreign_keys = off`.execute(db)
  await db.updateTable('oauth_client').set({ account_id: 999 }).where('id', '=', clientId).execute()
  await sql`pragma foreign_keys = on`.execute(db)
  const response = await oauth.post('/oauth/token', grant, basic(clientId, clientSecret))
  assert.equal(response.status, 401)
  assert.equal((await answerOf(response)).error, 'invalid_client')
})

async function scopeAnswer(scope: string | undefined): Promise<[number, string | undefined, string]> {
  const { clientId, clientSecret } = await oauth.registerConfidential({ scope: 'images:read routes:read' })
  const form = scope === undefined ? grant : { ...grant, scope }
  const response = await oauth.post('/oauth/token', form, basic(clientId, clientSecret))
  const answer = await answerOf(response)
  return [response.status, answer.error, answer.scope]
}

void test('without a scope parameter, all registered ones are granted', async () => {
  assert.deepEqual(await scopeAnswer(undefined), [200, undefined, 'images:read routes:read'])
  assert.deepEqual(await scopeAnswer(''), [200, undefined, 'images:read routes:read'])
})

void test('requested scopes are granted', async () => {
  assert.deepEqual(await scopeAnswer('routes:read'), [200, undefined, 'routes:read'])
  assert.deepEqual(await scopeAnswer('routes:read routes:read'), [200, undefined, 'routes:read'])
})

for (const scope of [
  'images:write',
  'images:read images:write',
  'images:delete',
  'openid',
  'offline_access',
  'IMAGES:READ',
  'images:read  routes:read',
  '"',
]) {
  void test(`requesting ${JSON.stringify(scope)} beyond the registered scopes is invalid_scope`, async () => {
    const [status, error] = await scopeAnswer(scope)
    assert.deepEqual([status, error], [400, 'invalid_scope'])
  })
}

for (const [name, form, error] of [
  ['no grant type', {}, 'invalid_request'],
  [
    'an unknown grant type',
    { grant_type: 'password', username: 'a', password: 'b' },
    'unsupported_grant_type',
  ],
  ['the implicit grant', { grant_type: 'implicit' }, 'unsupported_grant_type'],
] as const) {
  void test(`${name} is ${error}`, async () => {
    const { clientId, clientSecret } = await oauth.registerConfidential()
    const response = await oauth.post('/oauth/token', form, basic(clientId, clientSecret))
    assert.equal(response.status, 400)
    assert.equal((await answerOf(response)).error, error)
  })
}

void test('a code, a refresh token or a device code that was never issued is an invalid grant', async () => {
  const { clientId } = await oauth.register({ isPublic: true, redirectUris: ['https://app.example/back'] })
  for (const form of [
    {
      grant_type: 'authorization_code',
      code: 'x',
      code_verifier: 'x'.repeat(43),
      redirect_uri: 'https://app.example/back',
    },
    { grant_type: 'refresh_token', refresh_token: 'x' },
    { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' },
  ]) {
    const response = await oauth.post('/oauth/token', { client_id: clientId, ...form })
    assert.equal(response.status, 400)
    assert.equal((await answerOf(response)).error, 'invalid_grant')
  }
})

void test('a public client cannot use client credentials', async () => {
  const { clientId } = await oauth.register({ isPublic: true, redirectUris: ['https://app.example/back'] })
  const response = await oauth.post('/oauth/token', { ...grant, client_id: clientId })
  assert.equal(response.status, 400)
})

async function issue(options: Parameters<OauthHarness['registerConfidential']>[0] = {}) {
  const registered = await oauth.registerConfidential(options)
  const headers = basic(registered.clientId, registered.clientSecret)
  const { access_token: token } = await answerOf(await oauth.post('/oauth/token', grant, headers))
  return { ...registered, headers, token }
}

void test("another client's token cannot be introspected or revoked", async () => {
  const owner = await issue()
  const other = await issue()
  const reported = await oauth.post('/oauth/introspect', { token: owner.token }, other.headers)
  assert.deepEqual(await reported.json(), { active: false })
  const revoked = await oauth.post('/oauth/revoke', { token: owner.token }, other.headers)
  assert.equal(revoked.status, 400)
  assert.equal((await answerOf(revoked)).error, 'invalid_request')
  assert.equal((await oauth.accessTokens.find(owner.token)).state, 'live')
})

void test('neither works without a client, or with a wrong secret', async () => {
  const owner = await issue()
  for (const endpoint of ['/oauth/introspect', '/oauth/revoke']) {
    assert.equal((await oauth.post(endpoint, { token: owner.token })).status, 400)
    assert.equal(
      (await oauth.post(endpoint, { token: owner.token }, basic(owner.clientId, 'wrong'))).status,
      401,
    )
  }
  assert.equal((await oauth.accessTokens.find(owner.token)).state, 'live')
})

void test('revoking twice, or something unknown, is 200 as RFC 7009 requires', async () => {
  const owner = await issue()
  for (const token of [owner.token, owner.token, 'nonsense']) {
    assert.equal((await oauth.post('/oauth/revoke', { token }, owner.headers)).status, 200)
  }
  assert.equal((await oauth.accessTokens.find(owner.token)).state, 'unknown')
})

void test('a token ends after 15 minutes, to the second, both for introspection and in the store', async () => {
  const begin = 1_800_000_000_000
  mock.timers.enable({ apis: ['Date'], now: begin })
  try {
    const owner = await issue()
    const isActive = async () => {
      const reported = await oauth.post('/oauth/introspect', { token: owner.token }, owner.headers)
      return ((await reported.json()) as { active: boolean }).active
    }
    mock.timers.setTime(begin + 899_000)
    assert.equal(await isActive(), true)
    assert.equal((await oauth.accessTokens.find(owner.token)).state, 'live')
    mock.timers.setTime(begin + 900_000)
    assert.equal(await isActive(), false)
    assert.equal((await oauth.accessTokens.find(owner.token)).state, 'expired')
  } finally {
    mock.timers.reset()
  }
})

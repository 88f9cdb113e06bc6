// URLs of the authorization server: its discovery documents, paths, headers and CORS, for any Host.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { scopes } from '../../../src/auth/scopes.ts'
import { basic, forgeries, rawGet, startOauth, type OauthHarness } from '../../helpers/oauth-harness.ts'

const publicUrl = 'https://trails.example/photos/v'
const grant = { grant_type: 'client_credentials' }

let oauth: OauthHarness
let people: OauthHarness

before(async () => {
  oauth = await startOauth({ publicUrl, corsOrigins: ['https://partner.example'] })
  people = await startOauth()
})

after(async () => {
  await oauth.close()
  await people.close()
  assert.deepEqual([...oauth.faults, ...people.faults], [])
})

const get = (address: string, headers: Record<string, string> = {}) =>
  fetch(`${oauth.baseUrl}${address}`, { headers, redirect: 'manual' })

const methods = ['client_secret_basic', 'client_secret_post', 'none']

const serverMetadata = {
  issuer: publicUrl,
  authorization_endpoint: `${publicUrl}/oauth/authorize`,
  token_endpoint: `${publicUrl}/oauth/token`,
  device_authorization_endpoint: `${publicUrl}/oauth/device`,
  revocation_endpoint: `${publicUrl}/oauth/revoke`,
  introspection_endpoint: `${publicUrl}/oauth/introspect`,
  jwks_uri: `${publicUrl}/oauth/jwks`,
  grant_types_supported: [
    'client_credentials',
    'authorization_code',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:device_code',
  ],
  response_types_supported: ['code'],
  response_modes_supported: ['query', 'fragment', 'form_post'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  scopes_supported: ['openid', ...scopes],
  token_endpoint_auth_methods_supported: methods,
  revocation_endpoint_auth_methods_supported: methods,
  introspection_endpoint_auth_methods_supported: methods,
}

for (const [name, document] of [
  ['oauth-authorization-server', serverMetadata],
  [
    'openid-configuration',
    {
      ...serverMetadata,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    },
  ],
  [
    'oauth-protected-resource',
    {
      resource: publicUrl,
      authorization_servers: [publicUrl],
      scopes_supported: [...scopes],
      bearer_methods_supported: ['header'],
    },
  ],
] as const) {
  for (const address of [
    `/photos/v/.well-known/${name}`,
    `/.well-known/${name}`,
    `/.well-known/${name}/photos/v`,
  ]) {
    void test(`${address} describes what exists and nothing else`, async () => {
      const response = await get(address)
      assert.equal(response.status, 200)
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual(await response.json(), document)
    })
  }
}

void test('every endpoint in the metadata exists', async () => {
  const { clientId, clientSecret } = await oauth.registerConfidential()
  const headers = basic(clientId, clientSecret)
  const inner = (url: string) => url.slice(publicUrl.length)
  assert.equal((await oauth.post(inner(serverMetadata.token_endpoint), grant, headers)).status, 200)
  for (const url of [serverMetadata.introspection_endpoint, serverMetadata.revocation_endpoint]) {
    assert.equal((await oauth.post(inner(url), { token: 'x' }, headers)).status, 200)
  }
  const { keys } = (await (await get(inner(serverMetadata.jwks_uri))).json()) as {
    keys: Record<string, string>[]
  }
  assert.deepEqual(Object.keys(keys[0] ?? {}).toSorted(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
})

void test('with a path in PUBLIC_URL the endpoints respond below it, too', async () => {
  const { clientId, clientSecret } = await oauth.registerConfidential()
  const response = await oauth.post('/photos/v/oauth/token', grant, basic(clientId, clientSecret))
  assert.equal(response.status, 200)
})

void test('a service without a path has the plain URLs only', async () => {
  const found = await fetch(`${people.baseUrl}/.well-known/oauth-authorization-server`)
  assert.equal(((await found.json()) as { issuer: string }).issuer, people.publicUrl)
  assert.equal((await fetch(`${people.baseUrl}/.well-known/oauth-authorization-server/`)).status, 404)
})

for (const address of [
  '/oauth',
  '/oauth/register',
  '/oauth/userinfo',
  '/reg',
  '/me',
  '/request',
  '/session/end',
  '/session/end/confirm',
  '/interaction/x',
]) {
  void test(`${address} is not found`, async () => {
    assert.equal((await get(address)).status, 404)
    assert.equal((await oauth.post(address, {})).status, 404)
  })
}

for (const target of [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
  'http://evil.example/.well-known/oauth-authorization-server',
  '/oauth/jwks',
]) {
  void test(`a forged Host does not change the response of ${target}`, async () => {
    assert.doesNotMatch(await rawGet(oauth.baseUrl, target, forgeries), /evil|gopher|"http:/)
  })
}

void test('the endpoints for people refuse a request without parameters', async () => {
  assert.equal((await fetch(`${people.baseUrl}/oauth/authorize`)).status, 400)
  assert.equal((await people.post('/oauth/device', {})).status, 400)
  assert.equal((await fetch(`${people.baseUrl}/device`)).status, 200)
})

void test('responses have the headers set by hooks, and are neither cached nor sniffed', async () => {
  const { clientId, clientSecret } = await oauth.registerConfidential()
  const headers = basic(clientId, clientSecret)
  for (const response of [
    await oauth.post('/oauth/token', grant, headers),
    await oauth.post('/oauth/token', {}, headers),
    await oauth.post('/oauth/revoke', { token: 'x' }, headers),
  ]) {
    assert.equal(response.headers.get('x-test-hook'), 'ran')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  }
})

const corsOf = (response: Response) => response.headers.get('access-control-allow-origin')

void test('pages may read token responses from the operator’s origins and the site itself, and no others', async () => {
  const { clientId, clientSecret } = await oauth.registerConfidential()
  const headers = basic(clientId, clientSecret)
  for (const origin of ['https://partner.example', 'https://trails.example']) {
    const response = await oauth.post('/oauth/token', grant, { ...headers, origin })
    assert.deepEqual([response.status, corsOf(response)], [200, origin])
  }
  for (const origin of ['https://evil.example', 'null', 'https://partner.example.evil.example']) {
    const response = await oauth.post('/oauth/token', grant, { ...headers, origin })
    assert.deepEqual([response.status, corsOf(response)], [400, null])
    const unknown = await oauth.post('/oauth/token', grant, { ...basic('wmc_nobody', 'x'), origin })
    assert.deepEqual([unknown.status, corsOf(unknown)], [401, null])
  }
  assert.equal(corsOf(await oauth.post('/oauth/token', grant, headers)), null)
})

void test('so may a registered application from its redirect origins', async () => {
  const redirectUris = ['https://app.example/back']
  const { clientId } = await people.register({ isPublic: true, redirectUris })
  const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId }
  const own = await people.post('/oauth/token', form, { origin: 'https://app.example' })
  assert.equal(corsOf(own), 'https://app.example')
  const other = await people.post('/oauth/token', form, { origin: 'https://other.example' })
  assert.equal(corsOf(other), null)
})

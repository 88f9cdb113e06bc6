// openid-client as the application: discovery, code with PKCE through the real pages, refresh, revocation, introspection
// (C29).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oidc from 'openid-client'
import { authorize } from '../../helpers/oauth-people.ts'
import { oauthErrorOf, requestOf, signInTo, startOauthSite, webRedirect } from '../../helpers/oauth-site.ts'
import { addMember } from '../../helpers/visitor.ts'

const statusOf = async (fetching: Promise<Response>): Promise<number> => (await fetching).status

void test('D5: openid-client discovers both documents, and every URL is below the issuer', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application()
  const clientId = application.clientMetadata().client_id
  const plain = await oidc.discovery(new URL(site.url), clientId, {}, oidc.None(), {
    algorithm: 'oauth2',
    execute: [oidc.allowInsecureRequests],
  })
  for (const metadata of [application.serverMetadata(), plain.serverMetadata()]) {
    assert.equal(metadata.issuer, site.url)
    assert.ok(metadata.supportsPKCE('S256'))
    for (const [name, value] of Object.entries(metadata))
      if (/_endpoint$|_uri$/.test(name))
        assert.ok(typeof value === 'string' && value.startsWith(`${site.url}/`), name)
  }
})

void test('C29: code with PKCE through the real pages; the ID token, its nonce and iss are valid; the token works on the API', async (t) => {
  const site = await startOauthSite(t)
  for (const isPublic of [true, false]) {
    const application = await site.application({ isPublic })
    const person = await addMember(site.waymark)
    const { tokens, back } = await signInTo(application, person)
    assert.equal(back.searchParams.get('iss'), site.url)
    const claims = tokens.claims()
    assert.equal(claims?.sub, String(person.accountId))
    assert.equal(claims.aud, application.clientMetadata().client_id)
    assert.equal(tokens.scope, 'openid images:read images:write')
    assert.equal(tokens.expires_in, 900)
    const images = await oidc.fetchProtectedResource(
      application,
      tokens.access_token,
      new URL(`${site.url}/v2/images`),
      'GET',
    )
    assert.equal(images.status, 200)
  }
})

void test('C29: a response with the wrong nonce, state, verifier or issuer is refused by the library or by us', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application()
  const person = await addMember(site.waymark)
  const { address, checks } = await requestOf(application)
  const back = await authorize(person, address)
  const exchange = (changed: object, where = back) =>
    oidc.authorizationCodeGrant(application, where, { ...checks, ...changed, idTokenExpected: true })
  await assert.rejects(exchange({ expectedState: 'other' }), oidc.ClientError)
  const elsewhere = new URL(back)
  elsewhere.searchParams.set('iss', 'https://evil.example')
  await assert.rejects(exchange({}, elsewhere), oidc.ClientError)
  assert.equal(
    await oauthErrorOf(exchange({ pkceCodeVerifier: oidc.randomPKCECodeVerifier() })),
    'invalid_grant',
  )

  const other = await requestOf(application)
  const again = await authorize(person, other.address)
  await assert.rejects(
    oidc.authorizationCodeGrant(application, again, { ...other.checks, expectedNonce: 'other' }),
    oidc.ClientError,
  )
})

void test('C29: a code used twice is refused, and everything it gave is revoked', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application()
  const person = await addMember(site.waymark)
  const { tokens, back, checks } = await signInTo(application, person)
  const use = () => statusOf(site.waymark.fetch('/v2/images', { token: tokens.access_token }))
  assert.equal(await use(), 200)
  assert.equal(await oauthErrorOf(oidc.authorizationCodeGrant(application, back, checks)), 'invalid_grant')
  assert.equal(await use(), 401)
  assert.equal(
    await oauthErrorOf(oidc.refreshTokenGrant(application, tokens.refresh_token ?? '')),
    'invalid_grant',
  )
})

void test('C29: a code does not work for another application', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application()
  const thief = await site.application({ name: 'Thief' })
  const person = await addMember(site.waymark)
  const { address, checks } = await requestOf(application)
  const back = await authorize(person, address)
  assert.equal(await oauthErrorOf(oidc.authorizationCodeGrant(thief, back, checks)), 'invalid_grant')
})

void test('C29: refresh gives new tokens; a refresh token used twice revokes its family; fewer scopes may be requested, never more', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application()
  const person = await addMember(site.waymark)
  const { tokens } = await signInTo(application, person)
  const first = tokens.refresh_token ?? ''
  const second = await oidc.refreshTokenGrant(application, first, { scope: 'images:read' })
  assert.equal(second.scope, 'images:read')
  const more = oidc.refreshTokenGrant(application, second.refresh_token ?? '', { scope: 'routes:write' })
  assert.equal(await oauthErrorOf(more), 'invalid_scope')
  const third = await oidc.refreshTokenGrant(application, second.refresh_token ?? '')
  assert.equal(await statusOf(site.waymark.fetch('/v2/images', { token: third.access_token })), 200)
  assert.equal(await oauthErrorOf(oidc.refreshTokenGrant(application, first)), 'invalid_grant')
  for (const token of [tokens.access_token, second.access_token, third.access_token])
    assert.equal(await statusOf(site.waymark.fetch('/v2/images', { token })), 401)
  const last = oidc.refreshTokenGrant(application, third.refresh_token ?? '')
  assert.equal(await oauthErrorOf(last), 'invalid_grant')
})

void test('C29: a revoked token is refused at the next request, and only its own client can introspect it', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application({ isPublic: false })
  const other = await site.application({ isPublic: false, name: 'Other' })
  const person = await addMember(site.waymark)
  const { tokens } = await signInTo(application, person)
  const token = tokens.access_token
  const known = await oidc.tokenIntrospection(application, token)
  assert.deepEqual(
    [known.active, known.sub, known.client_id],
    [true, String(person.accountId), application.clientMetadata().client_id],
  )
  assert.deepEqual(await oidc.tokenIntrospection(other, token), { active: false })
  await assert.rejects(oidc.tokenRevocation(other, token), oidc.ResponseBodyError)
  assert.equal(await statusOf(site.waymark.fetch('/v2/images', { token })), 200)
  await oidc.tokenRevocation(application, token)
  assert.equal(await statusOf(site.waymark.fetch('/v2/images', { token })), 401)
  assert.deepEqual(await oidc.tokenIntrospection(application, token), { active: false })
  // Revoking the refresh token revokes all tokens of the grant.
  const again = await signInTo(application, person)
  await oidc.tokenRevocation(application, again.tokens.refresh_token ?? '')
  assert.equal(await statusOf(site.waymark.fetch('/v2/images', { token: again.tokens.access_token })), 401)
})

void test('C29: client credentials act as the account of the client, with only its registered scopes', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application({ isPublic: false, redirectUris: [], scope: 'images:read' })
  const tokens = await oidc.clientCredentialsGrant(application)
  assert.equal(tokens.scope, 'images:read')
  assert.equal(await statusOf(site.waymark.fetch('/v2/images', { token: tokens.access_token })), 200)
  assert.equal(tokens.refresh_token, undefined)
  const more = oidc.clientCredentialsGrant(application, { scope: 'images:write' })
  assert.equal(await oauthErrorOf(more), 'invalid_scope')
  const wrong = new oidc.Configuration(
    application.serverMetadata(),
    application.clientMetadata().client_id,
    'wms_wrong',
  )
  oidc.allowInsecureRequests(wrong)
  assert.equal(await oauthErrorOf(oidc.clientCredentialsGrant(wrong)), 'invalid_client')
  const open = await site.application() // it cannot authenticate, which the provider reports as an invalid request
  assert.equal(await oauthErrorOf(oidc.clientCredentialsGrant(open)), 'invalid_request')
})

void test('C29: refusing, and requesting an unknown or unregistered scope, return OAuth errors', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application({ scope: 'images:read' })
  const person = await addMember(site.waymark)
  const refused = await requestOf(application, { scope: 'openid images:read' })
  const back = await authorize(person, refused.address, 'deny')
  assert.equal(back.origin + back.pathname, webRedirect)
  assert.equal(
    await oauthErrorOf(oidc.authorizationCodeGrant(application, back, refused.checks)),
    'access_denied',
  )
  for (const scope of ['images:everything', 'images:read admin', 'images:write', 'Images:Read']) {
    const { address, checks } = await requestOf(application, { scope: `openid ${scope}` })
    const answer = await authorize(person, address)
    const error = await oauthErrorOf(oidc.authorizationCodeGrant(application, answer, checks))
    assert.equal(error, 'invalid_scope', scope)
  }
})

void test('C29: parameters that OpenID libraries send by default are ignored, and the response says what was granted', async (t) => {
  const site = await startOauthSite(t)
  const person = await addMember(site.waymark)
  const scope = 'openid profile email offline_access images:read'
  const { tokens } = await signInTo(await site.application(), person, { scope })
  assert.equal(tokens.scope, 'openid images:read')
})

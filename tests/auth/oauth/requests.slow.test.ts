// Authorization requests that must be refused: similar redirect addresses, missing or plain PKCE, and the effects of
// prompt and max_age (C29).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oidc from 'openid-client'
import { authorize, passPages, submit } from '../../helpers/oauth-people.ts'
import { oauthErrorOf, requestOf, signInTo, startOauthSite, webRedirect } from '../../helpers/oauth-site.ts'
import { addMember, addSignedIn } from '../../helpers/visitor.ts'

/** None of them equals the registered address. */
const tricks = [
  `${webRedirect}/`,
  `${webRedirect}/more`,
  `${webRedirect}.evil.example`,
  `${webRedirect}?`,
  `${webRedirect}?more=1`,
  `${webRedirect}#`,
  `${webRedirect}#fragment`,
  `${webRedirect} `,
  `${webRedirect}%20`,
  `${webRedirect}%00`,
  `${webRedirect}\n`,
  'https://gallery.example//back',
  'https://gallery.example/./back',
  'https://gallery.example/%2e/back',
  'https://gallery.example/x/../back',
  'https://gallery.example/x/%2e%2e/back',
  'https://gallery.example/b%61ck',
  'https://gallery.example/Back',
  'https://gallery.example\\back',
  'https://gallery.example',
  'https://gallery.example:443/back',
  'https://gallery.example:8443/back',
  'https://GALLERY.example/back',
  'HTTPS://gallery.example/back',
  'http://gallery.example/back',
  'https://gallery.example./back',
  'https://www.gallery.example/back',
  'https://gallery.example@evil.example/back',
  'https://gallery.example%40evil.example/back',
  'https://gallery.example\\@evil.example/back',
  'https://user@gallery.example/back',
  'https://user:word@gallery.example/back',
  'https://gallery.example.evil.example/back',
  'https://evil.example/https://gallery.example/back',
  '//gallery.example/back',
  '/back',
  'javascript:alert(1)',
  'data:text/html,x',
  'urn:ietf:wg:oauth:2.0:oob',
]

void test('C29: redirects go to registered URLs only, whatever trick is tried', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application()
  const person = await addSignedIn(site.waymark)
  for (const redirect of tricks) {
    const { address } = await requestOf(application)
    address.searchParams.set('redirect_uri', redirect)
    const answer = await person.get(address.href)
    assert.deepEqual([answer.status, answer.location], [400, null], redirect)
    assert.match(answer.text, /Something went wrong/, redirect)
  }
  const { address } = await requestOf(application)
  address.searchParams.append('redirect_uri', 'https://evil.example/')
  const twice = new URL((await person.get(address.href)).location ?? '')
  assert.deepEqual([twice.hostname, twice.searchParams.get('error')], ['gallery.example', 'invalid_request'])
  // The token endpoint checks it again.
  const { address: good, checks } = await requestOf(application)
  const back = await authorize(person, good)
  const elsewhere = new URL(back)
  elsewhere.pathname = '/Back'
  const exchange = oidc.authorizationCodeGrant(application, elsewhere, checks)
  assert.equal(await oauthErrorOf(exchange), 'invalid_grant')
})

void test("C29, RFC 8252: an application on the user's machine may use any port of its host, and nothing else", async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application({ redirectUris: ['http://127.0.0.1/back'] })
  const person = await addMember(site.waymark)
  for (const port of [1_025, 40_001, 65_535]) {
    const redirect = `http://127.0.0.1:${port}/back`
    const { tokens, back } = await signInTo(application, person, { redirect_uri: redirect })
    assert.equal(back.origin + back.pathname, redirect)
    assert.equal(tokens.token_type, 'bearer')
  }
  const near = [
    'http://localhost:4000/back',
    'http://[::1]:4000/back',
    'http://127.0.0.2:4000/back',
    'http://127.1:4000/back',
    'http://2130706433:4000/back',
    'http://0x7f.0.0.1:4000/back',
    'https://127.0.0.1:4000/back',
    'http://127.0.0.1:4000/Back',
    'http://127.0.0.1:4000/back/',
    'http://127.0.0.1:4000/back?x=1',
    'http://127.0.0.1:4000/back#x',
    'http://127.0.0.1:4000@evil.example/back',
    'http://127.0.0.1.evil.example:4000/back',
    'http://user@127.0.0.1:4000/back',
    'http://127.0.0.1:4000//back',
    'http://127.0.0.1:4000/%2e/back',
  ]
  for (const redirect of near) {
    const { address } = await requestOf(application, { redirect_uri: redirect })
    const answer = await person.get(address.href)
    assert.deepEqual([answer.status, answer.location], [400, null], redirect)
  }
})

void test('C29: without PKCE, with plain, or with an invalid challenge, no code is issued', async (t) => {
  const site = await startOauthSite(t)
  for (const isPublic of [true, false]) {
    const application = await site.application({ isPublic })
    const person = await addSignedIn(site.waymark)
    const changes: readonly ((query: URLSearchParams) => void)[] = [
      (query) => {
        query.delete('code_challenge')
        query.delete('code_challenge_method')
      },
      (query) => query.delete('code_challenge'),
      (query) => query.delete('code_challenge_method'), // which means plain
      (query) => query.set('code_challenge_method', 'plain'),
      (query) => query.set('code_challenge_method', 's256'),
      (query) => query.set('code_challenge', ''),
      (query) => query.set('code_challenge', 'short'),
    ]
    for (const [index, change] of changes.entries()) {
      const { address, checks } = await requestOf(application)
      change(address.searchParams)
      const back = await authorize(person, address)
      assert.equal(back.searchParams.get('code'), null)
      const error = await oauthErrorOf(oidc.authorizationCodeGrant(application, back, checks))
      assert.equal(error, 'invalid_request', String(index))
    }
  }
  // The token endpoint requires the verifier.
  const application = await site.application()
  const { address, checks } = await requestOf(application)
  const back = await authorize(await addMember(site.waymark), address)
  const { expectedState, expectedNonce } = checks
  const exchange = oidc.authorizationCodeGrant(application, back, { expectedState, expectedNonce })
  assert.equal(await oauthErrorOf(exchange), 'invalid_grant')
})

void test('C29: implicit and other response types are refused; there is no password grant', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application()
  const person = await addSignedIn(site.waymark)
  for (const type of ['token', 'id_token', 'id_token token', 'code id_token', 'code token', 'none']) {
    const { address } = await requestOf(application, { response_type: type })
    const answer = await person.follow(await person.get(address.href))
    const back = answer.location === null ? undefined : new URL(answer.location)
    const reported = back && new URLSearchParams(back.search || back.hash.slice(1))
    assert.equal(reported?.get('error') ?? 'page', reported ? 'unsupported_response_type' : 'page', type)
    for (const name of ['code', 'access_token', 'id_token'])
      assert.equal(reported?.get(name) ?? null, null, type)
  }
  const grant = oidc.genericGrantRequest(application, 'password', {
    username: person.email,
    password: person.password,
  })
  assert.equal(await oauthErrorOf(grant), 'unsupported_grant_type')
})

void test('C29: prompt=none never shows a page: login_required, consent_required, or the code', async (t) => {
  const site = await startOauthSite(t)
  const application = await site.application()
  const person = await addMember(site.waymark)
  const quietly = async () => {
    const { address, checks } = await requestOf(application, { prompt: 'none' })
    const { location } = await person.follow(await person.get(address.href))
    const exchange = oidc.authorizationCodeGrant(application, new URL(location ?? ''), checks)
    return oauthErrorOf(exchange)
  }
  assert.equal(await quietly(), 'login_required')
  // Signed in here, but unknown to the authorization server: it may still show nothing.
  await person.post('/sign-in', { email: person.email, password: person.password })
  assert.equal(await quietly(), 'login_required')
  await signInTo(application, person)
  assert.equal(await quietly(), 'no error')
  const other = await site.application({ name: 'Other' })
  const { address, checks } = await requestOf(other, { prompt: 'none' })
  const { location } = await person.follow(await person.get(address.href))
  const exchange = oidc.authorizationCodeGrant(other, new URL(location ?? ''), checks)
  assert.equal(await oauthErrorOf(exchange), 'consent_required')
})

void test('C29: prompt=consent asks again; prompt=login and max_age ask for the password again, and the ID token has auth_time', async (t) => {
  const site = await startOauthSite(t, { hasHeldClocks: true })
  const application = await site.application()
  const person = await addMember(site.waymark)
  await signInTo(application, person)
  const asked = async (parameters: Record<string, string>) => {
    const { address } = await requestOf(application, parameters)
    const page = await person.follow(await person.get(address.href))
    if (page.location !== null) return 'nothing'
    return /Sign in again/.test(page.text) ? 'password' : 'consent'
  }
  assert.equal(await asked({}), 'nothing')
  assert.equal(await asked({ prompt: 'consent' }), 'consent')
  assert.equal(await asked({ prompt: 'login' }), 'nothing') // within the same second; see below
  site.turn(90_000)
  assert.equal(await asked({ max_age: '3600' }), 'nothing')
  assert.equal(await asked({ max_age: '60' }), 'password')
  assert.equal(await asked({ prompt: 'login' }), 'password')

  const { address, checks } = await requestOf(application, { max_age: '60' })
  const back = await authorize(person, address)
  const tokens = await oidc.authorizationCodeGrant(application, back, { ...checks, maxAge: 60 })
  assert.equal(tokens.claims()?.auth_time, Math.floor(Date.now() / 1_000))
})

void test('C29: signing in as somebody else when asked again gives that account, and never the other', async (t) => {
  const site = await startOauthSite(t, { hasHeldClocks: true })
  const application = await site.application()
  const ann = await addMember(site.waymark)
  const ben = await addMember(site.waymark)
  await signInTo(application, ann)
  site.turn(60_000)
  const { address, checks } = await requestOf(application, { prompt: 'login' })
  const page = await ann.follow(await ann.get(address.href))
  const next = await submit(ann, page, { do: 'sign-in', email: ben.email, password: ben.password })
  const { location, text } = await passPages(ann, next)
  assert.ok(location !== null, text)
  const tokens = await oidc.authorizationCodeGrant(application, new URL(location), checks)
  assert.equal(tokens.claims()?.sub, String(ben.accountId))
})

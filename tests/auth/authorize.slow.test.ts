// The authorization code grant for a person and an application: sign-in, consent, code, tokens, and revocation (C29).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { addMember, addSignedIn, createVisitor, type Visitor } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { challengeOf, newVerifier } from '../helpers/pkce.ts'

let waymark: Waymark
let clientId: string
const redirectUri = 'https://gallery.example/back'

before(async () => {
  waymark = await startWaymark()
  const { accountId } = await waymark.addPerson({ name: 'Publisher' })
  const client = { accountId, name: 'Gallery', isPublic: true, redirectUris: [redirectUri] }
  const { db } = waymark.installation.database
  clientId = (
    await registerClient(db, { ...client, scope: 'images:read images:write images:review', now: 0 })
  ).clientId
})
after(() => waymark.close())

function authorizeUrl(verifier: string, parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid images:read images:write',
    state: 'abc',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return `/oauth/authorize?${query.toString()}`
}

const token = (form: Record<string, string>) =>
  waymark.fetch('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, ...form }),
  })

/** Presses a button on the current page. */
async function press(visitor: Visitor, page: string, fields: Record<string, string>) {
  const action = /<form method="post" action="([^"]*interaction[^"]*)"/.exec(page)?.[1]
  assert.ok(action, page)
  return visitor.follow(await visitor.post(action, fields))
}

async function codeFor(visitor: Visitor, verifier: string, parameters: Record<string, string> = {}) {
  let answer = await visitor.follow(await visitor.get(authorizeUrl(verifier, parameters)))
  if (answer.location === null) answer = await press(visitor, answer.text, { do: 'allow' })
  const back = new URL(answer.location ?? '')
  assert.equal(back.origin + back.pathname, redirectUri)
  assert.equal(back.searchParams.get('state'), 'abc')
  return back.searchParams.get('code') ?? ''
}

void test('C29: a person signs in, consents once in plain words, and the application gets a working token', async () => {
  const member = await addMember(waymark)
  const verifier = newVerifier()
  const signInPage = await member.follow(await member.get(authorizeUrl(verifier)))
  assert.equal(signInPage.status, 200)
  assert.match(signInPage.text, /Gallery/)
  assert.match(
    signInPage.headers.get('content-security-policy') ?? '',
    /form-action 'self' https:\/\/gallery\.example(;|$)/,
  )
  const wrong = await press(member, signInPage.text, {
    do: 'sign-in',
    email: member.email,
    password: 'nonsense',
  })
  assert.equal(wrong.status, 403)
  assert.match(wrong.text, /Incorrect email address or password|No account matches/)
  const consent = await press(member, wrong.text, {
    do: 'sign-in',
    email: member.email,
    password: member.password,
  })
  assert.equal(consent.status, 200, consent.text)
  assert.match(consent.text, /Allow Gallery\?/)
  assert.match(consent.text, /Upload photos as you/)
  const back = await press(member, consent.text, { do: 'allow' })
  const code = new URL(back.location ?? '').searchParams.get('code') ?? ''

  const answer = await token({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  })
  assert.equal(answer.status, 200)
  const tokens = (await answer.json()) as Record<string, string>
  assert.equal(tokens['scope'], 'openid images:read images:write')
  const mine = await waymark.fetch('/v2/images', { token: tokens['access_token'] ?? '' })
  assert.equal(mine.status, 200)

  // Consent is asked once; the second time nothing is shown.
  const again = newVerifier()
  const straight = await member.follow(await member.get(authorizeUrl(again)))
  assert.match(straight.location ?? '', /^https:\/\/gallery\.example\/back\?code=/)
})

void test('C29: refusing sends the person back with access_denied and grants nothing', async () => {
  const member = await addSignedIn(waymark)
  const consent = await member.follow(await member.get(authorizeUrl(newVerifier())))
  const back = await press(member, consent.text, { do: 'deny' })
  assert.match(back.location ?? '', /error=access_denied/)
})

void test('trap 5: a member who consents to images:review does not get it', async () => {
  const member = await addSignedIn(waymark)
  const verifier = newVerifier()
  const parameters = { scope: 'images:read images:review' }
  const consent = await member.follow(await member.get(authorizeUrl(verifier, parameters)))
  assert.match(consent.text, /will not get it:<\/p>\s*<ul[^>]*>\s*<li>Approve, reject and edit/)
  const code = await codeFor(member, verifier, parameters)
  const answer = await token({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  })
  assert.equal(((await answer.json()) as { scope: string }).scope, 'images:read')
})

void test('C29: a refresh token works once; if it is used again, the whole family is revoked', async () => {
  const member = await addSignedIn(waymark)
  const verifier = newVerifier()
  const code = await codeFor(member, verifier)
  const exchange = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  }
  const first = (await (await token(exchange)).json()) as Record<string, string>
  const second = await token({ grant_type: 'refresh_token', refresh_token: first['refresh_token'] ?? '' })
  assert.equal(second.status, 200)
  const renewed = (await second.json()) as Record<string, string>
  assert.notEqual(renewed['refresh_token'], first['refresh_token'])
  const reused = await token({ grant_type: 'refresh_token', refresh_token: first['refresh_token'] ?? '' })
  assert.equal(reused.status, 400)
  const dead = await token({ grant_type: 'refresh_token', refresh_token: renewed['refresh_token'] ?? '' })
  assert.equal(dead.status, 400)
  assert.equal((await waymark.fetch('/v2/images', { token: renewed['access_token'] ?? '' })).status, 401)
})

void test('signing out also ends the session at the authorization server', async () => {
  const member = await addSignedIn(waymark)
  await codeFor(member, newVerifier())
  assert.equal((await member.post('/sign-out', {})).status, 200)
  const page = await member.follow(await member.get(authorizeUrl(newVerifier())))
  assert.match(page.text, /<h1>Sign in<\/h1>/)
  const other = await addMember(waymark)
  const consent = await press(member, page.text, {
    do: 'sign-in',
    email: other.email,
    password: other.password,
  })
  assert.match(consent.text, new RegExp(`Member ${other.email.replace(/\D/g, '')}`))
})

void test('prompt=login asks for the password although the person is signed in', async () => {
  const member = await addSignedIn(waymark)
  await codeFor(member, newVerifier())
  waymark.system.advance(60_000)
  const page = await member.follow(await member.get(authorizeUrl(newVerifier(), { prompt: 'login' })))
  assert.match(page.text, /Sign in again/)
  const back = await press(member, page.text, {
    do: 'sign-in',
    email: member.email,
    password: member.password,
  })
  assert.match(back.location ?? '', /code=/)
})

void test('a form from another site is refused, and an interaction does not work in another browser', async () => {
  const member = await addSignedIn(waymark)
  const consent = await member.follow(await member.get(authorizeUrl(newVerifier())))
  const action = /action="([^"]*interaction[^"]*)"/.exec(consent.text)?.[1] ?? ''
  const foreign = await member.post(
    action,
    { do: 'allow' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  )
  assert.equal(foreign.status, 403)
  const stranger = createVisitor(waymark)
  assert.equal((await stranger.get(action)).status, 410)
})

void test('an application that only identifies people needs consent once, is listed, and can be revoked', async () => {
  const member = await addSignedIn(waymark)
  const parameters = { scope: 'openid' }
  await codeFor(member, newVerifier(), parameters)
  const again = await member.follow(await member.get(authorizeUrl(newVerifier(), parameters)))
  assert.match(again.location ?? '', /code=/, 'it was asked a second time')
  const apps = await member.call('GET', '/v2/me/apps')
  assert.deepEqual(
    (JSON.parse(apps.text) as { items: Record<string, unknown>[] }).items.map(({ clientId: id, scopes }) => [
      id,
      scopes,
    ]),
    [[clientId, []]],
  )
  assert.equal((await member.call('DELETE', `/v2/me/apps/${clientId}`)).status, 204)
  const anew = await member.follow(await member.get(authorizeUrl(newVerifier(), parameters)))
  assert.match(anew.text, /Allow Gallery\?/)
})

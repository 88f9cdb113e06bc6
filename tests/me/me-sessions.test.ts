// /v2/me/sessions and /v2/me/apps: where one is signed in, what one has allowed, and ending either at once (C29).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { listAudit } from '../../src/accounts/audit/audit.ts'
import { challengeOf, newVerifier } from '../helpers/pkce.ts'
import { addSignedIn, createVisitor, type Answer, type Member, type Visitor } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const { db } = waymark.installation.database
const redirectUri = 'https://gallery.example/back'
const publisher = await waymark.addPerson({ name: 'Publisher <i>' })
const { clientId } = await registerClient(db, {
  accountId: publisher.accountId,
  name: 'Gallery',
  scope: 'images:read images:write',
  isPublic: true,
  redirectUris: [redirectUri],
  now: waymark.system.now(),
})

interface Session {
  readonly id: string
  readonly browser: string
  readonly isCurrent: boolean
}
interface App {
  readonly clientId: string
  readonly scopes: string[]
}
const itemsOf = <Item>({ text }: Answer): Item[] => (JSON.parse(text) as { items: Item[] }).items
const sessionsOf = async (visitor: Visitor) => itemsOf<Session>(await visitor.call('GET', '/v2/me/sessions'))
const appsOf = async (visitor: Visitor) => itemsOf<App>(await visitor.call('GET', '/v2/me/apps'))

async function signInElsewhere({ email, password }: Member, browser: string): Promise<Visitor> {
  const visitor = createVisitor(waymark)
  const answer = await visitor.post('/sign-in', { email, password }, { 'user-agent': browser })
  assert.equal(answer.status, 303)
  return visitor
}

/** Sends the person through consent. @returns the application's tokens. */
async function allow(member: Member): Promise<Record<string, string>> {
  const verifier = newVerifier()
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid images:read images:write',
    state: 'x',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  })
  let answer = await member.follow(await member.get(`/oauth/authorize?${query.toString()}`))
  if (answer.location === null) {
    const action = /action="([^"]*interaction[^"]*)"/.exec(answer.text)?.[1] ?? ''
    answer = await member.follow(await member.post(action, { do: 'allow' }))
  }
  const code = new URL(answer.location ?? '').searchParams.get('code') ?? ''
  const tokens = await waymark.fetch('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
    }),
  })
  assert.equal(tokens.status, 200, answer.location ?? answer.text)
  return (await tokens.json()) as Record<string, string>
}

void test('Part D: browsers are listed by the name they report; one can be signed out, then all others', async () => {
  const member = await addSignedIn(waymark)
  const [phone, laptop, library] = await Promise.all(
    ['Phone/1', 'Laptop/2', 'Library/3'].map((browser) => signInElsewhere(member, browser)),
  )
  assert.ok(phone && laptop && library)
  const seen = await sessionsOf(member)
  assert.equal(seen.length, 4)
  assert.equal(seen.filter(({ isCurrent }) => isCurrent).length, 1)
  assert.deepEqual(Object.keys(seen[0] ?? {}), [
    'id',
    'browser',
    'isCurrent',
    'createdAt',
    'lastSeenAt',
    'expiresAt',
  ])
  const idOf = (browser: string) => seen.find((session) => session.browser === browser)?.id
  const end = (id: string | undefined) => member.call('DELETE', `/v2/me/sessions/${id}`)
  assert.equal((await end(idOf('Phone/1'))).status, 204)
  assert.equal((await end(idOf('Phone/1'))).status, 404)
  assert.equal((await phone.call('GET', '/v2/me')).status, 401)
  assert.equal((await laptop.call('GET', '/v2/me')).status, 200)

  assert.equal((await member.call('DELETE', '/v2/me/sessions')).status, 204)
  assert.equal((await laptop.call('GET', '/v2/me')).status, 401)
  assert.equal((await library.call('GET', '/v2/me')).status, 401)
  assert.equal((await sessionsOf(member)).length, 1)
  assert.equal((await member.call('DELETE', '/v2/me/sessions')).status, 204)
  const audit = await listAudit(db, { accountId: member.accountId, before: undefined, limit: 20 })
  assert.equal(audit.filter(({ action }) => action === 'session.revoked').length, 2)
})

void test('C31: another person’s browsers cannot be signed out or seen; no token sees any', async () => {
  const member = await addSignedIn(waymark)
  const other = await addSignedIn(waymark)
  const [own] = await sessionsOf(member)
  assert.equal((await other.call('DELETE', `/v2/me/sessions/${own?.id}`)).status, 404)
  assert.equal((await other.call('DELETE', '/v2/me/sessions')).status, 204)
  assert.equal((await member.call('GET', '/v2/me')).status, 200)
  const { token } = await waymark.addPerson()
  for (const path of ['/v2/me/sessions', '/v2/me/apps', '/v2/me/clients']) {
    assert.equal((await waymark.fetch(path, { token })).status, 403, path)
    assert.equal((await waymark.fetch(path)).status, 401, path)
  }
})

void test('C29: authorised applications are listed; once revoked, access and refresh token fail on the next call', async () => {
  const member = await addSignedIn(waymark)
  const other = await addSignedIn(waymark)
  const tokens = await allow(member)
  const others = await allow(other)
  const use = (token: string | undefined) => waymark.fetch('/v2/me', { token: token ?? '' })
  assert.equal((await use(tokens['access_token'])).status, 200)
  const [app, ...more] = await appsOf(member)
  assert.equal(more.length, 0)
  assert.deepEqual(
    { ...app, grantedAt: '' },
    {
      clientId,
      name: 'Gallery',
      publisher: 'Publisher <i>',
      scopes: ['images:read', 'images:write'],
      grantedAt: '',
    },
  )
  const path = `/v2/me/apps/${clientId}`
  assert.equal((await member.call('DELETE', path)).status, 204)
  assert.equal((await use(tokens['access_token'])).status, 401)
  const refreshed = await waymark.fetch('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: tokens['refresh_token'] ?? '',
    }),
  })
  assert.equal(refreshed.status, 400)
  assert.deepEqual(await appsOf(member), [])
  assert.equal((await member.call('DELETE', path)).status, 404)
  assert.equal((await use(others['access_token'])).status, 200, 'what others allowed stays')
  assert.equal((await appsOf(other)).length, 1)
})

void test('C30: an application authorised to read creates no key and changes no account, whatever its scopes', async () => {
  const member = await addSignedIn(waymark)
  const { access_token: token = '' } = await allow(member)
  const calls = [
    ['GET', '/v2/me/keys'],
    ['POST', '/v2/me/keys'],
    ['DELETE', '/v2/me/keys/wm_12345678'],
    ['POST', '/v2/me/keys/wm_12345678/rotate'],
    ['GET', '/v2/me/sessions'],
    ['DELETE', '/v2/me/sessions'],
    ['DELETE', '/v2/me/sessions/x'],
    ['GET', '/v2/me/apps'],
    ['DELETE', `/v2/me/apps/${clientId}`],
    ['GET', '/v2/me/clients'],
    ['POST', '/v2/me/clients'],
    ['GET', `/v2/me/clients/${clientId}`],
    ['PATCH', `/v2/me/clients/${clientId}`],
    ['DELETE', `/v2/me/clients/${clientId}`],
    ['POST', `/v2/me/clients/${clientId}/secret`],
    ['PATCH', '/v2/me'],
    ['POST', '/v2/me/password'],
    ['PUT', '/v2/me/email'],
  ] as const
  for (const [method, path] of calls) {
    assert.equal((await waymark.fetch(path, { method, token })).status, 403, `${method} ${path}`)
  }
  assert.equal((await waymark.fetch('/v2/me', { token })).status, 200)
})

void test('signing out clears only this site’s cache, and says what a page without scripts cannot delete', async () => {
  const member = await addSignedIn(waymark)
  const out = await member.post('/sign-out', {})
  assert.equal(out.status, 200)
  // Not "cookies", which are those of every host of the domain, and not "storage", where others have photos.
  assert.equal(out.headers.get('clear-site-data'), '"cache"')
  assert.match(out.text, /stay in this browser, visible to your account only/)
  assert.equal((await member.call('GET', '/v2/me')).status, 401)
  const deleted = await member.post('/sign-out?deleted=yes', {})
  assert.doesNotMatch(deleted.text, /stay in this browser/)
})

// RFC 9700 section 4.11.2: if an authorization request fails, the browser is never redirected to an address registered by
// a member, unless the person has allowed that application before or has just refused it, or an admin has approved it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { registerClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { passPages, submit } from '../../helpers/oauth-people.ts'
import { challengeOf, newVerifier } from '../../helpers/pkce.ts'
import {
  addMember,
  addSignedIn,
  createVisitor,
  type Answer,
  type Member,
  type Visitor,
} from '../../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'

const host = 'phishing.example'
const redirectUri = `https://${host}/back`

let waymark: Waymark
let unapproved: string
let approved: string
let stranger: Visitor
let undecided: Member
let consented: Member

before(async () => {
  waymark = await startWaymark()
  const { accountId } = await waymark.addPerson({ name: 'Mallory' })
  const client = { accountId, isPublic: true, redirectUris: [redirectUri], scope: 'images:read images:write' }
  const { db } = waymark.installation.database
  const register = async (name: string, isApproved: boolean) =>
    (await registerClient(db, { ...client, name, isApproved, now: 0 })).clientId
  unapproved = await register('Free Photos', false)
  approved = await register('Club Photos', true)
  stranger = createVisitor(waymark)
  undecided = await addSignedIn(waymark)
  consented = await addSignedIn(waymark)
  for (const id of [unapproved, approved]) {
    const back = await passPages(consented, await consented.get(addressOf(id, {})))
    assert.match(back.location ?? '', /[?&]code=/)
  }
})
after(() => waymark.close())

/** null omits a parameter; a pair is sent twice. */
type Parameters = Readonly<Record<string, string | readonly string[] | null>>

function addressOf(clientId: string, parameters: Parameters): string {
  const whole: Parameters = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid images:read',
    state: 'abc',
    code_challenge: challengeOf(newVerifier()),
    code_challenge_method: 'S256',
    ...parameters,
  }
  const pairs = Object.entries(whole).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one): [string, string] => [name, one]),
  )
  return `/oauth/authorize?${new URLSearchParams(pairs).toString()}`
}

/** Each is an error for everyone, including the person who allowed `openid images:read`. */
const failures: Readonly<Record<string, Parameters>> = {
  'no sign-in allowed': { prompt: 'none', max_age: '0' },
  'no question allowed': { prompt: 'none', scope: 'openid images:read images:write' },
  'no question allowed, in a form': { prompt: 'none', max_age: '0', response_mode: 'form_post' },
  'no question allowed, in the fragment': { prompt: 'none', max_age: '0', response_mode: 'fragment' },
  'an unknown scope': { scope: 'openid images:nonsense' },
  'an unknown scope, in a form': { scope: 'images:nonsense', response_mode: 'form_post' },
  'a scope that is not registered': { scope: 'routes:write' },
  'no PKCE': { code_challenge: null, code_challenge_method: null },
  'PKCE without a challenge': { code_challenge: null },
  'plain PKCE': { code_challenge_method: 'plain' },
  'a challenge that is none': { code_challenge: 'short' },
  'no response type': { response_type: null },
  'the implicit flow': { response_type: 'token' },
  'the hybrid flow': { response_type: 'code id_token', nonce: 'n' },
  'an unknown response type': { response_type: 'nonsense' },
  'an unknown response mode': { response_mode: 'nonsense' },
  'a response mode that is off': { response_mode: 'web_message' },
  'a signed response mode': { response_mode: 'jwt' },
  'an unknown prompt': { prompt: 'nonsense' },
  'prompts that exclude each other': { prompt: 'none login' },
  'a max_age that is no number': { max_age: 'x' },
  'a max_age below 0': { max_age: '-1' },
  'a hint that is no token': { id_token_hint: 'x.y.z' },
  'a request object': { request: 'x.y.z' },
  'the address of a request object': { request_uri: 'https://phishing.example/request' },
  'a registration in the request': { registration: '{}' },
  'a parameter twice': { scope: ['openid', 'openid'] },
  'the state twice': { state: ['a', 'b'] },
  'no redirect address, where one is registered': { redirect_uri: null, prompt: 'none', max_age: '0' },
}

/** Where the browser goes automatically: a redirect, a form submitted by script, or a refresh. */
function destinationOf({ location, text, headers }: Answer): string | undefined {
  if (location !== null) return location
  const action = /<form method="post" action="([^"]*)"/.exec(text)?.[1]
  if (action !== undefined && /<script/.test(text)) return action
  return headers.get('refresh') ?? /<meta http-equiv="refresh"[^>]*>/i.exec(text)?.[0]
}

function assertHeld(answer: Answer, what: string): void {
  assert.equal(answer.status, 400, what)
  assert.equal(destinationOf(answer), undefined, what)
  assert.doesNotMatch(answer.text, /(?:href|src|action)="[^"]*phishing\.example/, what)
  assert.doesNotMatch(answer.headers.get('content-security-policy') ?? 'missing', /phishing|missing/, what)
  assert.match(answer.text, /<strong>Free Photos<\/strong>, registered by <strong>Mallory<\/strong>/, what)
  assert.match(answer.text, new RegExp(`<strong>${host}</strong>`), what)
  assert.match(answer.text, /<dt>Error<\/dt>\s*<dd><code>\w+<\/code>/, what)
}

function assertSentOn(answer: Answer, what: string): void {
  assert.ok(destinationOf(answer)?.startsWith(redirectUri), `${what}: ${answer.status} ${answer.text}`)
  assert.match(answer.location ?? answer.text, /[?&#]error=\w+|name="error" value="\w+"/, what)
}

for (const [name, parameters] of Object.entries(failures)) {
  void test(`${name}: only people who allowed the application are redirected, and everyone if it is approved`, async () => {
    const request = addressOf(unapproved, parameters)
    assertHeld(await stranger.get(request), 'nobody signed in')
    assertHeld(await undecided.get(request), 'signed in, never asked')
    assertSentOn(await consented.get(request), 'signed in, allowed it before')
    const ofApproved = addressOf(approved, parameters)
    for (const visitor of [stranger, undecided, consented])
      assertSentOn(await visitor.get(ofApproved), 'approved by an admin')
  })
}

void test('silent renewal works for people who allowed the application; an approved one gets the error', async () => {
  for (const clientId of [unapproved, approved]) {
    const renewed = await consented.get(addressOf(clientId, { prompt: 'none' }))
    assert.match(renewed.location ?? '', /^https:\/\/phishing\.example\/back\?code=/)
  }
  const silent = addressOf(approved, { prompt: 'none' })
  assert.match((await stranger.get(silent)).location ?? '', /error=login_required/)
  assert.match((await undecided.get(silent)).location ?? '', /error=login_required/)
})

void test('only the person asked can refuse, on the page that asks, and is redirected back', async () => {
  const person = await addMember(waymark)
  const page = await person.follow(await person.get(addressOf(unapproved, {})))
  const refusedUnasked = await submit(person, page, { do: 'deny' })
  assert.equal(refusedUnasked.location, null)
  assert.match(refusedUnasked.text, /<h1>Sign in<\/h1>/)
  const back = await passPages(person, await person.get(addressOf(unapproved, {})), 'deny')
  assert.match(back.location ?? '', /^https:\/\/phishing\.example\/back\?error=access_denied/)
  // That was the response to one request, and not a permission.
  assertHeld(await person.get(addressOf(unapproved, { prompt: 'none' })), 'after refusing')
})

void test('after signing out, and after revoking consent, nobody is redirected any more', async () => {
  const person = await addSignedIn(waymark)
  await passPages(person, await person.get(addressOf(unapproved, {})))
  const request = addressOf(unapproved, { scope: 'images:nonsense' })
  assertSentOn(await person.get(request), 'allowed')
  assert.equal((await person.call('DELETE', `/v2/me/apps/${unapproved}`)).status, 204)
  assertHeld(await person.get(request), 'taken back')
  await passPages(person, await person.get(addressOf(unapproved, {})))
  assertSentOn(await person.get(request), 'allowed again')
  await person.post('/sign-out', {})
  assertHeld(await person.get(request), 'signed out')
})

void test('the URL back from our pages redirects only people who came from them', async () => {
  const query = addressOf(unapproved, {}).split('?', 2)[1] ?? ''
  for (const visitor of [stranger, undecided]) {
    const answer = await visitor.get(`/oauth/authorize/made-up?${query}`)
    assert.equal(destinationOf(answer), undefined)
    assert.equal(answer.status, 400)
  }
})

void test('an approval applies to the redirect URLs an admin saw: adding one ends it, and both are in the audit log', async () => {
  const owner = await addSignedIn(waymark)
  const admin = await addSignedIn(waymark, 'admin')
  const made = await owner.call('POST', '/v2/me/clients', {
    name: 'Free Photos',
    scopes: ['images:read'],
    redirectUris: [redirectUri],
    isPublic: true,
  })
  const { clientId, isApproved } = JSON.parse(made.text) as { clientId: string; isApproved: boolean }
  assert.equal(isApproved, false)
  const address = `/v2/admin/clients/${clientId}`
  const ownAddress = `/v2/me/clients/${clientId}`
  const request = addressOf(clientId, { prompt: 'none' })
  assert.equal((await stranger.get(request)).location, null)

  assert.equal((await owner.call('PATCH', ownAddress, { isApproved: true })).status, 400)
  assert.equal((await owner.call('PATCH', address, { isApproved: true })).status, 403)
  assert.equal((await admin.call('PATCH', address, { isApproved: true })).status, 204)
  assert.ok((await stranger.get(request)).location?.startsWith(redirectUri))
  const renamed = await owner.call('PATCH', ownAddress, {
    name: 'Free Pictures',
    redirectUris: [redirectUri],
  })
  assert.equal((JSON.parse(renamed.text) as { isApproved: boolean }).isApproved, true)
  const more = await owner.call('PATCH', ownAddress, {
    redirectUris: [redirectUri, 'https://another.example/'],
  })
  assert.equal((JSON.parse(more.text) as { isApproved: boolean }).isApproved, false)
  assert.equal((await stranger.get(request)).location, null)

  await admin.call('PATCH', address, { isApproved: true })
  await admin.call('PATCH', address, { isApproved: false })
  assert.equal((await stranger.get(request)).location, null)
  const log = await admin.call('GET', `/v2/admin/audit?acctID=${owner.accountId}`)
  const actions = (JSON.parse(log.text) as { items: { action: string }[] }).items.map(({ action }) => action)
  assert.deepEqual(actions.filter((action) => action.startsWith('client.')).toReversed(), [
    'client.created',
    'client.approved',
    'client.changed',
    'client.changed',
    'client.approval-withdrawn',
    'client.approved',
    'client.approval-withdrawn',
  ])
})

void test('what an admin registers is approved, for themselves and for others', async () => {
  const admin = await addSignedIn(waymark, 'admin')
  const wanted = { name: 'Club', scopes: ['images:read'], redirectUris: [redirectUri], isPublic: true }
  const own = await admin.call('POST', '/v2/me/clients', wanted)
  const other = await admin.call('POST', '/v2/admin/clients', { ...wanted, acctID: undecided.accountId })
  for (const { text } of [own, other]) {
    const { clientId } = JSON.parse(text) as { clientId: string }
    const answer = await stranger.get(addressOf(clientId, { prompt: 'none' }))
    assert.match(answer.location ?? text, /error=login_required/)
  }
})

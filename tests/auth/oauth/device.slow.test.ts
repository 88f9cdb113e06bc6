// Sign-in of a terminal or phone by device code, with the person in another browser: RFC 8628 with openid-client (C29,
// D5).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oidc from 'openid-client'
import { submit, typeDeviceCode, type Person } from '../../helpers/oauth-people.ts'
import { oauthErrorOf, startOauthSite, type OauthSite } from '../../helpers/oauth-site.ts'
import { addMember, createVisitor } from '../../helpers/visitor.ts'

const minute = 60_000
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

async function startDevice(site: OauthSite) {
  const application = await site.application({ name: 'Trail Recorder', redirectUris: [] })
  const begun = await oidc.initiateDeviceAuthorization(application, { scope: 'openid images:read' })
  return {
    application,
    begun,
    /** Polls once, without openid-client's pause. */
    ask: () => oidc.genericGrantRequest(application, deviceGrant, { device_code: begun.device_code }),
  }
}

const text = async (page: Promise<{ text: string }>): Promise<string> => (await page).text

void test('C29: a device polls, its owner approves, and the library gets the tokens; the code works once', async (t) => {
  const site = await startOauthSite(t)
  const { application, begun, ask } = await startDevice(site)
  assert.equal(begun.verification_uri, `${site.url}/device`)
  assert.equal(begun.expires_in, 600)
  assert.match(begun.user_code, /^[A-Z]{4}-[A-Z]{4}$/)
  assert.equal(await oauthErrorOf(ask()), 'authorization_pending')
  const polling = oidc.pollDeviceAuthorizationGrant(application, { ...begun, interval: 0.05 })
  const person = await addMember(site.waymark)
  const page = await typeDeviceCode(person, begun.user_code)
  assert.match(page.text, /Your device is connected/)
  const tokens = await polling
  assert.equal(tokens.claims()?.sub, String(person.accountId))
  assert.equal(tokens.scope, 'openid images:read')
  const use = async () => (await site.waymark.fetch('/v2/images', { token: tokens.access_token })).status
  assert.equal(await use(), 200)
  const next = await oidc.refreshTokenGrant(application, tokens.refresh_token ?? '')
  assert.equal((await site.waymark.fetch('/v2/images', { token: next.access_token })).status, 200)
  assert.equal(await oauthErrorOf(ask()), 'invalid_grant')
  assert.equal(await use(), 401) // using a device code twice revokes everything, as with other codes
})

void test('C29: the code is accepted as people type it: lower case, no dash, spaces; the link fills it in', async (t) => {
  const site = await startOauthSite(t)
  const changes = [
    (code: string) => code.toLowerCase(),
    (code: string) => code.replace('-', ''),
    (code: string) => ` ${code.replace('-', ' ')} `,
  ]
  for (const change of changes) {
    const { begun, ask } = await startDevice(site)
    const person = await addMember(site.waymark)
    const page = await typeDeviceCode(person, change(begun.user_code))
    assert.match(page.text, /Your device is connected/, change(begun.user_code))
    assert.equal(await oauthErrorOf(ask()), 'no error')
  }
  const { begun } = await startDevice(site)
  const filled = await createVisitor(site.waymark).get(begun.verification_uri_complete ?? '')
  assert.match(filled.text, new RegExp(`value="${begun.user_code}"`))
})

void test('C29: refused at either step, the device gets access_denied', async (t) => {
  const site = await startOauthSite(t)
  for (const answer of ['no', 'deny'] as const) {
    const { begun, ask } = await startDevice(site)
    const person = await addMember(site.waymark)
    const page = await typeDeviceCode(person, begun.user_code, answer)
    assert.match(page.text, /You denied access/, answer)
    assert.equal(await oauthErrorOf(ask()), 'access_denied', answer)
  }
})

void test('C29: wrong, unknown and used codes are reported as such, and nothing is granted', async (t) => {
  const site = await startOauthSite(t)
  const { begun, ask } = await startDevice(site)
  const person = await addMember(site.waymark)
  assert.match(await text(typeDeviceCode(person, '')), /Enter the code that your device shows/)
  assert.match(await text(typeDeviceCode(person, 'BCDF-GHJK')), /This code does not exist/)
  assert.match(await text(typeDeviceCode(person, '<script>')), /This code does not exist/)
  assert.equal(await oauthErrorOf(ask()), 'authorization_pending')
  await typeDeviceCode(person, begun.user_code)
  assert.equal(await oauthErrorOf(ask()), 'no error')
  assert.match(await text(typeDeviceCode(person, begun.user_code)), /already been used|does not exist/)
})

void test('C29: an expired code is reported to the person and the device; one that is polled rarely still works', async (t) => {
  const site = await startOauthSite(t, { hasHeldClocks: true })
  const late = await startDevice(site)
  site.turn(10 * minute + 1_000)
  assert.equal(await oauthErrorOf(late.ask()), 'expired_token')
  const person: Person = await addMember(site.waymark)
  assert.match(await text(typeDeviceCode(person, late.begun.user_code)), /has expired/)

  const slow = await startDevice(site)
  await typeDeviceCode(person, slow.begun.user_code)
  site.turn(9 * minute)
  assert.equal(await oauthErrorOf(slow.ask()), 'no error')
})

void test('C29: a device code does not work for another application; unknown codes and scopes are refused', async (t) => {
  const site = await startOauthSite(t)
  const { begun, ask } = await startDevice(site)
  const thief = await site.application({ name: 'Thief', redirectUris: [] })
  await typeDeviceCode(await addMember(site.waymark), begun.user_code)
  const stolen = oidc.genericGrantRequest(thief, deviceGrant, { device_code: begun.device_code })
  assert.equal(await oauthErrorOf(stolen), 'invalid_grant')
  const unknown = oidc.genericGrantRequest(thief, deviceGrant, { device_code: 'x'.repeat(43) })
  assert.equal(await oauthErrorOf(unknown), 'invalid_grant')
  assert.equal(await oauthErrorOf(ask()), 'no error')
  const wrong = oidc.initiateDeviceAuthorization(thief, { scope: 'images:everything' })
  assert.equal(await oauthErrorOf(wrong), 'invalid_scope')
})

void test('C29: the form of the device page does not work in another browser or from another site', async (t) => {
  const site = await startOauthSite(t)
  const { begun, ask } = await startDevice(site)
  const person = await addMember(site.waymark)
  const typed = await submit(person, await person.get('/device'), { user_code: begun.user_code })
  const stranger = await addMember(site.waymark)
  const elsewhere = await submit(stranger, typed, { confirm: 'yes' })
  assert.doesNotMatch(elsewhere.text, /connected|Sign in to continue/)
  assert.equal(await oauthErrorOf(ask()), 'authorization_pending')
  const foreign = await person.post(
    '/device',
    { user_code: begun.user_code, confirm: 'yes' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  )
  assert.doesNotMatch(foreign.text, /connected|Sign in to continue/)
  assert.equal(await oauthErrorOf(ask()), 'slow_down')
})

void test('RFC 8628 3.5: a device that polls too fast is slowed down, and gets the decision at once', async (t) => {
  const site = await startOauthSite(t)
  const { begun, ask } = await startDevice(site)
  assert.equal(begun.interval, 5)
  assert.equal(await oauthErrorOf(ask()), 'authorization_pending')
  for (let hasty = 0; hasty < 3; hasty += 1) assert.equal(await oauthErrorOf(ask()), 'slow_down')
  const other = await startDevice(site)
  assert.equal(await oauthErrorOf(other.ask()), 'authorization_pending')
  await typeDeviceCode(await addMember(site.waymark), begun.user_code)
  assert.equal(await oauthErrorOf(ask()), 'no error')
})

// Codes, tokens, refresh tokens, interactions and sessions expire on time, with a mocked clock (C29, C30).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oidc from 'openid-client'
import { authorize, formOf, passPages } from '../../helpers/oauth-people.ts'
import { oauthErrorOf, requestOf, signInTo, startOauthSite } from '../../helpers/oauth-site.ts'
import { addMember, addSignedIn } from '../../helpers/visitor.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

void test('C29: a code expires after a minute', async (t) => {
  const site = await startOauthSite(t, { hasHeldClocks: true })
  const application = await site.application()
  const person = await addMember(site.waymark)
  for (const [waits, expected] of [
    [59 * second, 'no error'],
    [61 * second, 'invalid_grant'],
  ] as const) {
    const { address, checks } = await requestOf(application)
    const back = await authorize(person, address)
    site.turn(waits)
    assert.equal(await oauthErrorOf(oidc.authorizationCodeGrant(application, back, checks)), expected)
  }
})

void test('C29, C30: an access token expires after 15 minutes and is then distinguished from an unknown one', async (t) => {
  const site = await startOauthSite(t, { hasHeldClocks: true })
  const application = await site.application({ isPublic: false })
  const { tokens } = await signInTo(application, await addMember(site.waymark))
  const answer = () => site.waymark.fetch('/v2/images', { token: tokens.access_token })
  site.turn(15 * minute - second)
  assert.equal((await answer()).status, 200)
  site.turn(second)
  const late = await answer()
  assert.equal(late.status, 401)
  assert.match(await late.text(), /has expired/)
  assert.match(late.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
  assert.deepEqual(await oidc.tokenIntrospection(application, tokens.access_token), { active: false })
})

void test('C29: a refresh token lasts 30 days from its own issue, and is renewed by use', async (t) => {
  const site = await startOauthSite(t, { hasHeldClocks: true })
  const application = await site.application()
  let { refresh_token: token = '' } = (await signInTo(application, await addMember(site.waymark))).tokens
  for (let months = 0; months < 2; months += 1) {
    site.turn(29 * day)
    const { refresh_token: next = '' } = await oidc.refreshTokenGrant(application, token)
    assert.notEqual(next, token)
    token = next
  }
  site.turn(30 * day + second)
  assert.equal(await oauthErrorOf(oidc.refreshTokenGrant(application, token)), 'invalid_grant')
})

void test('C29: consent ends after a year, and so do the tokens under it', async (t) => {
  const site = await startOauthSite(t, { hasHeldClocks: true })
  const application = await site.application()
  let { refresh_token: token = '' } = (await signInTo(application, await addMember(site.waymark))).tokens
  for (let months = 0; months < 13; months += 1) {
    site.turn(28 * day)
    ;({ refresh_token: token = '' } = await oidc.refreshTokenGrant(application, token))
  }
  site.turn(28 * day)
  assert.equal(await oauthErrorOf(oidc.refreshTokenGrant(application, token)), 'invalid_grant')
})

void test('C29: returning to the consent page after an hour shows a message, and nothing is granted', async (t) => {
  const site = await startOauthSite(t, { hasHeldClocks: true })
  const application = await site.application()
  const person = await addSignedIn(site.waymark)
  const { address } = await requestOf(application)
  const page = await person.follow(await person.get(address.href))
  site.turn(61 * minute)
  const late = await person.post(formOf(page.text).action, { do: 'allow' })
  assert.equal(late.status, 410)
  assert.match(late.text, /Go back to the application and start again/)
})

void test("a member's session ends after 14 days, that of staff after 12 hours, and then an application asks for the password", async (t) => {
  const site = await startOauthSite(t, { hasHeldClocks: true })
  const application = await site.application()
  for (const [role, lifeMs] of [
    ['member', 14 * day],
    ['reviewer', 12 * hour],
  ] as const) {
    const person = await addMember(site.waymark, role)
    await signInTo(application, person)
    const asks = async () => {
      const { address } = await requestOf(application)
      return (await person.follow(await person.get(address.href))).location === null
    }
    site.turn(lifeMs - minute)
    assert.equal(await asks(), false, role)
    site.turn(2 * minute)
    assert.equal(await asks(), true, role)
    const { address, checks } = await requestOf(application)
    const { location } = await passPages(person, await person.get(address.href))
    const exchange = oidc.authorizationCodeGrant(application, new URL(location ?? ''), checks)
    assert.equal(await oauthErrorOf(exchange), 'no error')
  }
})

// STAFF_SIGN_IN=passkey: staff must have used a passkey; a session without one can only add the first.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { createAuthenticator } from '../helpers/authenticator.ts'
import { addPasskey, origin, outcome, send, signIn } from '../helpers/passkeys.ts'
import { challengeOf, newVerifier } from '../helpers/pkce.ts'
import { addressOf, endpointsOf } from '../helpers/endpoints.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { addSignedIn, createVisitor, type Member } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

let waymark: Waymark

before(async () => {
  waymark = await startWaymark({ environment: { STAFF_SIGN_IN: 'passkey' } })
})
after(() => waymark.close())

const again = async ({ email, password }: Member) => {
  const visitor = createVisitor(waymark)
  assert.equal((await visitor.post('/sign-in', { email, password })).status, 303)
  return visitor
}

const withoutInstance = (text: string): string => text.replace(/urn:waymark:request:[\w-]+/, '')

void test('an admin who signed in with a password can only add the first passkey, and then do everything', async () => {
  const admin = await addSignedIn(waymark, 'admin')
  const me = JSON.parse((await admin.call('GET', '/v2/me')).text) as Record<string, unknown>
  assert.deepEqual([me['role'], me['passkeyRequired']], ['member', true])
  for (const [method, path] of [
    ['GET', '/v2/admin/accounts'],
    ['GET', '/v2/admin/audit'],
    ['GET', '/v2/review/queue'],
    ['GET', '/v2/me/keys'],
    ['GET', '/v2/me/zones'],
    ['GET', '/v2/webhooks'],
    ['POST', '/v2/me/keys'],
    ['POST', '/v2/me/clients'],
    ['POST', '/v2/me/password'],
    ['DELETE', '/v2/me/sessions'],
    ['DELETE', '/v2/me/passkeys/none'],
    ['DELETE', '/v2/me'],
  ] as const)
    assert.equal(
      outcome(await admin.call(method, path, method === 'GET' ? undefined : {})),
      '403 passkey-required',
      `${method} ${path}`,
    )

  const { answer, authenticator } = await addPasskey(admin, {}, createAuthenticator({ origin }))
  assert.equal(answer.status, 201, answer.text)
  assert.equal((await admin.call('GET', '/v2/admin/accounts')).status, 200)
  // A password alone is useless from now on.
  const thief = await again(admin)
  assert.equal(outcome(await thief.call('GET', '/v2/admin/accounts')), '403 passkey-required')
  assert.equal(outcome(await send(thief, '/v2/me/passkey-options', {})), '403 passkey-required')
  const { visitor } = await signIn(waymark, authenticator)
  assert.equal((await visitor.call('GET', '/v2/admin/accounts')).status, 200)
})

void test('a password alone gives staff access only to public data', async () => {
  const trailId = 4711
  await waymark.addTrail(trailId, 'Rim Trail')
  const member = await addSignedIn(waymark)
  const { accountId } = member
  const token = await waymark.tokenFor(accountId, 'images:write')
  const imageId = await waymark.upload({ accountId, token }, trailId, await jpegPicture())
  const gpx = '<gpx><trk><trkseg><trkpt lat="46" lon="7"/><trkpt lat="46.1" lon="7"/></trkseg></trk></gpx>'
  const made = await member.call('POST', `/v2/accounts/${accountId}/routes`, { name: 'Home', gpx })
  assert.equal(made.status, 201, made.text)
  const { routeID } = JSON.parse(made.text) as { routeID: number }
  assert.equal((await member.call('POST', '/v2/me/zones', { lat: 46, lon: 7, radius: 200 })).status, 201)
  await waymark.installation.database.db
    .updateTable('account')
    .set({ role: 'admin' })
    .where('id', '=', accountId)
    .execute()
  const visitor = createVisitor(waymark)
  const things = { imageID: imageId, routeID, trailID: trailId, accountID: accountId, acctID: accountId }
  const reported = new Set(['/v2/me', '/v2/me/passkeys', '/v2/site'])
  const opened: string[] = []
  let refused = 0
  for (const endpoint of endpointsOf(waymark.app.server)) {
    const isInterface = /^\/(v2|Trails|Accounts|ImageHandler|embed|t)\b/.test(endpoint.pattern)
    if (!isInterface || !endpoint.methods.includes('GET') || reported.has(endpoint.pattern)) continue
    const address =
      addressOf(endpoint, things) + (endpoint.pattern === '/ImageHandler' ? `?id=${imageId}` : '')
    const [own, public_] = [await member.call('GET', address), await visitor.call('GET', address)]
    const isRefused = outcome(own) === '403 passkey-required'
    if (isRefused) refused += 1
    else if (own.status !== public_.status || withoutInstance(own.text) !== withoutInstance(public_.text))
      opened.push(`${address} → ${own.status} ${own.text.slice(0, 100)}`)
  }
  assert.deepEqual(opened, [])
  assert.ok(refused >= 20, `${refused} refused`)
  assert.equal(outcome(await member.call('GET', '/v2/me/takeout')), '403 passkey-required')
})

void test('of two sessions that both wait for the first passkey, one adds it', async () => {
  const admin = await addSignedIn(waymark, 'admin')
  const other = await again(admin)
  const begun = JSON.parse((await send(other, '/v2/me/passkey-options', {})).text)
  assert.equal((await addPasskey(admin, {}, createAuthenticator({ origin }))).answer.status, 201)
  const response = createAuthenticator({ origin }).create(begun)
  assert.equal(
    outcome(await send(other, '/v2/me/passkeys', { name: 'Late', response })),
    '403 passkey-required',
  )
})

void test('a member needs no passkey; promoted to reviewer, the same session must add one', async () => {
  const member = await addSignedIn(waymark)
  assert.equal((await member.call('GET', '/v2/me/keys')).status, 200)
  await waymark.installation.database.db
    .updateTable('account')
    .set({ role: 'reviewer' })
    .where('id', '=', member.accountId)
    .execute()
  assert.equal(outcome(await member.call('GET', '/v2/me/keys')), '403 passkey-required')
  assert.equal(outcome(await member.call('GET', '/v2/review/queue')), '403 passkey-required')
  assert.equal((await addPasskey(member, {}, createAuthenticator({ origin }))).answer.status, 201)
  assert.equal((await member.call('GET', '/v2/review/queue')).status, 200)
})

void test('only a session with a passkey can allow an application', async () => {
  const admin = await addSignedIn(waymark, 'admin')
  const { clientId } = await registerClient(waymark.installation.database.db, {
    accountId: admin.accountId,
    name: 'Gallery',
    scope: 'images:read',
    now: waymark.system.now(),
    isPublic: true,
    redirectUris: ['https://gallery.example/back'],
  })
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    scope: 'images:read',
    redirect_uri: 'https://gallery.example/back',
    code_challenge: challengeOf(newVerifier()),
    code_challenge_method: 'S256',
  })
  const page = await admin.follow(await admin.get(`/oauth/authorize?${query.toString()}`))
  assert.equal(page.status, 403)
  assert.match(page.text, /passkey/)
  assert.equal((await addPasskey(admin, {}, createAuthenticator({ origin }))).answer.status, 201)
  const asked = await admin.follow(await admin.get(`/oauth/authorize?${query.toString()}`))
  assert.match(asked.text, /Gallery/)
  assert.equal(asked.status, 200)
})

void test('without the setting a passkey is optional, and an address without passkeys refuses to start with it', async (t) => {
  const any = await startWaymark()
  t.after(() => any.close())
  const admin = await addSignedIn(any, 'admin')
  assert.equal((await admin.call('GET', '/v2/admin/accounts')).status, 200)
  await assert.rejects(
    startWaymark({ environment: { STAFF_SIGN_IN: 'passkey', PUBLIC_URL: 'http://192.0.2.1' } }),
    /STAFF_SIGN_IN=passkey requires a PUBLIC_URL/,
  )
})

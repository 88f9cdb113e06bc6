// Passkeys with the real library and a software authenticator: adding, signing in, removing, and where they are offered.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { passkeyHost } from '../../../src/auth/passkeys/passkey-ceremonies.ts'
import { maxPasskeys } from '../../../src/auth/passkeys/passkeys.ts'
import {
  createAuthenticator,
  type CreationOptions,
  type RequestOptions,
} from '../../helpers/authenticator.ts'
import {
  addPasskey,
  auditOf,
  beginAdding,
  beginSignIn,
  memberWithPasskey,
  origin,
  outcome,
  send,
  signIn,
} from '../../helpers/passkeys.ts'
import { startMailServer } from '../../helpers/mail-server.ts'
import { addMember, addSignedIn, createVisitor } from '../../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'

const minute = 60_000
let waymark: Waymark

before(async () => {
  waymark = await startWaymark()
})
after(() => waymark.close())

const forgetPassword = (accountId: number) =>
  waymark.installation.database.db
    .updateTable('account')
    .set({ password_hash: null })
    .where('id', '=', accountId)
    .execute()

void test('a passkey is added, signs in, is listed and removed; the audit log records each', async () => {
  const { member, authenticator } = await memberWithPasskey(waymark)
  const { visitor, answer } = await signIn(waymark, authenticator)
  assert.equal(answer.status, 204, answer.text)
  const me = JSON.parse((await visitor.call('GET', '/v2/me')).text) as { acctID: number }
  assert.equal(me.acctID, member.accountId)
  const path = `/v2/me/passkeys/${authenticator.credentialId}`
  const { items } = JSON.parse((await visitor.call('GET', '/v2/me/passkeys')).text) as {
    items: Record<string, unknown>[]
  }
  assert.deepEqual(items, [
    {
      id: authenticator.credentialId,
      name: 'Laptop',
      createdAt: '2026-05-14T09:08:07.000Z',
      lastUsedAt: '2026-05-14T09:08:07.000Z',
    },
  ])
  assert.equal((await visitor.call('DELETE', path)).status, 204)
  assert.equal(outcome(await visitor.call('DELETE', path)), '404 invalid-passkey-id')
  assert.equal(outcome((await signIn(waymark, authenticator)).answer), '403 wrong-passkey')
  const reported = (await auditOf(waymark, member.accountId)).join('\n')
  assert.match(
    reported,
    /passkey\.added .*Laptop[\s\S]*session\.begun .*"how":"passkey"[\s\S]*passkey\.removed/,
  )
})

void test('the options require user verification and a discoverable passkey, and reveal nothing about the address', async () => {
  const { member, authenticator } = await memberWithPasskey(waymark)
  const options = (await beginAdding(member)) as CreationOptions & Record<string, unknown>
  assert.equal(options.rp.id, 'trails.example')
  assert.equal(Buffer.from(options.user.id, 'base64url').toString(), String(member.accountId))
  assert.deepEqual(options['authenticatorSelection'], {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  })
  assert.deepEqual(options['excludeCredentials'], [
    { id: authenticator.credentialId, transports: ['internal'], type: 'public-key' },
  ])
  const request = (await beginSignIn(createVisitor(waymark))) as RequestOptions & Record<string, unknown>
  assert.equal(request.rpId, 'trails.example')
  assert.equal(request['userVerification'], 'required')
  assert.equal(request['allowCredentials'], undefined)
})

void test('an authenticator without a counter can sign in repeatedly', async () => {
  const { authenticator } = await memberWithPasskey(waymark, false)
  for (let time = 0; time < 3; time += 1)
    assert.equal((await signIn(waymark, authenticator)).answer.status, 204)
})

void test(`an account has at most ${maxPasskeys} passkeys, and none is added twice`, async () => {
  const { member, authenticator } = await memberWithPasskey(waymark)
  assert.equal(outcome((await addPasskey(member, {}, authenticator)).answer), '403 wrong-passkey')
  const waiting = await beginAdding(member)
  for (let added = 1; added < maxPasskeys; added += 1) {
    assert.equal((await addPasskey(member)).answer.status, 201)
  }
  assert.equal(outcome(await send(member, '/v2/me/passkey-options', {})), '403 quota-reached')
  const response = createAuthenticator({ origin }).create(waiting)
  assert.equal(outcome(await send(member, '/v2/me/passkeys', { name: 'a', response })), '403 quota-reached')
})

void test('ten minutes after signing in, adding and removing require the password', async () => {
  const { member, authenticator } = await memberWithPasskey(waymark)
  const path = `/v2/me/passkeys/${authenticator.credentialId}`
  waymark.system.advance(10 * minute)
  const { password } = member
  const ask = (body: object) => send(member, '/v2/me/passkey-options', body)
  assert.equal(outcome(await ask({})), '403 stale-session')
  assert.equal(outcome(await ask({ password: '' })), '403 stale-session')
  assert.equal(outcome(await ask({ password: 'wrong' })), '403 wrong-password')
  assert.equal(outcome(await ask({ password })), '200')
  assert.equal(outcome(await member.call('DELETE', path)), '403 stale-session')
  const remove = async (body: object) => outcome(await member.call('DELETE', path, body))
  assert.equal(await remove({}), '403 stale-session')
  assert.equal(await remove({ password: 'wrong' }), '403 wrong-password')
  assert.equal(await remove({ passkey: 'x' }), '400 invalid-field')
  assert.equal((await signIn(waymark, authenticator)).answer.status, 204)
  assert.equal(await remove({ password }), '204')
  assert.equal(outcome((await signIn(waymark, authenticator)).answer), '403 wrong-passkey')
})

void test('a person with a passkey and no password signs in, keeps the last passkey, and sets a password', async () => {
  const { member, authenticator } = await memberWithPasskey(waymark)
  await forgetPassword(member.accountId)
  const path = `/v2/me/passkeys/${authenticator.credentialId}`
  const password = 'a password at last'
  waymark.system.advance(10 * minute)
  const wanted = { current: '', password }
  assert.equal(outcome(await member.call('POST', '/v2/me/password', wanted)), '403 stale-session')
  assert.equal(outcome(await send(member, '/v2/me/passkey-options', { password: 'x' })), '403 stale-session')
  const { visitor } = await signIn(waymark, authenticator)
  assert.equal(outcome(await visitor.call('DELETE', path)), '409 last-passkey')
  assert.equal((await visitor.call('POST', '/v2/me/password', wanted)).status, 204)
  assert.equal((await visitor.call('DELETE', path)).status, 204)
  const { email } = member
  assert.equal((await createVisitor(waymark).post('/sign-in', { email, password })).status, 303)
})

void test('passkeys are offered where a browser accepts them', () => {
  const places: Readonly<Record<string, string | undefined>> = {
    'https://trails.example': 'trails.example',
    'https://trails.example:8443/photos': 'trails.example',
    'http://localhost:8080': 'localhost',
    'http://trails.localhost': 'trails.localhost',
    'http://trails.example': undefined,
    'http://127.0.0.1:8080': undefined,
    'https://192.0.2.7': undefined,
    'https://0x7f000001': undefined,
    'https://[2001:db8::7]': undefined,
    'http://[::1]:8080': undefined,
  }
  for (const [publicUrl, host] of Object.entries(places))
    assert.equal(passkeyHost(publicUrl), host, publicUrl)
})

void test('at a bare IP address no page and no endpoint offers them, and existing ones can be removed', async (t) => {
  const bare = await startWaymark({ environment: { PUBLIC_URL: 'http://127.0.0.1:8080' } })
  t.after(() => bare.close())
  const member = await addSignedIn(bare)
  const visitor = createVisitor(bare)
  const page = await visitor.get('/sign-in')
  assert.doesNotMatch(page.text, /passkey|<script/)
  assert.deepEqual(JSON.parse((await member.call('GET', '/v2/me/passkeys')).text), { items: [], next: null })
  assert.equal(outcome(await visitor.call('POST', '/sign-in/passkey/options', {})), '403 no-passkeys')
  assert.equal(outcome(await member.call('POST', '/v2/me/passkey-options', {})), '403 no-passkeys')
  await bare.installation.database.db
    .insertInto('passkey')
    .values({
      credential_id: 'abc',
      account_id: member.accountId,
      public_key: 'AA',
      sign_count: 0,
      transports: '[]',
      name: 'Old phone',
      created_at: 0,
      last_used_at: null,
    })
    .execute()
  assert.match((await member.call('GET', '/v2/me/passkeys')).text, /Old phone/)
  assert.equal((await member.call('DELETE', '/v2/me/passkeys/abc')).status, 204)
})

void test('a read-only site issues no challenge', async (t) => {
  const closed = await startWaymark()
  t.after(() => closed.close())
  const { db } = closed.installation.database
  await db.insertInto('read_only').values({ id: 1, since: 0, reason: 'moving' }).execute()
  const answer = await createVisitor(closed).call('POST', '/sign-in/passkey/options', {})
  assert.equal(answer.status, 503)
  assert.equal((await db.selectFrom('one_time').selectAll().execute()).length, 0)
})

void test('no challenge is stored in the database in plain text', async () => {
  const member = await addMember(waymark)
  const { challenge } = await beginSignIn(member)
  const rows = await waymark.installation.database.db.selectFrom('one_time').selectAll().execute()
  assert.ok(rows.length > 0)
  assert.ok(!JSON.stringify(rows).includes(challenge))
})

void test('the account owner gets a mail when a passkey is added', async (t) => {
  const mail = await startMailServer()
  t.after(() => mail.close())
  const mailing = await startWaymark({ environment: { SMTP_URL: mail.url } })
  t.after(() => mailing.close())
  const { member } = await memberWithPasskey(mailing)
  assert.equal(await mail.linkFor(member.email), `${origin}/account/passkeys`)
})

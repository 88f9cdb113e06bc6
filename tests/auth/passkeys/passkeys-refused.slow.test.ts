// Passkeys with the real library: every falsified part is refused.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createAuthenticator, type CreationOptions, type Falsified } from '../../helpers/authenticator.ts'
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
import { addSignedIn, createVisitor, type Visitor } from '../../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'

const minute = 60_000
let waymark: Waymark
let known: Awaited<ReturnType<typeof memberWithPasskey>>

before(async () => {
  waymark = await startWaymark()
  known = await memberWithPasskey(waymark)
})
after(() => waymark.close())

const falsifications: Readonly<Record<string, Falsified>> = {
  'another origin': { origin: 'https://evil.example' },
  'the same host without TLS': { origin: 'http://trails.example' },
  'another port': { origin: 'https://trails.example:444' },
  'another rpID': { rpId: 'evil.example' },
  'a challenge never issued': { challenge: 'A'.repeat(43) },
  'no challenge': { challenge: '' },
  'a person not verified': { isVerified: false },
}

for (const [what, falsified] of Object.entries(falsifications)) {
  void test(`a passkey with ${what} is neither added nor signs in`, async () => {
    const { member, authenticator } = known
    assert.equal(outcome((await signIn(waymark, authenticator, falsified)).answer), '403 wrong-passkey')
    assert.equal((await signIn(waymark, authenticator)).answer.status, 204)
    const { answer } = await addPasskey(member, falsified)
    assert.equal(outcome(answer), '403 wrong-passkey')
    assert.equal((await addPasskey(member)).answer.status, 201)
  })
}

void test('another key, another person’s handle or none, a response of the other kind, and garbage are refused', async () => {
  const { authenticator } = await memberWithPasskey(waymark)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const stranger = Buffer.from('4711').toString('base64url')
  const wrong: Falsified[] = [
    { privateKey },
    { userHandle: stranger },
    { userHandle: null },
    { type: 'webauthn.create' },
  ]
  for (const falsified of wrong) {
    const { answer } = await signIn(waymark, authenticator, falsified)
    assert.equal(outcome(answer), '403 wrong-passkey', JSON.stringify(falsified))
  }
  const visitor = createVisitor(waymark)
  const good = authenticator.get(await beginSignIn(visitor))
  for (const part of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
    for (const garbage of [
      'AAAA',
      'oWNmbXQ',
      Buffer.from('{"challenge":7}').toString('base64url'),
      '_'.repeat(999),
    ]) {
      const body = { ...good, response: { ...good.response, [part]: garbage } }
      assert.equal(outcome(await send(visitor, '/sign-in/passkey', body)), '403 wrong-passkey', part)
    }
  }
  for (const body of [
    {},
    [],
    null,
    { ...good, id: '!' },
    { ...good, id: 7 },
    { ...good, type: 'password' },
  ]) {
    assert.equal(outcome(await send(visitor, '/sign-in/passkey', body)), '400 invalid-field')
  }
  assert.equal(
    (await send(visitor, '/sign-in/passkey', good)).status,
    204,
    'wrong answers used up no challenge',
  )
})

void test('garbage as an attestation is refused, and its statement is not even parsed', async () => {
  const member = await addSignedIn(waymark)
  const authenticator = createAuthenticator({ origin })
  const good = authenticator.create(await beginAdding(member))
  const attestations = [
    'AAAA',
    'o2NmbXRkbm9uZQ',
    'm_______',
    Buffer.alloc(20_000, 0x81).toString('base64url'),
  ]
  for (const attestationObject of attestations) {
    const response = { ...good, response: { ...good.response, attestationObject } }
    const answer = await send(member, '/v2/me/passkeys', { name: 'a', response })
    assert.equal(outcome(answer), '403 wrong-passkey', attestationObject.slice(0, 20))
  }
  for (const format of ['packed', 'tpm', 'android-key', 'apple', 'unheard-of']) {
    const { answer } = await addPasskey(member, { format })
    assert.equal(answer.status, 201, `${format}: ${answer.text}`)
  }
})

void test('six simultaneous uses of one challenge: one signs in', async () => {
  const { authenticator } = await memberWithPasskey(waymark, false)
  for (let round = 0; round < 5; round += 1) {
    const visitor = createVisitor(waymark)
    const options = await beginSignIn(visitor)
    const sent = Array.from({ length: 6 }, () =>
      send(visitor, '/sign-in/passkey', authenticator.get(options)),
    )
    const outcomes = (await Promise.all(sent)).map(outcome).toSorted()
    assert.deepEqual(outcomes, ['204', ...Array<string>(5).fill('403 wrong-passkey')])
  }
})

void test('six simultaneous uses of one challenge: one passkey is added', async () => {
  const member = await addSignedIn(waymark)
  const options = await beginAdding(member)
  const sent = Array.from({ length: 6 }, () =>
    send(member, '/v2/me/passkeys', { name: 'a', response: createAuthenticator({ origin }).create(options) }),
  )
  const outcomes = (await Promise.all(sent)).map(outcome).toSorted()
  assert.deepEqual(outcomes, ['201', ...Array<string>(5).fill('403 wrong-passkey')])
})

void test('a challenge is for one account, one session and one purpose, for five minutes', async () => {
  const { member, authenticator } = await memberWithPasskey(waymark)
  const other = await addSignedIn(waymark)
  const add = (visitor: Visitor, options: CreationOptions) =>
    send(visitor, '/v2/me/passkeys', { name: 'a', response: createAuthenticator({ origin }).create(options) })
  const options = await beginAdding(member)
  assert.equal(outcome(await add(other, options)), '403 wrong-passkey')
  const elsewhere = createVisitor(waymark)
  await elsewhere.post('/sign-in', { email: member.email, password: member.password })
  assert.equal(outcome(await add(elsewhere, options)), '403 wrong-passkey')
  const { challenge } = await beginSignIn(member)
  assert.equal(outcome(await add(member, { ...options, challenge })), '403 wrong-passkey')
  const response = authenticator.get({ rpId: 'trails.example', challenge: options.challenge })
  assert.equal(outcome(await send(member, '/sign-in/passkey', response)), '403 wrong-passkey')
  const late = await beginSignIn(member)
  waymark.system.advance(5 * minute)
  assert.equal(outcome(await send(member, '/sign-in/passkey', authenticator.get(late))), '403 wrong-passkey')
  assert.equal(outcome(await add(member, options)), '403 wrong-passkey')
})

void test('a counter that goes backwards signs nobody in, and is recorded in the audit log', async () => {
  const { member, authenticator } = await memberWithPasskey(waymark)
  assert.equal((await signIn(waymark, authenticator, { signCount: 9 })).answer.status, 204)
  for (const signCount of [9, 3, 0]) {
    const { answer } = await signIn(waymark, authenticator, { signCount })
    assert.equal(outcome(answer), '403 wrong-passkey')
    assert.match(answer.text, /may have been copied/)
  }
  const refused = (await auditOf(waymark, member.accountId)).filter((line) =>
    line.startsWith('passkey.refused'),
  )
  assert.equal(refused.length, 3)
  assert.equal((await signIn(waymark, authenticator, { signCount: 10 })).answer.status, 204)
})

void test('of simultaneous sign-ins of two copies with the same counter, one succeeds', async () => {
  const { authenticator } = await memberWithPasskey(waymark)
  const sent = Array.from({ length: 6 }, () => signIn(waymark, authenticator, { signCount: 7 }))
  const outcomes = (await Promise.all(sent)).map(({ answer }) => outcome(answer)).toSorted()
  assert.deepEqual(outcomes, ['204', ...Array<string>(5).fill('403 wrong-passkey')])
})

void test('a suspended account cannot sign in with a passkey', async () => {
  const { member, authenticator } = await memberWithPasskey(waymark)
  const suspend = (at: number | null) =>
    waymark.installation.database.db
      .updateTable('account')
      .set({ suspended_at: at })
      .where('id', '=', member.accountId)
      .execute()
  await suspend(1)
  assert.equal(outcome((await signIn(waymark, authenticator)).answer), '403 account-suspended')
  await suspend(null)
  assert.equal((await signIn(waymark, authenticator)).answer.status, 204)
})

void test('passkeys can be managed only by the person, on a page of ours', async () => {
  const { member, authenticator } = await memberWithPasskey(waymark)
  const token = await waymark.tokenFor(member.accountId, 'images:read images:write')
  const endpoints: [string, string][] = [
    ['GET', '/v2/me/passkeys'],
    ['POST', '/v2/me/passkeys'],
    ['POST', '/v2/me/passkey-options'],
    ['DELETE', `/v2/me/passkeys/${authenticator.credentialId}`],
  ]
  for (const [method, path] of endpoints) {
    assert.equal((await waymark.fetch(path, { method, token })).status, 403, path)
    assert.equal((await waymark.fetch(path, { method })).status, 401, path)
  }
  const other = await addSignedIn(waymark)
  const path = `/v2/me/passkeys/${authenticator.credentialId}`
  assert.equal(outcome(await other.call('DELETE', path)), '404 invalid-passkey-id')
  for (const path of ['/sign-in/passkey/options', '/sign-in/passkey']) {
    const foreign = {
      accept: 'application/json',
      'content-type': 'application/json',
      'sec-fetch-site': 'cross-site',
      origin: 'https://evil.example',
    }
    const answer = await waymark.fetch(path, { method: 'POST', headers: foreign, body: '{}' })
    assert.equal(answer.status, 403)
    assert.match(await answer.text(), /problems\/foreign-form/)
  }
})

void test('invalid passkeys count as guesses of the address', async (t) => {
  const tight = await startWaymark({
    environment: { RATE_LIMIT_FACTOR: '1', RATE_SIGN_IN: '3' },
    guessClock: () => 0,
  })
  t.after(() => tight.close())
  const { member, authenticator } = await memberWithPasskey(tight)
  await member.call('DELETE', `/v2/me/passkeys/${authenticator.credentialId}`)
  const outcomes: string[] = []
  for (let attempt = 0; attempt < 4; attempt += 1)
    outcomes.push(outcome((await signIn(tight, authenticator)).answer))
  assert.deepEqual(outcomes, [...Array<string>(3).fill('403 wrong-passkey'), '429 too-many-requests'])
})

// The provider's adapter: single use is enforced, no stored value is a credential, and expired rows are deleted.
import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { createAccessTokens } from '../../../src/auth/access-tokens.ts'
import { registerClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { createOauthStore, hashId, sweepExpired } from '../../../src/auth/oauth/oauth-store.ts'
import { loadSecret, type Secret } from '../../../src/auth/secret.ts'
import type { Database } from '../../../src/database/database.ts'
import { ann, ben, openTestDatabase, temporaryFolder } from '../../helpers/oauth-harness.ts'

const start = Date.UTC(2026, 4, 14)
const hour = 3_600_000

let folder: string
let database: Database
let secret: Secret
let at: number
let adapterOf: (kind: string) => Adapter
let clientId: string

before(async () => {
  folder = await temporaryFolder()
  database = await openTestDatabase(folder)
  secret = await loadSecret(path.join(folder, 'secret'))
})

beforeEach(async () => {
  at = start
  adapterOf = createOauthStore({ db: database.db, secret, now: () => at })
  await database.db.deleteFrom('oauth_object').execute()
  const client = { accountId: ann, name: 'App', scope: 'images:read images:write', now: at }
  clientId = (await registerClient(database.db, { ...client, isPublic: false, redirectUris: [] })).clientId
})

after(async () => {
  await database.close()
  await fs.rm(folder, { recursive: true, force: true })
})

const rows = () => database.db.selectFrom('oauth_object').selectAll().execute()

async function addGrant(grantId: string): Promise<void> {
  await adapterOf('Grant').upsert(grantId, { jti: grantId, accountId: String(ann), clientId }, 3_600)
}

async function add(kind: string, id: string, payload: AdapterPayload = {}, seconds = 900): Promise<void> {
  await adapterOf(kind).upsert(id, { jti: id, kind, clientId, ...payload }, seconds)
}

for (const kind of ['AuthorizationCode', 'RefreshToken', 'DeviceCode']) {
  void test(`of 50 simultaneous uses of one ${kind} exactly one succeeds, and the grant is revoked (trap 1)`, async () => {
    await addGrant('grant')
    await addGrant('other')
    await add(kind, 'once', { grantId: 'grant' })
    await add('AccessToken', 'sibling', { grantId: 'grant' })
    await add('AccessToken', 'stranger', { grantId: 'other' })

    const adapter = adapterOf(kind)
    const uses = await Promise.allSettled(
      Array.from({ length: 50 }, async () => {
        const found = await adapter.find('once') // the provider reads first
        assert.ok(found)
        return adapter.consume('once')
      }),
    )
    assert.equal(uses.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const use of uses) {
      if (use.status === 'rejected') assert.equal((use.reason as { error?: string }).error, 'invalid_grant')
    }
    assert.equal(await adapterOf('Grant').find('grant'), undefined)
    assert.equal(await adapterOf('AccessToken').find('sibling'), undefined)
    assert.ok(await adapterOf('AccessToken').find('stranger'))
    assert.ok(await adapterOf('Grant').find('other'))
  })
}

void test('what the winner issues after the loser destroyed the grant is refused', async () => {
  await addGrant('grant')
  await add('AuthorizationCode', 'once', { grantId: 'grant' })
  const codes = adapterOf('AuthorizationCode')
  await codes.consume('once')
  await assert.rejects(() => Promise.resolve(codes.consume('once')))
  await assert.rejects(add('AccessToken', 'late', { grantId: 'grant' }), { error: 'invalid_grant' })
  await assert.rejects(add('RefreshToken', 'late', { grantId: 'grant' }), { error: 'invalid_grant' })
  assert.deepEqual(await rows(), [])
})

void test('what was never issued cannot be used', async () => {
  await assert.rejects(Promise.resolve(adapterOf('RefreshToken').consume('nothing')), {
    error: 'invalid_grant',
  })
})

void test('a used object is marked when found, and saving it again does not revive it', async () => {
  await addGrant('grant')
  await add('DeviceCode', 'device', { grantId: 'grant', userCode: 'BCDFGHJK' })
  await adapterOf('DeviceCode').consume('device')
  const found = await adapterOf('DeviceCode').find('device')
  assert.equal(found?.['consumed'], start / 1_000)
  await adapterOf('DeviceCode').upsert('device', { ...found, consumed: undefined }, 900)
  await assert.rejects(Promise.resolve(adapterOf('DeviceCode').consume('device')), { error: 'invalid_grant' })
})

void test('no column contains an ID, a user code, or the copies in other objects (trap 2)', async () => {
  await addGrant('grant')
  await add('AccessToken', 'live-access', { grantId: 'grant', accountId: String(ann) })
  await add('ClientCredentials', 'live-client')
  await add('RefreshToken', 'live-refresh', { grantId: 'grant' })
  await add('AuthorizationCode', 'live-code', { grantId: 'grant' })
  await add('DeviceCode', 'live-device', { grantId: 'grant', userCode: 'LIVEUSER' })
  await add('Session', 'live-session', { uid: 'session-uid', state: { secret: 'live-xsrf' } })
  await add('Interaction', 'live-interaction', {
    returnTo: 'https://trails.example/oauth/authorize/live-interaction',
    session: { cookie: 'live-session', uid: 'session-uid' },
    deviceCode: 'live-device',
  })
  const stored = JSON.stringify(await rows())
  assert.doesNotMatch(stored, /live/i)
  assert.ok(stored.includes(hashId('live-access')), 'found by hash')
})

for (const kind of ['AccessToken', 'ClientCredentials', 'RefreshToken', 'AuthorizationCode', 'Session']) {
  void test(`${kind} is loaded as it was saved, with its ID`, async () => {
    const payload = { jti: 'the-id', kind, clientId, scope: 'images:read', exp: 1, iat: 1, accountId: '7' }
    await adapterOf(kind).upsert('the-id', payload, 900)
    assert.deepEqual(await adapterOf(kind).find('the-id'), payload)
    assert.equal(await adapterOf(kind).find(hashId('the-id')), undefined, 'the hash is no id')
    assert.equal(await adapterOf('Interaction').find('the-id'), undefined, 'nor is it of another kind')
  })
}

void test('a session found by uid and a device code found by user code include their IDs', async () => {
  await add('Session', 'session', { uid: 'session-uid' })
  await add('DeviceCode', 'device', { userCode: 'BCDFGHJK' })
  assert.equal((await adapterOf('Session').findByUid('session-uid'))?.jti, 'session')
  const code = await adapterOf('DeviceCode').findByUserCode('BCDFGHJK')
  assert.equal(code?.jti, 'device')
  assert.equal(code?.userCode, 'BCDFGHJK')
  assert.equal(await adapterOf('DeviceCode').findByUserCode('BCDFGHJX'), undefined)
})

void test('destroy deletes one, revokeByGrantId the kind of a grant', async () => {
  await addGrant('grant')
  await add('AccessToken', 'one', { grantId: 'grant' })
  await add('AccessToken', 'two', { grantId: 'grant' })
  await add('RefreshToken', 'three', { grantId: 'grant' })
  await adapterOf('AccessToken').destroy('one')
  assert.equal(await adapterOf('AccessToken').find('one'), undefined)
  assert.ok(await adapterOf('AccessToken').find('two'))
  await adapterOf('AccessToken').revokeByGrantId('grant')
  assert.equal(await adapterOf('AccessToken').find('two'), undefined)
  assert.ok(await adapterOf('RefreshToken').find('three'))
})

void test('an expired object is not found, from the exact millisecond', async () => {
  await add('RefreshToken', 'token', {}, 60)
  await add('Session', 'session', { uid: 'session-uid' }, 60)
  at = start + 59_999
  assert.ok(await adapterOf('RefreshToken').find('token'))
  at = start + 60_000
  assert.equal(await adapterOf('RefreshToken').find('token'), undefined)
  assert.equal(await adapterOf('Session').findByUid('session-uid'), undefined)
})

void test('an expired device code is found, because the provider tells the device that it expired', async () => {
  await add('DeviceCode', 'device', {}, 60)
  at = start + 61_000
  assert.ok(await adapterOf('DeviceCode').find('device'))
})

void test('sessions sealed with a replaced secret are over, without an error', async () => {
  await add('Session', 'session', { uid: 'session-uid' })
  const another = await loadSecret(path.join(folder, 'another'))
  const adapter = createOauthStore({ db: database.db, secret: another, now: () => at })('Session')
  assert.equal(await adapter.find('session'), undefined)
})

void test('the cleanup keeps expired access tokens for a week, everything else for an hour', async () => {
  await add('ClientCredentials', 'token', {}, 900)
  await add('RefreshToken', 'refresh', {}, 900)
  const tokens = createAccessTokens(database.db, () => at)
  const expiry = start + 900_000
  assert.equal(await sweepExpired(database.db, expiry + hour - 1), 0)
  assert.equal(await sweepExpired(database.db, expiry + hour), 1)
  at = expiry + 7 * 24 * hour - 1
  assert.equal(await sweepExpired(database.db, at), 0)
  assert.equal((await tokens.find('token')).state, 'expired')
  at += 1
  assert.equal(await sweepExpired(database.db, at), 1)
  assert.equal((await tokens.find('token')).state, 'unknown')
})

void test('clients cannot be written through the provider', async () => {
  await assert.rejects(Promise.resolve(adapterOf('Client').upsert('x', {}, 1)), /registerClient/)
})

void test('an access token is valid until it expires, then is expired, and once revoked unknown', async () => {
  const tokens = createAccessTokens(database.db, () => at)
  await add('ClientCredentials', 'token', { scope: 'images:read routes:read nonsense' }, 900)
  const found = await tokens.find('token')
  assert.ok(found.state === 'live')
  assert.equal(found.accountId, ann)
  assert.equal(found.clientId, clientId)
  assert.equal(found.expiresAt, start + 900_000)
  assert.deepEqual([...found.scopes], ['images:read'], 'only known scopes the client is registered for')
  at = start + 899_999
  assert.equal((await tokens.find('token')).state, 'live')
  at = start + 900_000
  assert.equal((await tokens.find('token')).state, 'expired')
  await adapterOf('ClientCredentials').destroy('token')
  assert.equal((await tokens.find('token')).state, 'unknown')
})

void test('a token that a person granted acts as that person, not as the account of the client', async () => {
  const tokens = createAccessTokens(database.db, () => at)
  await addGrant('grant')
  await add('AccessToken', 'token', { grantId: 'grant', accountId: String(ben), scope: 'images:write' })
  const found = await tokens.find('token')
  assert.ok(found.state === 'live')
  assert.equal(found.accountId, ben)
})

for (const accountId of [undefined, '', '0', '-1', '1.5', 'ann', '9007199254740993']) {
  void test(`an access token of the account ${accountId} is unknown`, async () => {
    await add('AccessToken', 'token', accountId === undefined ? {} : { accountId })
    assert.equal((await createAccessTokens(database.db, () => at).find('token')).state, 'unknown')
  })
}

void test('nothing else is accepted as an access token (row 53)', async () => {
  const tokens = createAccessTokens(database.db, () => at)
  await addGrant('grant')
  for (const kind of ['RefreshToken', 'AuthorizationCode', 'DeviceCode', 'Session', 'Interaction', 'Grant']) {
    await add(kind, `a-${kind}`, { grantId: 'grant', accountId: String(ann), scope: 'images:write' })
    assert.equal((await tokens.find(`a-${kind}`)).state, 'unknown')
  }
  for (const text of [
    '',
    'grant',
    clientId,
    hashId('a-RefreshToken'),
    'wm_key',
    'eyJhbGciOiJub25lIn0.e30.',
  ]) {
    assert.equal((await tokens.find(text)).state, 'unknown')
  }
})

void test('the tokens of a deleted client are unknown', async () => {
  await add('ClientCredentials', 'token', { scope: 'images:read' })
  await database.db.deleteFrom('oauth_client').where('id', '=', clientId).execute()
  assert.equal((await createAccessTokens(database.db, () => at).find('token')).state, 'unknown')
})

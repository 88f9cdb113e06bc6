// The account, role and scopes of a token from a trusted issuer, and accounts created for it (C29).
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { byCommand } from '../../../src/accounts/audit/audit.ts'
import { findExistingAccount, storeSubmitter } from '../../../src/accounts/unclaimed.ts'
import { createExternalIdentities, type Claims } from '../../../src/auth/issuers/external-identities.ts'
import type { ExternalIdentity } from '../../../src/auth/issuers/external-identity-table.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../../src/database/read-only.ts'
import type { RefusalCode } from '../../../src/errors.ts'
import { ask, startIssuer, startTrusting } from '../../helpers/issuers.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'

async function setUp(t: TestContext, entry: Readonly<Record<string, unknown>> = {}) {
  const issuer = await startIssuer(t)
  const waymark = await startTrusting(t, [{ issuer: issuer.url, ...entry }])
  const { db } = waymark.installation.database
  const send = async (claims: Claims): Promise<Response> => ask(waymark, await issuer.token(claims))
  return {
    issuer,
    waymark,
    db,
    identities: createExternalIdentities({ db, system: waymark.system }),
    send,
    refused: async (claims: Claims): Promise<string> =>
      (await assertProblem(await send(claims), 'forbidden', JSON.stringify(claims))).detail ?? '',
    accounts: () => db.selectFrom('account').selectAll().execute(),
    audit: () => db.selectFrom('audit').select(['action', 'account_id', 'via']).orderBy('position').execute(),
  }
}

void test('C29: a link gives access to the account from the next request on, and ends as quickly', async (t) => {
  const { issuer, waymark, identities, send, refused } = await setUp(t)
  const { accountId } = await waymark.addPerson()
  const ann = { issuer: issuer.url, subject: 'ann' }
  assert.match(
    await refused({ sub: 'ann' }),
    /^No account here is linked to this user of .+; ask the operator to link one\.$/,
  )
  await identities.link(byCommand, ann, accountId)
  assert.equal((await send({ sub: 'ann' })).status, 200)
  // Neither by email, nor by an id that no setting mentions, nor by another spelling.
  await refused({ sub: String(accountId), email: 'person1@trails.example', email_verified: true })
  await refused({ sub: 'Ann' })
  await refused({ sub: 'ann ' })
  await refused({ sub: undefined })
  await refused({ sub: '' })
  await identities.link(byCommand, ann, accountId) // linking twice is harmless
  const { accountId: other } = await waymark.addPerson()
  const fails = async (identity: ExternalIdentity, id: number, code: RefusalCode) =>
    assert.rejects(identities.link(byCommand, identity, id), { name: 'Refusal', code })
  await fails(ann, other, 'invalid-field')
  await fails({ ...ann, subject: 'ben' }, 44, 'invalid-account-id')
  for (const subject of ['', 'x'.repeat(256), '\u{d800}'])
    await fails({ ...ann, subject }, accountId, 'invalid-field')
  assert.equal(await identities.unlink(byCommand, ann), accountId)
  assert.equal(await identities.unlink(byCommand, ann), undefined)
  await refused({ sub: 'ann' })
})

void test('an account that was pulled belongs to its owner once an issuer claims it', async (t) => {
  const { waymark, db, send } = await setUp(t, { accountClaim: 'acct' })
  const ann = { id: 42, displayName: 'Ann', email: undefined }
  const at = waymark.system.now()
  const keeping = { at, by: byCommand, source: 'old', isFrom: () => true, isSame: false }
  const pull = () => db.transaction().execute((tx) => storeSubmitter(tx, ann, keeping))
  await pull()
  await switchReadOnlyOn(db, 0, 'a move')
  assert.equal((await send({ acct: 42 })).status, 200)
  assert.notEqual((await findExistingAccount(db, 42))?.unclaimedAt, null)
  await switchReadOnlyOff(db)
  assert.equal((await send({ acct: 42 })).status, 200)
  assert.equal((await findExistingAccount(db, 42))?.unclaimedAt, null)
})

void test('C29: the claim is an acctID in plain digits or nothing, and takes precedence over a link', async (t) => {
  const { issuer, waymark, identities, send, refused } = await setUp(t, { accountClaim: 'acct' })
  await waymark.addPerson({ id: 42 })
  const { accountId: other } = await waymark.addPerson()
  for (const acct of [42, '42']) assert.equal((await send({ acct })).status, 200)
  const none = ['042', '+42', '42 ', '4e1', '0x2a', '٤٢', 42.5, -42, 0, '0', 43, [42], { id: 42 }, true, null]
  for (const acct of [...none, '9007199254740993', 9007199254740992]) await refused({ acct })
  await identities.link(byCommand, { issuer: issuer.url, subject: 'ann' }, other)
  const uploader = await issuer.token({ sub: 'ann', acct: 42, scope: 'images:read images:write' })
  const self = await waymark.fetch('/v2/images', { token: uploader })
  assert.equal(self.status, 200)
  assert.equal(
    (await send({ sub: 'ann', acct: 43 })).status,
    200,
    'a claim that names nobody leaves the link',
  )
})

void test('C29: a suspended or deleted account has no access, whatever the token says', async (t) => {
  const { waymark, db, send, issuer, refused } = await setUp(t, { accountClaim: 'sub' })
  await waymark.addPerson({ id: 42 })
  await waymark.addPerson({ id: 43 })
  assert.equal((await send({ sub: '42' })).status, 200)
  await db.updateTable('account').set({ suspended_at: 1 }).where('id', '=', 42).execute()
  await assertProblem(await send({ sub: '42' }), 'invalid-token')
  await db.updateTable('account').set({ suspended_at: null }).where('id', '=', 42).execute()
  assert.equal((await send({ sub: '42' })).status, 200)
  assert.equal((await send({ sub: '43' })).status, 200)
  await db.deleteFrom('oauth_object').where('account_id', '=', 43).execute()
  await db.deleteFrom('oauth_client').where('account_id', '=', 43).execute()
  await db.deleteFrom('account').where('id', '=', 43).execute()
  await refused({ sub: '43' })
  assert.equal(issuer.countOf('/keys'), 1)
})

const verified = { email: 'Ann@Hikers.example', email_verified: true, name: 'Ann of the hills' }

void test('C29: with createAccounts an unknown person gets an account, once, however many requests come first', async (t) => {
  const { waymark, send, accounts, audit, identities } = await setUp(t, { createAccounts: true })
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(verified)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(20).fill(200),
  )
  const [made, ...others] = await accounts()
  assert.deepEqual(others, [])
  assert.ok(made)
  const { id, ...account } = made
  const at = waymark.system.now()
  assert.deepEqual(account, {
    display_name: 'Ann of the hills',
    email: 'Ann@Hikers.example',
    email_key: 'ann@hikers.example',
    role: 'member',
    password_hash: null,
    created_at: at,
    suspended_at: null,
    email_verified_at: at,
    trusted_at: null,
    deleted_at: null,
    mails: 'on',
    language: null,
    image_bytes: 0,
    route_count: 0,
    route_bytes: 0,
    device_epoch: 0,
    unclaimed_at: null,
  })
  assert.partialDeepStrictEqual(await audit(), [
    { action: 'account.created', account_id: id, via: 'server' },
    { action: 'account.linked', account_id: id, via: 'server' },
  ])
  assert.equal(
    (await send({ ...verified, email: 'other@hikers.example' })).status,
    200,
    'the subject decides',
  )
  // Faster requests: no signature check in between.
  const [entry] = waymark.installation.config.trustedIssuers
  assert.ok(entry)
  const ben = { sub: 'ben', email: 'ben@hikers.example', email_verified: true }
  const ids = await Promise.all(Array.from({ length: 20 }, () => identities.accountOf(entry, ben)))
  assert.equal(new Set(ids).size, 1)
  assert.equal((await accounts()).length, 2)
})

void test('C29: an account created from a claim keeps the ID, and its name is shortened to the limit', async (t) => {
  const { send, accounts } = await setUp(t, { createAccounts: true, accountClaim: 'acct' })
  const many = await Promise.all(
    Array.from({ length: 10 }, () =>
      send({ ...verified, acct: '4711', name: ` \u{0}A\u{7}${'🥾'.repeat(300)}` }),
    ),
  )
  assert.deepEqual(
    many.map(({ status }) => status),
    Array(10).fill(200),
  )
  const preferred = {
    sub: 'ben',
    email: 'ben@hikers.example',
    email_verified: true,
    preferred_username: 'ben',
  }
  assert.equal((await send({ ...preferred, name: '  ' })).status, 200)
  assert.equal(
    (await send({ sub: 'eve', email: 'eve@hikers.example', email_verified: true, name: 7 })).status,
    200,
  )
  const names = new Map((await accounts()).map((account) => [account.email_key, account]))
  assert.equal(names.get('ann@hikers.example')?.id, 4_711)
  assert.equal(names.get('ann@hikers.example')?.display_name, `A ${'🥾'.repeat(254)}`)
  assert.equal(names.get('ben@hikers.example')?.display_name, 'ben')
  assert.equal(names.get('eve@hikers.example')?.display_name, 'Hiker')
})

void test('C29: no account is created without a verified address, nor with the address of another', async (t) => {
  const { waymark, refused, send, accounts, identities, issuer } = await setUp(t, { createAccounts: true })
  const { accountId } = await waymark.addPerson() // person1@trails.example
  const without = /one is created once the token has email and email_verified: true/
  for (const claims of [
    {},
    { email: 'ann@hikers.example' },
    { ...verified, email_verified: 'true' },
    { ...verified, email_verified: 1 },
    { ...verified, email: 'no address' },
    { ...verified, email: ['ann@hikers.example'] },
    { ...verified, email: 'ann@hikers.example\u{0}' },
    { ...verified, email: `${'a'.repeat(250)}@hikers.example` },
  ]) {
    assert.match(await refused(claims), without)
  }
  const taken = { email: 'PERSON1@trails.example', email_verified: true }
  assert.match(await refused(taken), /belongs to an existing account, which the operator can link/)
  assert.equal((await accounts()).length, 1)
  await identities.link(byCommand, { issuer: issuer.url, subject: 'ann' }, accountId)
  assert.equal((await send(taken)).status, 200)
})

void test('C29: no account is created while the installation is read-only', async (t) => {
  const { db, send, accounts } = await setUp(t, { createAccounts: true })
  await switchReadOnlyOn(db, 0, 'moving')
  await assertProblem(await send(verified), 'read-only')
  assert.deepEqual(await accounts(), [])
  await switchReadOnlyOff(db)
  assert.equal((await send(verified)).status, 200)
})

const roles = { roleClaim: 'groups', roles: { 'trail-staff': 'reviewer', boss: 'admin', hikers: 'member' } }

void test("C29: the role is the lesser of the account's and the token's, and scopes are those that both allow", async (t) => {
  const { issuer, waymark } = await setUp(t, {
    accountClaim: 'acct',
    ...roles,
    scopes: ['images:read', 'images:review'],
  })
  const ids = { member: 1, reviewer: 2, admin: 3 } as const
  for (const role of ['member', 'reviewer', 'admin'] as const)
    await waymark.addPerson({ id: ids[role], role })
  const scope = 'images:read images:write images:review openid'
  await waymark.addTrail(1, 'Rim Trail')
  const pending = await waymark.upload(
    await waymark.addPerson(),
    1,
    await jpegPicture({ width: 12, height: 9 }),
  )
  /** 200 for staff; for anyone else a pending photo does not exist. */
  const look = async (acct: number, groups: unknown): Promise<number> => {
    const token = await issuer.token({ acct, groups, scope })
    return (await waymark.fetch(`/v2/images/${pending}`, { token })).status
  }
  const nobody = [404, 404, 404]
  const asTheAccount = [404, 200, 200]
  const cases: readonly [unknown, readonly number[]][] = [
    [undefined, nobody],
    ['hikers', nobody],
    ['Boss', nobody],
    [7, nobody],
    [['constructor', '__proto__'], nobody],
    ['boss', asTheAccount],
    ['trail-staff', asTheAccount],
    [['hikers', 'trail-staff', 7], asTheAccount],
  ]
  for (const [groups, expected] of cases) {
    const seen = [
      await look(ids.member, groups),
      await look(ids.reviewer, groups),
      await look(ids.admin, groups),
    ]
    assert.deepEqual(seen, expected, JSON.stringify(groups))
  }
  const writing = await issuer.token({ acct: 1, groups: 'boss', scope })
  const upload = await waymark.fetch('/Trails/1/Images', {
    method: 'POST',
    token: writing,
    headers: { 'content-type': 'image/jpeg' },
    body: 'x',
  })
  const { detail } = await assertProblem(upload, 'insufficient-scope', 'capped by the entry')
  assert.match(detail, /images:write/)
})

void test('STAFF_SIGN_IN=passkey: tokens of another site give no staff rights, since no passkey was used there', async (t) => {
  const issuer = await startIssuer(t)
  const entry = {
    issuer: issuer.url,
    accountClaim: 'acct',
    ...roles,
    scopes: ['images:read', 'images:review'],
  }
  for (const [staffSignIn, status] of [
    ['any', 200],
    ['passkey', 403],
  ] as const) {
    const waymark = await startTrusting(t, [entry], { STAFF_SIGN_IN: staffSignIn })
    await waymark.addPerson({ id: 3, role: 'admin' })
    const token = await issuer.token({ acct: 3, groups: 'boss', scope: 'images:read images:review' })
    assert.equal((await waymark.fetch('/v2/review/queue', { token })).status, status, staffSignIn)
    assert.equal((await waymark.fetch('/v2/images', { token })).status, 200)
  }
})

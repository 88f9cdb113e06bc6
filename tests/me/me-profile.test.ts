// /v2/me, /v2/me/password and /v2/me/email: who may see and change what of their own account (contract, Part D).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../src/database/read-only.ts'
import { listAudit } from '../../src/accounts/audit/audit.ts'
import { addMember, addSignedIn, createVisitor, type Answer } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const { db } = waymark.installation.database

type Document = Record<string, unknown>
const read = ({ text }: Answer): Document => JSON.parse(text) as Document
const actionsOf = async (accountId: number) =>
  (await listAudit(db, { accountId, before: undefined, limit: 50 })).map(({ action }) => action)

void test('Part D: a session sees its account with everything its role may do, and the response must not be stored', async () => {
  const member = await addSignedIn(waymark)
  const answer = await member.call('GET', '/v2/me')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('cache-control'), 'private, no-store')
  const { createdAt, displayName, ...document } = read(answer)
  assert.match(String(createdAt), /^2026-05-14T09:08:07(\.000)?Z$/)
  assert.match(String(displayName), /^Member \d+$/)
  assert.deepEqual(document, {
    acctID: member.accountId,
    email: member.email,
    emailVerified: false,
    hasPassword: true,
    role: 'member',
    trails: null,
    mails: 'on',
    language: null,
    scopes: ['images:read', 'images:write', 'routes:read', 'routes:write'],
  })
  const etag = answer.headers.get('etag') ?? ''
  const again = await member.call('GET', '/v2/me', undefined, { 'if-none-match': etag })
  assert.equal(again.status, 304)
})

void test('Part D: a token sees the account with its own scopes; anonymous requests and API keys see nothing', async () => {
  const ana = await waymark.addPerson({ role: 'reviewer', scope: 'images:review' })
  await waymark.addTrail(9, 'Nine')
  await waymark.addTrail(4, 'Four')
  await db
    .insertInto('account_trail')
    .values([
      { account_id: ana.accountId, trail_id: 9 },
      { account_id: ana.accountId, trail_id: 4 },
    ])
    .execute()
  const answer = await waymark.fetch('/v2/me', { token: ana.token })
  const { role, trails, scopes } = (await answer.json()) as Document
  assert.deepEqual([role, trails, scopes], ['reviewer', [4, 9], ['images:review']])
  assert.equal((await waymark.fetch('/v2/me')).status, 401)
  const key = await waymark.addKey(ana.accountId)
  assert.equal((await waymark.fetch('/v2/me', { headers: { 'x-api-key': key } })).status, 401)
})

void test('Part D: only the person, in a browser, changes name, password and address; a token gets 403', async () => {
  const { token } = await waymark.addPerson()
  for (const [method, path] of [
    ['PATCH', '/v2/me'],
    ['POST', '/v2/me/password'],
    ['PUT', '/v2/me/email'],
  ] as const) {
    const answer = await waymark.fetch(path, { method, token, body: '{}' })
    assert.equal(answer.status, 403, path)
    assert.match(await answer.text(), /requires a browser session/)
  }
})

void test('Part D: a valid new name is saved, and the change is in the audit log', async () => {
  const member = await addSignedIn(waymark)
  const changed = await member.call('PATCH', '/v2/me', { displayName: 'Ann <b>' })
  assert.equal(changed.status, 200)
  assert.equal(read(changed)['displayName'], 'Ann <b>')
  assert.equal(read(await member.call('PATCH', '/v2/me', {}))['displayName'], 'Ann <b>')
  assert.ok((await actionsOf(member.accountId)).includes('account.changed'))
  for (const body of [
    { displayName: ' ' },
    { displayName: 'x'.repeat(257) },
    { displayName: 7 },
    { role: 'admin' },
    { email: 'x@y.example' },
    [],
  ]) {
    const answer = await member.call('PATCH', '/v2/me', body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.match(String(read(answer)['detail']), /^[A-Z n][^.]+\.$/i)
  }
  assert.equal(read(await member.call('GET', '/v2/me'))['role'], 'member')
})

void test('the person chooses the language of emails, and may clear the choice', async () => {
  const member = await addSignedIn(waymark)
  for (const language of ['de', 'en', null]) {
    const changed = await member.call('PATCH', '/v2/me', { language })
    assert.deepEqual([changed.status, read(changed)['language']], [200, language])
    assert.equal(read(await member.call('GET', '/v2/me'))['language'], language)
  }
  for (const language of ['fr', 'en-XA', '', 'DE', 1])
    assert.equal((await member.call('PATCH', '/v2/me', { language })).status, 400, String(language))
  // A newer Waymark beside this one may know more languages.
  await db.updateTable('account').set({ language: 'rm' }).where('id', '=', member.accountId).execute()
  assert.equal(read(await member.call('GET', '/v2/me'))['language'], null)
  assert.equal((await actionsOf(member.accountId)).filter((action) => action === 'account.changed').length, 3)
})

void test('issue 6: the person turns emails off and on, and the change is in the audit log', async () => {
  const member = await addSignedIn(waymark)
  const off = await member.call('PATCH', '/v2/me', { mails: 'off' })
  assert.deepEqual([off.status, read(off)['mails']], [200, 'off'])
  assert.equal(read(await member.call('PATCH', '/v2/me', { displayName: 'Zoe' }))['mails'], 'off')
  const on = read(await member.call('PATCH', '/v2/me', { mails: 'on', displayName: 'Ana' }))
  assert.deepEqual([on['mails'], on['displayName']], ['on', 'Ana'])
  for (const mails of ['never', true, null, ''])
    assert.equal((await member.call('PATCH', '/v2/me', { mails })).status, 400)
  const changes = await listAudit(db, { accountId: member.accountId, before: undefined, limit: 50 })
  const details = changes.filter(({ action }) => action === 'account.changed').map(({ detail }) => detail)
  assert.ok(details.includes('{"mails":"off"}') && details.includes('{"mails":"on"}'), details.join())
})

void test('C39: a name cannot be changed with an outdated If-Match', async () => {
  const member = await addSignedIn(waymark)
  const patch = (ifMatch: string) =>
    member.call('PATCH', '/v2/me', { displayName: 'Zoe' }, { 'if-match': ifMatch })
  const before = (await member.call('GET', '/v2/me')).headers.get('etag') ?? ''
  assert.equal((await patch('"other"')).status, 412)
  assert.equal((await patch(before)).status, 200)
  assert.equal((await patch(before)).status, 412)
})

void test('Part D: changing the password takes the current one, and signs out every other browser', async () => {
  const member = await addSignedIn(waymark)
  const elsewhere = createVisitor(waymark)
  assert.equal((await elsewhere.post('/sign-in', member as never)).status, 303)
  const wrong = await member.call('POST', '/v2/me/password', { current: 'no', password: 'a new password' })
  assert.equal(wrong.status, 403)
  assert.equal(read(wrong)['title'], 'Incorrect password')
  const short = await member.call('POST', '/v2/me/password', { current: member.password, password: 'short' })
  assert.equal(short.status, 400)
  const done = await member.call('POST', '/v2/me/password', {
    current: member.password,
    password: 'a new password',
  })
  assert.equal(done.status, 204, done.text)
  assert.equal((await member.call('GET', '/v2/me')).status, 200)
  assert.equal((await elsewhere.call('GET', '/v2/me')).status, 401)
  const { email } = member
  assert.equal((await elsewhere.post('/sign-in', { email, password: member.password })).status, 403)
  assert.equal((await elsewhere.post('/sign-in', { email, password: 'a new password' })).status, 303)
  assert.ok((await actionsOf(member.accountId)).includes('password.set'))
})

void test('Part D: without email the address changes at once, unconfirmed; the address of another account is refused', async () => {
  const member = await addSignedIn(waymark)
  const other = await addMember(waymark)
  const { password } = member
  const done = await member.call('PUT', '/v2/me/email', { email: 'new@trails.example', password })
  assert.equal(done.status, 200, done.text)
  assert.deepEqual(read(done), { email: 'new@trails.example', status: 'changed' })
  assert.equal(read(await member.call('GET', '/v2/me'))['emailVerified'], false)
  const taken = await member.call('PUT', '/v2/me/email', { email: other.email.toUpperCase(), password })
  assert.equal(taken.status, 400)
  assert.equal((await member.call('PUT', '/v2/me/email', { email: 'none', password })).status, 400)
  const wrong = { email: 'x@trails.example', password: 'no' }
  assert.equal((await member.call('PUT', '/v2/me/email', wrong)).status, 403)
})

void test('trust 62: while read-only, own accounts can be read but not changed', async () => {
  const member = await addSignedIn(waymark)
  await switchReadOnlyOn(db, waymark.system.now(), 'moving')
  try {
    assert.equal((await member.call('GET', '/v2/me')).status, 200)
    const calls = [
      ['PATCH', '/v2/me', { displayName: 'X' }],
      ['POST', '/v2/me/keys', { name: 'X' }],
      ['DELETE', '/v2/me/sessions', undefined],
      ['POST', '/v2/me/clients', { name: 'X', scopes: ['images:read'] }],
    ] as const
    for (const [method, path, body] of calls) {
      const answer = await member.call(method, path, body)
      assert.equal(answer.status, 503, path)
      assert.equal(answer.headers.get('retry-after'), '60')
    }
  } finally {
    await switchReadOnlyOff(db)
  }
})

void test('CSRF: a request that does not come from our own pages carries no session', async () => {
  const member = await addSignedIn(waymark)
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ]) {
    const answer = await member.call('DELETE', '/v2/me/sessions', undefined, headers)
    assert.equal(answer.status, 401)
  }
  assert.equal((await member.get('/v2/me')).status, 401, 'no word of where it comes from')
  assert.equal((await member.call('GET', '/v2/me')).status, 200)
})

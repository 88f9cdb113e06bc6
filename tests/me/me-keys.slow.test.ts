// /v2/me/keys: made once, listed without the key, replaced with or without an overlap, revoked at once (C18, C28).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { maxLiveKeys } from '../../src/auth/api-keys.ts'
import { listAudit } from '../../src/accounts/audit/audit.ts'
import { addSignedIn, type Answer, type Member } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const { db } = waymark.installation.database
await waymark.addTrail(1, 'Rim Trail')
const day = 86_400_000

type Document = Record<string, string | null>
const read = ({ text }: Answer): Document => JSON.parse(text) as Document
const list = async (member: Member): Promise<Document[]> =>
  (JSON.parse((await member.call('GET', '/v2/me/keys')).text) as { items: Document[] }).items
const opens = async (key: string | null | undefined): Promise<boolean> =>
  (await waymark.fetch('/Trails/1/Images', { headers: { 'x-api-key': String(key) } })).status === 200

async function make(member: Member, body: object = { name: 'Site' }): Promise<Document> {
  const answer = await member.call('POST', '/v2/me/keys', body)
  assert.equal(answer.status, 201, answer.text)
  assert.equal(answer.headers.get('cache-control'), 'private, no-store')
  return read(answer)
}

/** A call with an Idempotency-Key. */
const repeatable = (member: Member, path: string, key: string, body: object): Promise<Answer> =>
  member.call('POST', path, body, { 'idempotency-key': key })

void test('C28: a key is shown once, listed without its value, and works until it is revoked or altered', async () => {
  const member = await addSignedIn(waymark)
  const expiresAt = new Date(waymark.system.now() + day).toISOString()
  const key = await make(member, { name: ' Site ', expiresAt })
  assert.match(String(key['apiKey']), /^wm_[\w-]{43}$/)
  assert.deepEqual([key['name'], key['expiresAt']], ['Site', expiresAt])
  assert.equal(await opens(key['apiKey']), true)
  const [listed, ...others] = await list(member)
  assert.equal(others.length, 0)
  assert.equal(JSON.stringify(listed).includes(String(key['apiKey'])), false)
  const { createdAt, lastUsedAt, ...rest } = listed ?? {}
  assert.ok(createdAt)
  assert.ok(lastUsedAt)
  assert.deepEqual(rest, {
    prefix: key['prefix'],
    name: 'Site',
    status: 'live',
    expiresAt,
    revokedAt: null,
  })
  const path = `/v2/me/keys/${key['prefix']}`
  assert.equal((await member.call('DELETE', path)).status, 204)
  assert.equal(await opens(key['apiKey']), false)
  assert.equal((await list(member))[0]?.['status'], 'revoked')
  assert.equal((await member.call('DELETE', path)).status, 404)
  const audit = await listAudit(db, { accountId: member.accountId, before: undefined, limit: 9 })
  const rows = audit.filter(({ action }) => action.startsWith('key.'))
  assert.deepEqual(
    rows.map(({ action, via, actorId }) => [action, via, actorId]),
    [
      ['key.revoked', 'session', member.accountId],
      ['key.created', 'session', member.accountId],
    ],
  )
  assert.doesNotMatch(JSON.stringify(audit), new RegExp(String(key['apiKey'])))
})

void test('C28: a key stops working at its expiry, and while its account is suspended', async () => {
  const member = await addSignedIn(waymark)
  const at = waymark.system.now()
  const short = await make(member, { name: 'a', expiresAt: new Date(at + 60_000).toISOString() })
  const long = await make(member, { name: 'b', expiresAt: null })
  waymark.system.advance(60_000)
  assert.deepEqual([await opens(short['apiKey']), await opens(long['apiKey'])], [false, true])
  const statuses = (await list(member)).map(({ name, status }) => `${name}: ${status}`)
  assert.deepEqual(statuses.toSorted(), ['a: expired', 'b: live'])
  const suspend = (suspendedAt: number | null) =>
    db.updateTable('account').set({ suspended_at: suspendedAt }).where('id', '=', member.accountId).execute()
  await suspend(at)
  assert.equal(await opens(long['apiKey']), false)
  await suspend(null)
  assert.equal(await opens(long['apiKey']), true)
})

void test('C28: a replaced key stops working at once, or after the overlap; it is replaced once and may be revoked earlier', async () => {
  const member = await addSignedIn(waymark)
  const expiresAt = new Date(waymark.system.now() + 30 * day).toISOString()
  const first = await make(member, { name: 'Site', expiresAt })
  const rotate = (key: Document, body?: object) =>
    member.call('POST', `/v2/me/keys/${key['prefix']}/rotate`, body)

  const atOnce = await rotate(first)
  assert.equal(atOnce.status, 201, atOnce.text)
  const second = read(atOnce)
  assert.deepEqual([second['name'], second['expiresAt']], ['Site', expiresAt])
  assert.deepEqual([await opens(first['apiKey']), await opens(second['apiKey'])], [false, true])
  assert.equal((await rotate(first)).status, 404)

  const third = read(await rotate(second, { overlapSeconds: 3_600 }))
  assert.deepEqual([await opens(second['apiKey']), await opens(third['apiKey'])], [true, true])
  const again = await rotate(second, { overlapSeconds: 3_600 })
  assert.equal(again.status, 409)
  assert.equal((await list(member)).find(({ prefix }) => prefix === second['prefix'])?.['status'], 'live')
  waymark.system.advance(3_600_000 - 1)
  assert.equal(await opens(second['apiKey']), true)
  waymark.system.advance(1)
  assert.deepEqual([await opens(second['apiKey']), await opens(third['apiKey'])], [false, true])

  await rotate(third, { overlapSeconds: 604_800 })
  assert.equal(await opens(third['apiKey']), true)
  assert.equal((await member.call('DELETE', `/v2/me/keys/${third['prefix']}`)).status, 204)
  assert.equal(await opens(third['apiKey']), false)
})

void test('C31: keys of another account do not exist for the caller, and keep working', async () => {
  const owner = await addSignedIn(waymark)
  const other = await addSignedIn(waymark)
  const key = await make(owner)
  assert.deepEqual(await list(other), [])
  const path = `/v2/me/keys/${key['prefix']}`
  assert.equal((await other.call('DELETE', path)).status, 404)
  assert.equal((await other.call('POST', `${path}/rotate`)).status, 404)
  assert.equal((await other.call('DELETE', '/v2/me/keys/wm_nothing1')).status, 404)
  assert.equal(await opens(key['apiKey']), true)
})

void test('C30: the account’s own client manages keys; one without images:read, or of another account, does not', async () => {
  const ana = await waymark.addPerson({ scope: 'images:read' })
  const ask = (token?: string) =>
    waymark.fetch('/v2/me/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Client"}',
      ...(token === undefined ? {} : { token }),
    })
  const made = await ask(ana.token)
  assert.equal(made.status, 201)
  const [row] = await listAudit(db, { accountId: ana.accountId, before: undefined, limit: 1 })
  assert.deepEqual([row?.action, row?.via], ['key.created', 'token'])
  const short = await ask(await waymark.tokenFor(ana.accountId, 'images:write'))
  assert.equal(short.status, 403)
  assert.match(await short.text(), /images:read/)
  assert.equal((await ask()).status, 401)
})

void test('C37: an invalid body is refused in one sentence, and creates no key', async () => {
  const member = await addSignedIn(waymark)
  for (const body of [
    {},
    { name: '' },
    { name: '  ' },
    { name: 'x'.repeat(201) },
    { name: 'a\u202Eb' },
    { name: 7 },
    { name: 'a', expiresAt: 'tomorrow' },
    { name: 'a', expiresAt: '2026-02-30T00:00:00Z' },
    { name: 'a', expiresAt: '2001-01-01T00:00:00Z' },
    { name: 'a', expiresAt: 7 },
    { name: 'a', scope: 'images:write' },
    null,
  ]) {
    const answer = await member.call('POST', '/v2/me/keys', body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.match(String(read(answer)['detail']), /^[a-z][^\n]{5,150}\.$/i, answer.text)
  }
  assert.deepEqual(await list(member), [])
  const key = await make(member)
  for (const overlapSeconds of [-1, 604_801, 0.5, '1']) {
    const path = `/v2/me/keys/${key['prefix']}/rotate`
    assert.equal((await member.call('POST', path, { overlapSeconds })).status, 400, String(overlapSeconds))
  }
  assert.equal(await opens(key['apiKey']), true)
})

void test('C38: an account has at most a hundred active keys, and the refusal says so; expired ones make room and are deleted later', async () => {
  const member = await addSignedIn(waymark)
  const keys: Document[] = []
  while (keys.length < maxLiveKeys) keys.push(await make(member))
  const full = await member.call('POST', '/v2/me/keys', { name: 'one more' })
  assert.equal(full.status, 403)
  assert.match(full.text, /may have 100 active API keys, and this one has 100/)
  const path = (key: Document | undefined) => `/v2/me/keys/${key?.['prefix']}`
  assert.equal((await member.call('POST', `${path(keys[0])}/rotate`, { overlapSeconds: 60 })).status, 403)
  assert.equal(await opens(keys[0]?.['apiKey']), true)
  assert.equal((await member.call('POST', `${path(keys[0])}/rotate`)).status, 201)
  for (const key of keys.slice(1)) assert.equal((await member.call('DELETE', path(key))).status, 204)
  await make(member)
  await make(member)
  const last = await make(member)
  assert.equal((await member.call('DELETE', path(last))).status, 204)
  await make(member)
  const statuses = (await list(member)).map(({ status }) => status)
  assert.deepEqual(
    [
      statuses.filter((status) => status === 'live').length,
      statuses.filter((status) => status !== 'live').length,
    ],
    [4, 100],
  )
})

void test('C18: an Idempotency-Key creates one key; a repeat returns 409, another body 422, and a day later it creates a new one', async () => {
  const member = await addSignedIn(waymark)
  const ask = (body: object, key = 'a-name') => repeatable(member, '/v2/me/keys', key, body)
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => ask({ name: 'Site' })))
  const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
  assert.deepEqual(statuses, [201, 409, 409, 409, 409, 409])
  const refused = answers.find(({ status }) => status === 409)
  const { title, detail } = read(refused as Answer)
  assert.equal(title, 'The request was already processed')
  const [made, ...others] = await list(member)
  assert.equal(others.length, 0)
  assert.ok(detail?.includes(String(made?.['createdAt'])), String(detail))
  assert.equal((await ask({ name: 'Other' })).status, 422)
  assert.equal((await ask({ name: 'Site' }, 'two words')).status, 400)
  assert.equal((await ask({ name: '' }, 'third')).status, 400)
  assert.equal((await ask({ name: 'Third' }, 'third')).status, 201, 'a refused request may be mended')

  const path = `/v2/me/keys/${made?.['prefix']}/rotate`
  const rotations = [await repeatable(member, path, 'r', {}), await repeatable(member, path, 'r', {})]
  assert.deepEqual(
    rotations.map(({ status }) => status),
    [201, 409],
  )
  waymark.system.advance(day)
  assert.equal((await ask({ name: 'Site' })).status, 201)
})

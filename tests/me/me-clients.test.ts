// /v2/me/clients: registering, changing and removing applications of one's own (contract C29, Part D).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { maxOwnClients } from '../../src/me/own-clients.ts'
import { addSignedIn, type Answer, type Member } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())

interface Client {
  readonly clientId: string
  readonly clientSecret?: string
  readonly name: string
  readonly scopes: string[]
  readonly redirectUris: string[]
  readonly isPublic: boolean
  readonly createdAt: string
}
const read = ({ text }: Answer): Client => JSON.parse(text) as Client
const detailOf = ({ text }: Answer): string => (JSON.parse(text) as { detail: string }).detail
const list = async (member: Member): Promise<Client[]> =>
  (JSON.parse((await member.call('GET', '/v2/me/clients')).text) as { items: Client[] }).items
const wanted = { name: 'Gallery', scopes: ['images:read'], redirectUris: ['https://gallery.example/back'] }

async function register(member: Member, body: object = wanted): Promise<Client> {
  const answer = await member.call('POST', '/v2/me/clients', body)
  assert.equal(answer.status, 201, answer.text)
  assert.equal(answer.headers.get('cache-control'), 'private, no-store')
  return read(answer)
}

const tokenOf = ({ clientId, clientSecret }: Client) =>
  waymark.fetch('/oauth/token', {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })

void test('C29: a confidential application gets its secret once, and acts as its owner; a public one gets none', async () => {
  const member = await addSignedIn(waymark)
  const made = await register(member)
  assert.match(made.clientSecret ?? '', /^wms_[\w-]{43}$/)
  const { clientSecret: _secret, ...shown } = made
  assert.deepEqual(await list(member), [shown])
  const one = await member.call('GET', `/v2/me/clients/${made.clientId}`)
  assert.deepEqual(read(one), shown)
  const tokens = (await (await tokenOf(made)).json()) as { access_token: string }
  const me = await waymark.fetch('/v2/me', { token: tokens.access_token })
  assert.equal(((await me.json()) as { acctID: number }).acctID, member.accountId)
  const phone = await register(member, { name: 'Phone', scopes: ['images:read'], isPublic: true })
  assert.equal('clientSecret' in phone, false)
  assert.deepEqual([phone.isPublic, phone.redirectUris], [true, []])
})

void test('C29: a new secret invalidates the old one and its tokens; a public application has none to replace', async () => {
  const member = await addSignedIn(waymark)
  const made = await register(member)
  const { access_token: token } = (await (await tokenOf(made)).json()) as { access_token: string }
  const path = `/v2/me/clients/${made.clientId}/secret`
  const answer = await member.call('POST', path, undefined, { 'idempotency-key': 'k' })
  assert.equal(answer.status, 201)
  assert.equal((await member.call('POST', path, undefined, { 'idempotency-key': 'k' })).status, 409)
  assert.equal((await tokenOf(made)).status, 401)
  assert.equal((await waymark.fetch('/v2/me', { token })).status, 401)
  assert.equal((await tokenOf({ ...made, ...read(answer) })).status, 200)
  const phone = await register(member, { ...wanted, isPublic: true })
  assert.equal((await member.call('POST', `/v2/me/clients/${phone.clientId}/secret`)).status, 400)
})

void test('C29 C39: an application is changed by its owner, based on the version that was read, and removed with its tokens', async () => {
  const member = await addSignedIn(waymark)
  const made = await register(member)
  const { access_token: token } = (await (await tokenOf(made)).json()) as { access_token: string }
  const path = `/v2/me/clients/${made.clientId}`
  const etag = (await member.call('GET', path)).headers.get('etag') ?? ''
  const change = { name: 'Gallery 2', scopes: ['images:write'], redirectUris: ['https://two.example/'] }
  const changed = await member.call('PATCH', path, change, { 'if-match': etag })
  assert.equal(changed.status, 200, changed.text)
  const { name, scopes, redirectUris } = read(changed)
  assert.deepEqual({ name, scopes, redirectUris }, change)
  assert.deepEqual(read(await member.call('PATCH', path, {})).name, 'Gallery 2')
  assert.equal((await member.call('PATCH', path, change, { 'if-match': etag })).status, 412)
  assert.equal((await member.call('DELETE', path, undefined, { 'if-match': etag })).status, 412)
  assert.equal((await member.call('DELETE', path)).status, 204)
  assert.equal((await member.call('GET', path)).status, 404)
  assert.equal((await waymark.fetch('/v2/me', { token })).status, 401)
})

void test('C31: another person’s application does not exist for the caller', async () => {
  const owner = await addSignedIn(waymark)
  const other = await addSignedIn(waymark, 'admin')
  const made = await register(owner)
  const path = `/v2/me/clients/${made.clientId}`
  assert.deepEqual(await list(other), [])
  for (const [method, address, body] of [
    ['GET', path, undefined],
    ['PATCH', path, { name: 'Mine' }],
    ['DELETE', path, undefined],
    ['POST', `${path}/secret`, undefined],
  ] as const) {
    assert.equal((await other.call(method, address, body)).status, 404, method)
  }
  assert.equal((await tokenOf(made)).status, 200)
  assert.equal((await list(owner))[0]?.name, 'Gallery')
})

void test('trap 5: an application cannot be registered for a scope that its owner’s role does not have', async () => {
  const member = await addSignedIn(waymark)
  const reviewer = await addSignedIn(waymark, 'reviewer')
  const review = { ...wanted, scopes: ['images:review'] }
  const refused = await member.call('POST', '/v2/me/clients', review)
  assert.equal(refused.status, 400)
  assert.match(detailOf(refused), /images:review requires the role reviewer/)
  const trails = await member.call('POST', '/v2/me/clients', { ...wanted, scopes: ['trails:write'] })
  assert.match(detailOf(trails), /trails:write requires the role admin/)
  assert.deepEqual(await list(member), [])
  const made = await register(member)
  const patched = await member.call('PATCH', `/v2/me/clients/${made.clientId}`, { scopes: review.scopes })
  assert.equal(patched.status, 400)
  await register(reviewer, review)
})

void test('C37: an invalid body is refused in one sentence, and registers nothing', async () => {
  const member = await addSignedIn(waymark)
  const wrong = [
    {},
    { ...wanted, name: '' },
    { ...wanted, name: 'a\u200Bb' },
    { ...wanted, scopes: [] },
    { ...wanted, scopes: ['images:all'] },
    { ...wanted, scopes: 'images:read' },
    { ...wanted, redirectUris: ['http://gallery.example/'] },
    { ...wanted, redirectUris: ['https://gallery.example/#x'] },
    { ...wanted, redirectUris: ['https://user@gallery.example/'] },
    { ...wanted, redirectUris: ['javascript:alert(1)'] },
    { ...wanted, redirectUris: Array.from({ length: 21 }, (_, at) => `https://g${at}.example/`) },
    { ...wanted, isPublic: 'yes' },
    { ...wanted, acctID: 1 },
  ]
  for (const body of wrong) {
    const answer = await member.call('POST', '/v2/me/clients', body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.match(detailOf(answer), /^[a-z][^\n]{5,250}\.$/i)
  }
  assert.deepEqual(await list(member), [])
})

void test('C18 C38: a repeated request registers nothing more, and the fifty-first application is refused', async () => {
  const member = await addSignedIn(waymark)
  const ask = () => member.call('POST', '/v2/me/clients', wanted, { 'idempotency-key': 'one' })
  const statuses = (await Promise.all([ask(), ask(), ask()])).map(({ status }) => status)
  assert.deepEqual(
    statuses.toSorted((one, other) => one - other),
    [201, 409, 409],
  )
  for (let count = 1; count < maxOwnClients; count += 1) await register(member)
  const full = await member.call('POST', '/v2/me/clients', wanted)
  assert.equal(full.status, 403)
  assert.match(detailOf(full), /may have 50 applications, and this one has 50/)
  assert.equal((await list(member)).length, maxOwnClients)
})

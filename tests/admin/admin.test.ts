// /v2/admin for admins: accounts, roles, trails, suspension, applications, and the audit of all of it (Part D).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { addMember, addSignedIn, type Answer, type Member } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'

let waymark: Waymark
let admin: Member

before(async () => {
  waymark = await startWaymark()
  await waymark.addTrail(4711, 'Rim Trail')
  await waymark.addTrail(4712, 'Creek Trail')
  admin = await addSignedIn(waymark, 'admin')
})
after(() => waymark.close())

const json = ({ text }: Answer) => JSON.parse(text) as Record<string, unknown>
const itemsOf = (answer: Answer) => json(answer)['items'] as Record<string, unknown>[]
const patch = (id: number, change: unknown) => admin.call('PATCH', `/v2/admin/accounts/${id}`, change)

void test('accounts are found by part of the name or address, by role and status, page by page', async () => {
  const [first, second] = [await addMember(waymark), await addMember(waymark, 'reviewer')]
  const found = itemsOf(await admin.call('GET', `/v2/admin/accounts?q=${first.email.toUpperCase()}`))
  assert.deepEqual(
    found.map(({ acctID, role, suspended, trails }) => ({ acctID, role, suspended, trails })),
    [{ acctID: first.accountId, role: 'member', suspended: false, trails: null }],
  )
  const byId = itemsOf(await admin.call('GET', `/v2/admin/accounts?q=${second.accountId}`))
  assert.deepEqual(
    byId.map(({ acctID }) => acctID),
    [second.accountId],
    'by its whole id',
  )
  const reviewers = itemsOf(await admin.call('GET', '/v2/admin/accounts?role=reviewer&suspended=false'))
  assert.ok(reviewers.some(({ acctID }) => acctID === second.accountId))
  assert.ok(reviewers.every(({ role }) => role === 'reviewer'))
  assert.deepEqual(itemsOf(await admin.call('GET', '/v2/admin/accounts?q=%25')), [])

  const ids: unknown[] = []
  for (let at: string | null = '/v2/admin/accounts?limit=1'; at !== null;) {
    const answer = await admin.call('GET', at)
    ids.push(...itemsOf(answer).map(({ acctID }) => acctID))
    const next = json(answer)['next']
    const link = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    assert.equal(link === undefined, next === null)
    at = link ?? null
  }
  const all = itemsOf(await admin.call('GET', '/v2/admin/accounts?limit=500'))
  assert.deepEqual(
    ids,
    all.map(({ acctID }) => acctID),
  )
  for (const query of ['role=boss', 'suspended=maybe', 'limit=0', 'cursor=x', 'q=a&q=b'])
    assert.equal((await admin.call('GET', `/v2/admin/accounts?${query}`)).status, 400, query)
})

void test('only an admin who is signed in has access: no reviewer, and no token of the admin', async () => {
  const reviewer = await addSignedIn(waymark, 'reviewer')
  assert.equal((await reviewer.call('GET', '/v2/admin/accounts')).status, 403)
  const token = await waymark.tokenFor(admin.accountId, 'images:read images:review')
  assert.equal((await waymark.fetch('/v2/admin/accounts', { token })).status, 403)
  assert.equal((await waymark.fetch('/v2/admin/accounts')).status, 401)
})

void test("suspending ends sessions, tokens, keys and the account's client at once, and restoring allows access again", async () => {
  const member = await addSignedIn(waymark)
  const token = await waymark.tokenFor(member.accountId, 'images:read')
  const apiKey = await waymark.addKey(member.accountId)
  const statuses = async () => [
    (await member.call('GET', '/v2/images')).status,
    (await waymark.fetch('/v2/images', { token })).status,
    (await waymark.fetch(`/Trails/4711/Images?api_key=${apiKey}`)).status,
  ]
  assert.deepEqual(await statuses(), [200, 200, 200])
  assert.equal((await patch(member.accountId, { suspended: true })).status, 200)
  assert.deepEqual(await statuses(), [401, 401, 401])
  const { email, password } = member
  const refused = await member.post('/sign-in', { email, password })
  assert.equal(refused.status, 403)
  assert.match(refused.text, /suspended/)
  assert.equal((await patch(member.accountId, { suspended: false })).status, 200)
  assert.deepEqual(await statuses(), [401, 401, 200], 'sessions and tokens stay dead, the key is good again')
  assert.equal((await member.post('/sign-in', { email, password })).status, 303)
})

void test('a role change applies from the next request on', async () => {
  const member = await addSignedIn(waymark)
  const uploader = await waymark.addPerson()
  const imageId = await waymark.upload(uploader, 4711, await jpegPicture(), 'image/jpeg')
  const approve = () => member.call('POST', `/v2/images/${imageId}/review`, { decision: 'approve' })
  assert.equal((await approve()).status, 404) // not theirs to see
  assert.equal((await patch(member.accountId, { role: 'reviewer' })).status, 200)
  assert.equal((await approve()).status, 200)
  assert.equal((await patch(member.accountId, { role: 'member' })).status, 200)
  assert.equal((await approve()).status, 403) // listed by now
})

void test('a reviewer limited to trails sees and reviews photos of these, and sees their own', async () => {
  const reviewer = await addSignedIn(waymark, 'reviewer')
  const uploader = await waymark.addPerson()
  const on = await waymark.upload(uploader, 4711, await jpegPicture(), 'image/jpeg')
  const off = await waymark.upload(uploader, 4712, await jpegPicture(), 'image/jpeg')
  const shown = async () =>
    itemsOf(await reviewer.call('GET', '/v2/images?limit=500')).map(({ imageID }) => imageID)
  assert.ok((await shown()).includes(off))
  const limited = await patch(reviewer.accountId, { trails: [4711, 4711] })
  assert.deepEqual(json(limited)['trails'], [4711])
  assert.deepEqual([(await shown()).includes(on), (await shown()).includes(off)], [true, false])
  const review = (id: number) => reviewer.call('POST', `/v2/images/${id}/review`, { decision: 'approve' })
  assert.deepEqual([(await review(on)).status, (await review(off)).status], [200, 404])
  assert.equal((await reviewer.call('GET', `/v2/images/${off}`)).status, 404)
  assert.equal((await patch(reviewer.accountId, { trails: null })).status, 200)
  assert.equal((await review(off)).status, 200)
})

void test('impossible changes are refused with a sentence, and change nothing', async () => {
  const member = await addMember(waymark)
  for (const [change, status] of [
    [{ role: 'owner' }, 400],
    [{ trails: [4711] }, 400],
    [{ role: 'reviewer', trails: [99] }, 400],
    [{ role: 'reviewer', trails: 'all' }, 400],
    [{ suspended: 'yes' }, 400],
    [{ name: 'x' }, 400],
    [[], 400],
  ] as const)
    assert.equal((await patch(member.accountId, change)).status, status, JSON.stringify(change))
  const after = json(await admin.call('GET', `/v2/admin/accounts/${member.accountId}`))
  assert.equal(after['role'], 'member')
  assert.equal((await patch(1, { role: 'member' })).status, 404)
})

void test('the last admin remains, even if two demote each other at once', async () => {
  const alone = await startWaymark()
  try {
    const [one, two] = [await addSignedIn(alone, 'admin'), await addSignedIn(alone, 'admin')]
    const dismiss = (by: Member, whom: Member) =>
      by.call('PATCH', `/v2/admin/accounts/${whom.accountId}`, { role: 'member' })
    const answers = await Promise.all([dismiss(one, two), dismiss(two, one)])
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    assert.ok(statuses[0] === 200 && (statuses[1] === 403 || statuses[1] === 409), String(statuses))
    const left = answers[0]?.status === 200 ? one : two
    const last = await left.call('PATCH', `/v2/admin/accounts/${left.accountId}`, { suspended: true })
    assert.equal(last.status, 409)
  } finally {
    await alone.close()
  }
})

void test('an admin creates accounts, invitations and reset links that work, and withdraws invitations', async () => {
  const made = await admin.call('POST', '/v2/admin/accounts', {
    email: 'import@trails.example',
    displayName: 'Imported',
    acctID: 777,
  })
  assert.equal(made.status, 201, made.text)
  assert.equal(json(made)['acctID'], 777)
  const link = json(await admin.call('POST', '/v2/admin/accounts/777/reset-link'))['url'] as string
  const owner = await addMember(waymark)
  assert.equal((await owner.post(link, { password: 'chosen by the owner' })).status, 303)

  const invited = await admin.call('POST', '/v2/admin/invitations', { email: 'new@trails.example' })
  assert.equal(invited.status, 201)
  assert.equal(invited.headers.get('cache-control'), 'private, no-store')
  const { id } = json(invited) as { id: string }
  const listed = itemsOf(await admin.call('GET', '/v2/admin/invitations'))
  assert.ok(listed.some((row) => row['id'] === id && !('url' in row)))
  assert.equal((await admin.call('DELETE', `/v2/admin/invitations/${id}`)).status, 204)
  assert.equal((await admin.call('DELETE', `/v2/admin/invitations/${id}`)).status, 404)
})

void test('applications are registered, changed, given a new secret and removed; what was issued is revoked each time', async () => {
  const owner = await addMember(waymark)
  const body = { acctID: owner.accountId, name: 'Feed', scopes: ['images:read'] }
  const made = json(await admin.call('POST', '/v2/admin/clients', body)) as Record<string, string>
  const { clientId = '' } = made
  const tokenBy = (secret: string) =>
    waymark.fetch('/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: secret,
      }),
    })
  const token =
    ((await (await tokenBy(made['clientSecret'] ?? '')).json()) as Record<string, string>)['access_token'] ??
    ''
  const statusOf = async () => (await waymark.fetch('/v2/images', { token })).status
  assert.equal(await statusOf(), 200)
  const address = `/v2/admin/clients/${clientId}`
  assert.equal((await admin.call('PATCH', address, { scopes: ['images:write'] })).status, 204)
  assert.equal(await statusOf(), 403, 'the scope is no longer registered')
  const rotated = json(await admin.call('POST', `${address}/secret`)) as Record<string, string>
  assert.equal(await statusOf(), 401)
  assert.equal((await tokenBy(made['clientSecret'] ?? '')).status, 401)
  assert.equal((await tokenBy(rotated['clientSecret'] ?? '')).status, 200)
  const listed = itemsOf(await admin.call('GET', `/v2/admin/clients?acctID=${owner.accountId}`))
  assert.deepEqual(
    listed.map((row) => row['clientId']),
    [clientId],
  )
  assert.equal((await admin.call('DELETE', address)).status, 204)
  assert.equal((await tokenBy(rotated['clientSecret'] ?? '')).status, 401)
  assert.equal((await admin.call('DELETE', address)).status, 404)
})

void test('the audit log records who did what, newest first, without secrets', async () => {
  const member = await addMember(waymark)
  await patch(member.accountId, { role: 'reviewer', trails: [4712] })
  await patch(member.accountId, { suspended: true })
  const answer = await admin.call('GET', `/v2/admin/audit?acctID=${member.accountId}`)
  const rows = itemsOf(answer)
  assert.deepEqual(
    rows.map(({ action, actor, via }) => ({ action, actor, via })),
    [
      { action: 'account.suspended', actor: admin.accountId, via: 'session' },
      { action: 'account.role-changed', actor: admin.accountId, via: 'session' },
      { action: 'account.created', actor: null, via: 'server' },
    ],
  )
  assert.deepEqual(rows[1]?.['detail'], { from: 'member', to: 'reviewer', trails: [4712] })
  assert.doesNotMatch(
    (await admin.call('GET', '/v2/admin/audit?limit=500')).text,
    /wm_[\w-]{12}|wms_|argon2|\/join\/|\/reset\//,
  )
})

void test('the settings are shown without secrets', async () => {
  assert.equal((await admin.call('GET', '/v2/admin/settings')).status, 200)
})

void test('while the installation is read-only nothing of this changes, and people can still sign in', async () => {
  const member = await addMember(waymark)
  const { db } = waymark.installation.database
  await db.insertInto('read_only').values({ id: 1, since: 0, reason: 'moving' }).execute()
  try {
    assert.equal((await patch(member.accountId, { suspended: true })).status, 503)
    assert.equal((await admin.call('GET', '/v2/admin/accounts')).status, 200)
    assert.equal(
      (await member.post('/sign-in', { email: member.email, password: member.password })).status,
      303,
    )
  } finally {
    await db.deleteFrom('read_only').execute()
  }
})

void test('the audit log can be filtered by action and time, and refuses invalid filters', async () => {
  const member = await addMember(waymark)
  const from = new Date(waymark.system.now()).toISOString()
  await patch(member.accountId, { suspended: true })
  waymark.system.advance(60_000)
  const until = new Date(waymark.system.now()).toISOString()
  await patch(member.accountId, { suspended: false })
  const found = async (query: string) =>
    itemsOf(await admin.call('GET', `/v2/admin/audit?acctID=${member.accountId}&${query}`)).map(
      ({ action }) => action,
    )
  assert.deepEqual(await found('action=account.suspended'), ['account.suspended'])
  assert.deepEqual(await found(`since=${from}&until=${until}`), ['account.suspended', 'account.created'])
  assert.deepEqual(await found(`since=${until}`), ['account.restored'])
  for (const query of ['action=account.eaten', 'since=yesterday', 'until=2026-02-30T00:00:00Z'])
    assert.equal((await admin.call('GET', `/v2/admin/audit?${query}`)).status, 400, query)
})

void test('storage shows what is stored and how much room is left, only to admins who are signed in', async () => {
  const person = await waymark.addPerson()
  const before = json(await admin.call('GET', '/v2/admin/storage'))
  const photo = await jpegPicture()
  await waymark.upload(person, 4711, photo)
  const after = json(await admin.call('GET', '/v2/admin/storage'))
  const reported = (report: Record<string, unknown>) => ({
    originals: Number(report['originalBytes']),
    pending: (report['images'] as Record<string, number>)['pending'] ?? 0,
  })
  assert.equal(reported(after).originals - reported(before).originals, photo.byteLength)
  assert.equal(reported(after).pending - reported(before).pending, 1)
  const disks = after['disks'] as Record<string, unknown>[]
  assert.deepEqual(
    disks.map(({ name, freeBytes }) => [name, Number(freeBytes) > 0]),
    [
      ['database', true],
      ['blobs', true],
    ],
  )
  assert.ok(Number((after['database'] as Record<string, number>)['bytes']) > 0)
  assert.deepEqual([after['lastSweepAt'], after['storedTwice'], after['unreadPhotos']], [null, 0, 0])
  await waymark.app.sweep()
  const swept = json(await admin.call('GET', '/v2/admin/storage'))
  assert.equal(swept['lastSweepAt'], new Date(waymark.system.now()).toISOString())
  const reviewer = await addSignedIn(waymark, 'reviewer')
  assert.equal((await reviewer.call('GET', '/v2/admin/storage')).status, 403)
})

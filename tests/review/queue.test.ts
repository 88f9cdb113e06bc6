// GET /v2/review/queue and its summary: pending photos by reviewer, their order, and the fields of each item (contract
// Part D, C22).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { QueueSet } from '../../src/shared/v2/queue-schemas.ts'
import { assertProblem } from '../helpers/problems.ts'
import { idsOf, itemOf, readQueue, sendJson, sendPhoto } from '../helpers/review-desk.ts'
import { startOfTime, startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(1, 'Rim Trail')
await waymark.addTrail(2, 'Lake Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const ben = await waymark.addPerson({ name: 'Ben' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const lea = await waymark.addPerson({ name: 'Lea', role: 'reviewer' })
const eve = await waymark.addPerson({ name: 'Eve', role: 'admin' })
const { db } = waymark.installation.database
await db.insertInto('account_trail').values({ account_id: lea.accountId, trail_id: 2 }).execute()

const first = await sendPhoto(waymark, ana, 1)
const onLake = await sendPhoto(waymark, ben, 2)
const edited = await sendPhoto(waymark, ana, 1)
await sendJson(waymark, 'PUT', `/Trails/1/Images/${edited}`, {
  body: { title: 'Old', caption: 'Same' },
  person: ana,
})
await waymark.review(rob, edited, 'approve')
waymark.system.advance(1_000)
await sendJson(waymark, 'PUT', `/Trails/1/Images/${edited}`, { body: { title: 'New' }, person: ana })
const reported = await sendPhoto(waymark, ana, 2)
await waymark.review(rob, reported, 'approve')
waymark.system.advance(1_000)
const report = await sendJson(waymark, 'POST', `/v2/images/${reported}/reports`, {
  body: { reason: 'privacy', note: 'That is me.' },
})
assert.equal(report.status, 201)
const rejected = await sendPhoto(waymark, ana, 1)
await waymark.review(rob, rejected, 'reject')

void test('Part D: pending, edited and reported photos are in the queue, oldest first; decided ones are not', async () => {
  const queue = await readQueue(waymark, rob)
  assert.deepEqual(idsOf(queue), [first, onLake, edited, reported])
  assert.equal(queue.next, null)
  assert.deepEqual(
    queue.items.map(({ queue: { why } }) => why),
    [['pending'], ['pending'], ['edited'], ['reported']],
  )
  assert.deepEqual(idsOf(await readQueue(waymark, eve)), idsOf(queue))
})

void test('an item is the image as in v2, plus what a decision needs', async () => {
  const { queue, ...image } = await itemOf(waymark, rob, first)
  const alone: unknown = await (await waymark.fetch(`/v2/images/${first}`, { token: rob.token })).json()
  assert.deepEqual(image, alone)
  assert.deepEqual(queue, {
    waitingSince: new Date(startOfTime + 1_000).toISOString(),
    why: ['pending'],
    flags: [{ code: 'no-position' }],
    edits: null,
    reports: { open: 0, items: [] },
    claim: null,
    submitter: { acctID: ana.accountId, displayName: 'Ana', trusted: false, approved: 2, rejected: 1 },
  })
})

void test('C22, EDITED_PHOTOS=keep-listed: an edited photo shows its texts before and after, only those that differ', async () => {
  const { status, title, queue } = await itemOf(waymark, rob, edited)
  assert.deepEqual([status, title], ['approved', 'New'])
  assert.deepEqual(queue.edits, { title: { before: 'Old', after: 'New' } })
})

void test('a reported photo shows its oldest open reports', async () => {
  const { queue } = await itemOf(waymark, rob, reported)
  assert.equal(queue.reports.open, 1)
  const [{ reportID, at, ...told } = assert.fail()] = queue.reports.items
  assert.ok(Number.isSafeInteger(reportID))
  assert.equal(at, queue.waitingSince)
  assert.deepEqual(told, { reason: 'privacy', note: 'That is me.' })
})

void test('every item matches its schema', async () => {
  const validator = Compile(QueueSet)
  const page = await readQueue(waymark, rob)
  assert.ok(validator.Check(page), JSON.stringify(validator.Errors(page)))
})

void test('filters: status, trailID, submitterID', async () => {
  const found = async (query: string) => idsOf(await readQueue(waymark, rob, query))
  assert.deepEqual(await found('?status=pending'), [first, onLake])
  assert.deepEqual(await found('?status=edited'), [edited])
  assert.deepEqual(await found('?status=reported'), [reported])
  assert.deepEqual(await found('?trailID=2'), [onLake, reported])
  assert.deepEqual(await found(`?submitterID=${ben.accountId}`), [onLake])
  assert.deepEqual(await found('?trailID=1&status=reported'), [])
  assert.deepEqual(await found('?trailID=9'), [])
})

void test('claims: who holds one until when, and the filter that leaves out photos claimed by others', async () => {
  const until = waymark.system.now() + 60_000
  const claims = [
    { image_id: first, account_id: eve.accountId, expires_at: until },
    { image_id: onLake, account_id: rob.accountId, expires_at: until },
    { image_id: edited, account_id: eve.accountId, expires_at: waymark.system.now() },
  ]
  await db.insertInto('claim').values(claims).execute()
  const { queue } = await itemOf(waymark, rob, first)
  assert.deepEqual(queue.claim, {
    acctID: eve.accountId,
    displayName: 'Eve',
    until: new Date(until).toISOString(),
  })
  assert.equal((await itemOf(waymark, rob, edited)).queue.claim, null, 'a claim that has ended is none')
  const found = async (claimed: string) => idsOf(await readQueue(waymark, rob, `?claimed=${claimed}`))
  assert.deepEqual(await found('mine'), [onLake])
  assert.deepEqual(await found('others'), [first])
  assert.deepEqual(await found('none'), [edited, reported])
  await db.deleteFrom('claim').execute()
})

void test('a reviewer limited to trails sees and counts only the queue of these', async () => {
  assert.deepEqual(idsOf(await readQueue(waymark, lea)), [onLake, reported])
  assert.deepEqual(idsOf(await readQueue(waymark, lea, '?trailID=1')), [])
  const summary = async ({ token }: typeof rob): Promise<unknown> =>
    (await waymark.fetch('/v2/review/summary', { token })).json()
  const { queue: oldest } = await itemOf(waymark, rob, first)
  const { queue: oldestOnLake } = await itemOf(waymark, rob, onLake)
  assert.deepEqual(await summary(rob), { pending: 2, edited: 1, reported: 1, oldest: oldest.waitingSince })
  assert.deepEqual(await summary(lea), {
    pending: 1,
    edited: 0,
    reported: 1,
    oldest: oldestOnLake.waitingSince,
  })
})

void test('members, tokens without images:review and anonymous requests see neither queue nor summary', async () => {
  const narrow = await waymark.tokenFor(rob.accountId, 'images:read images:write')
  for (const path of ['/v2/review/queue', '/v2/review/queue?limit=0', '/v2/review/summary']) {
    await assertProblem(await waymark.fetch(path), 'credential-required')
    await assertProblem(await waymark.fetch(path, { token: ana.token }), 'forbidden')
    await assertProblem(await waymark.fetch(path, { token: narrow }), 'insufficient-scope')
  }
})

void test('invalid parameters and cursors return 400 with a sentence', async () => {
  const broken = Buffer.from('1\nx').toString('base64url')
  for (const query of [
    'status=approved',
    'claimed=me',
    'limit=0',
    'limit=501',
    'cursor=x',
    `cursor=${broken}`,
    'trailID=x',
  ])
    await assertProblem(
      await waymark.fetch(`/v2/review/queue?${query}`, { token: rob.token }),
      'invalid-query',
    )
})

void test('the queue is never cached, and If-None-Match returns 304', async () => {
  const answer = await waymark.fetch('/v2/review/queue', { token: rob.token })
  assert.equal(answer.headers.get('cache-control'), 'private, no-store')
  const again = await waymark.fetch('/v2/review/queue', {
    token: rob.token,
    headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
  })
  assert.equal(again.status, 304)
})

void test('a trusted submitter is marked as such', async () => {
  await db.updateTable('account').set({ trusted_at: 1 }).where('id', '=', ben.accountId).execute()
  assert.equal((await itemOf(waymark, rob, onLake)).queue.submitter.trusted, true)
})

void test('C22, EDITED_PHOTOS=require-review: a photo that an edit returned to pending is in the queue, with its texts before and after', async () => {
  const pending = await startWaymark({ environment: { EDITED_PHOTOS: 'require-review' } })
  try {
    await pending.addTrail(1, 'Rim Trail')
    const ina = await pending.addPerson()
    const jim = await pending.addPerson({ role: 'reviewer' })
    const imageId = await sendPhoto(pending, ina, 1)
    const address = `/Trails/1/Images/${imageId}`
    await sendJson(pending, 'PUT', address, { body: { title: 'Old', caption: 'Was' }, person: ina })
    await pending.review(jim, imageId, 'approve')
    pending.system.advance(1_000)
    const editedAt = new Date(pending.system.now()).toISOString()
    await sendJson(pending, 'PUT', address, { body: { title: 'New', caption: 'Is' }, person: ina })
    const { status, queue } = await itemOf(pending, jim, imageId)
    assert.equal(status, 'pending')
    assert.deepEqual([queue.why, queue.waitingSince], [['pending'], editedAt])
    assert.deepEqual(queue.edits, {
      title: { before: 'Old', after: 'New' },
      caption: { before: 'Was', after: 'Is' },
    })
    await pending.review(jim, imageId, 'approve')
    assert.deepEqual(idsOf(await readQueue(pending, jim)), [])
  } finally {
    await pending.close()
  }
})

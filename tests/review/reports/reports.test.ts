// Reports of listed photos: who may report which, once while open, how many, and what closes them (contract Part D).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { idsOf, itemOf, readQueue, sendJson, sendPhoto } from '../../helpers/review-desk.ts'
import { startWaymark, type Person } from '../../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
for (const id of [1, 2]) await waymark.addTrail(id, `Trail ${id}`)
const ana = await waymark.addPerson({ name: 'Ana' })
const ben = await waymark.addPerson({ name: 'Ben' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const lea = await waymark.addPerson({ name: 'Lea', role: 'reviewer' })
const { db } = waymark.installation.database
await db.insertInto('account_trail').values({ account_id: lea.accountId, trail_id: 2 }).execute()

async function listed(trailId = 1): Promise<number> {
  const imageId = await sendPhoto(waymark, ana, trailId)
  assert.equal((await waymark.review(rob, imageId, 'approve')).status, 200)
  return imageId
}

const report = (imageId: number, person?: Person, body: unknown = { reason: 'privacy' }) =>
  sendJson(waymark, 'POST', `/v2/images/${imageId}/reports`, { body, ...(person ? { person } : {}) })

const dismiss = (imageId: number, person: Person, body: unknown = {}) =>
  sendJson(waymark, 'POST', `/v2/images/${imageId}/reports/dismiss`, { body, person })

async function reportsOf(
  imageId: number,
  query = '',
): Promise<{ items: Record<string, unknown>[]; next: string | null }> {
  const answer = await waymark.fetch(`/v2/images/${imageId}/reports${query}`, { token: rob.token })
  assert.equal(answer.status, 200)
  return (await answer.json()) as { items: Record<string, unknown>[]; next: string | null }
}

const isQueued = async (imageId: number): Promise<boolean> =>
  idsOf(await readQueue(waymark, rob, '?limit=500')).includes(imageId)

async function numberIn(answer: Response): Promise<number | null> {
  return ((await answer.json()) as { reportID: number | null }).reportID
}

void test('anyone can report a listed photo, signed in or not; it stays listed and is queued for review', async () => {
  const imageId = await listed()
  const byVisitor = await report(imageId, undefined, { reason: 'offensive', note: 'Look at the sign.' })
  assert.equal(byVisitor.status, 201)
  assert.equal(byVisitor.headers.get('cache-control'), 'private, no-store')
  waymark.system.advance(1_000)
  assert.equal((await report(imageId, ben)).status, 201)
  const { status, queue } = await itemOf(waymark, rob, imageId)
  assert.deepEqual([status, queue.why, queue.reports.open], ['approved', ['reported'], 2])
  const { items } = await reportsOf(imageId)
  assert.deepEqual(
    items.map(({ reason, note, reporter, closedAt, closedBy }) => ({
      reason,
      note,
      reporter,
      closedAt,
      closedBy,
    })),
    [
      { reason: 'offensive', note: 'Look at the sign.', reporter: null, closedAt: null, closedBy: null },
      {
        reason: 'privacy',
        note: '',
        reporter: { acctID: ben.accountId, displayName: 'Ben' },
        closedAt: null,
        closedBy: null,
      },
    ],
  )
  assert.equal(items[0]?.['reportID'], await numberIn(byVisitor))
})

void test('an account can report a photo once while its report is open, and again once it is closed', async () => {
  const imageId = await listed()
  const first = await report(imageId, ben)
  const second = await report(imageId, ben, { reason: 'spam' })
  assert.deepEqual([first.status, second.status], [201, 200])
  const id = await numberIn(first)
  assert.equal(await numberIn(second), id)
  assert.equal((await dismiss(imageId, rob)).status, 200)
  const third = await report(imageId, ben)
  assert.equal(third.status, 201)
  assert.notEqual(await numberIn(third), id)
})

void test('of twenty concurrent reports from one account, one is stored', async () => {
  const imageId = await listed()
  const answers = await Promise.all(Array.from({ length: 20 }, () => report(imageId, ben)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal((await itemOf(waymark, rob, imageId)).queue.reports.open, 1)
})

void test('reporting an unlisted photo returns unknown to those who cannot see it, and 409 to others', async () => {
  const pending = await sendPhoto(waymark, ana, 1)
  await assertProblem(await report(pending), 'invalid-image-id')
  await assertProblem(await report(pending, ben), 'invalid-image-id')
  await assertProblem(await report(pending, ana), 'not-listed')
  await assertProblem(await report(pending, rob), 'not-listed')
  await assertProblem(await report(4_711), 'invalid-image-id')
  const removed = await listed()
  await waymark.review(rob, removed, 'remove')
  await assertProblem(await report(removed), 'invalid-image-id')
})

void test('an invalid report is refused, after the image is known to exist (C31)', async () => {
  const imageId = await listed()
  for (const body of [
    {},
    { reason: 'ugly' },
    { reason: 'spam', note: 'x'.repeat(2_001) },
    { reason: 'spam', more: 1 },
  ])
    await assertProblem(await report(imageId, undefined, body), 'invalid-field')
  await assertProblem(await report(4_711, undefined, {}), 'invalid-image-id')
  await assertProblem(
    await waymark.fetch(`/v2/images/${imageId}/reports`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"reason":"spam"}',
      token: 'wrong',
    }),
    'invalid-token',
  )
  assert.equal(await isQueued(imageId), false)
})

void test('a photo takes 100 open reports; further ones are acknowledged but not stored', async () => {
  const imageId = await listed()
  const rows = Array.from({ length: 99 }, (_none, index) => ({
    id: waymark.system.newId(),
    image_id: imageId,
    at: index,
    reporter_id: null,
    reason: 'spam',
    note: '',
    closed_at: null,
    closed_by: null,
  }))
  await db.insertInto('report').values(rows).execute()
  await db.updateTable('image').set({ open_reports: 99 }).where('id', '=', imageId).execute()
  assert.equal((await report(imageId)).status, 201)
  const full = await report(imageId)
  assert.deepEqual([full.status, await numberIn(full)], [200, null])
  const { queue } = await itemOf(waymark, rob, imageId)
  assert.deepEqual([queue.reports.open, queue.reports.items.length], [100, 3])
  // The list of all, in pages.
  const seen: unknown[] = []
  let cursor = ''
  for (let page = 0; page < 10; page += 1) {
    const { items, next } = await reportsOf(imageId, `?limit=30${cursor}`)
    seen.push(...items.map(({ reportID }) => reportID))
    if (next === null) break
    cursor = `&cursor=${next}`
  }
  assert.equal(new Set(seen).size, 100)
  assert.deepEqual(
    seen.slice(0, 99),
    rows.map(({ id }) => id),
  )
})

void test('dismissing closes the reports, keeps the photo listed, and the history shows who did it', async () => {
  const imageId = await listed()
  await report(imageId)
  await report(imageId, ben)
  waymark.system.advance(1_000)
  const answer = await dismiss(imageId, rob, { note: 'Nothing to see.' })
  assert.deepEqual(await answer.json(), { closed: 2 })
  assert.equal(await isQueued(imageId), false)
  const by = { acctID: rob.accountId, displayName: 'Rob' }
  for (const { closedAt, closedBy } of (await reportsOf(imageId)).items)
    assert.deepEqual([closedAt, closedBy], [new Date(waymark.system.now()).toISOString(), by])
  const rows = await db
    .selectFrom('image_history')
    .select(['actor_id', 'from_state', 'to_state', 'reason', 'note'])
    .where('image_id', '=', imageId)
    .orderBy('position', 'desc')
    .execute()
  assert.deepEqual(
    { ...rows[0] },
    {
      actor_id: rob.accountId,
      from_state: 'approved',
      to_state: 'approved',
      reason: 'reports-dismissed',
      note: 'Nothing to see.',
    },
  )
  assert.deepEqual(await (await dismiss(imageId, rob)).json(), { closed: 0 }, 'nothing is left to close')
  const after = await db
    .selectFrom('image_history')
    .select('position')
    .where('image_id', '=', imageId)
    .execute()
  assert.equal(after.length, rows.length)
})

void test('while another reviewer has claimed the photo, only they can dismiss its reports', async () => {
  const imageId = await listed()
  await report(imageId)
  const expires_at = waymark.system.now() + 60_000
  await db.insertInto('claim').values({ image_id: imageId, account_id: lea.accountId, expires_at }).execute()
  await assertProblem(await dismiss(imageId, rob), 'claimed')
  assert.equal((await itemOf(waymark, rob, imageId)).queue.reports.open, 1)
  waymark.system.advance(60_000)
  assert.deepEqual(await (await dismiss(imageId, rob)).json(), { closed: 1 })
  assert.equal((await db.selectFrom('claim').selectAll().execute()).length, 0)
})

void test('C23: a dismissal cannot be undone as a decision, and a pending edit stays pending', async () => {
  const imageId = await listed()
  await sendJson(waymark, 'PUT', `/Trails/1/Images/${imageId}`, { body: { title: 'Unseen' }, person: ana })
  await report(imageId)
  assert.equal((await dismiss(imageId, rob)).status, 200)
  await assertProblem(
    await waymark.fetch(`/v2/images/${imageId}/undo`, { method: 'POST', token: rob.token }),
    'not-undoable',
  )
  assert.deepEqual((await itemOf(waymark, rob, imageId)).queue.why, ['edited'])
})

void test('only the server sets the reason of a dismissal', async () => {
  const imageId = await listed()
  const decision = { decision: 'remove', reason: 'reports-dismissed' }
  const answer = await sendJson(waymark, 'POST', `/v2/images/${imageId}/review`, {
    body: decision,
    person: rob,
  })
  await assertProblem(answer, 'invalid-field')
})

void test('rejecting and removing a reported photo closes its reports', async () => {
  const imageId = await listed()
  await report(imageId)
  await waymark.review(rob, imageId, 'remove')
  assert.equal((await reportsOf(imageId)).items[0]?.['closedAt'] !== null, true)
  assert.equal(await isQueued(imageId), false)
  await waymark.review(rob, imageId, 'restore')
  assert.equal(await isQueued(imageId), false)
})

void test('a photo both edited and reported stays in the queue until both are decided', async () => {
  const imageId = await listed()
  await report(imageId)
  const since = (await itemOf(waymark, rob, imageId)).queue.waitingSince
  waymark.system.advance(1_000)
  await sendJson(waymark, 'PUT', `/Trails/1/Images/${imageId}`, { body: { title: 'Other' }, person: ana })
  const { queue } = await itemOf(waymark, rob, imageId)
  assert.deepEqual([queue.why, queue.waitingSince], [['edited', 'reported'], since])
  await dismiss(imageId, rob)
  assert.deepEqual((await itemOf(waymark, rob, imageId)).queue.why, ['edited'])
  await waymark.review(rob, imageId, 'approve')
  assert.equal(await isQueued(imageId), false)
})

void test('only those who may review the photo can list and dismiss its reports', async () => {
  const imageId = await listed(1)
  await report(imageId)
  const address = `/v2/images/${imageId}/reports`
  for (const { token } of [ana, ben, lea]) {
    await assertProblem(await waymark.fetch(address, { token }), 'forbidden')
    await assertProblem(await dismiss(imageId, { accountId: 0, token }), 'forbidden')
  }
  await assertProblem(await waymark.fetch(address), 'credential-required')
  await assertProblem(
    await waymark.fetch('/v2/images/4711/reports', { token: rob.token }),
    'invalid-image-id',
  )
  await assertProblem(await waymark.fetch(`${address}?cursor=x`, { token: rob.token }), 'invalid-query')
  await assertProblem(await dismiss(imageId, rob, { notes: '' }), 'invalid-field')
  const onTwo = await listed(2)
  await report(onTwo)
  assert.deepEqual(await (await dismiss(onTwo, lea)).json(), { closed: 1 })
})

void test('a read-only installation accepts no reports and dismisses none', async () => {
  const imageId = await listed()
  await report(imageId)
  await switchReadOnlyOn(db, waymark.system.now(), 'moving')
  try {
    await assertProblem(await report(imageId, ben), 'read-only')
    await assertProblem(await dismiss(imageId, rob), 'read-only')
    assert.equal((await itemOf(waymark, rob, imageId)).queue.reports.open, 1)
  } finally {
    await switchReadOnlyOff(db)
  }
})

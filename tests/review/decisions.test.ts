// Side effects of a decision, and what it is based on: closed reports, and the texts that were seen (contract, Part D;
// C23).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { insertReport } from '../../src/review/reports/report-table.ts'
import { assertProblem } from '../helpers/problems.ts'
import { assertAgreement } from './agreement.ts'
import { decide, edit, get, imageAfter, post, startReview, trailId, undo } from './review-client.ts'

const place = await startReview()
after(() => place.waymark.close())
const { waymark, rob, db } = place

async function reportsOf(imageId: number) {
  const reports = await db
    .selectFrom('report')
    .select(['closed_at as at', 'closed_by as by'])
    .where('image_id', '=', imageId)
    .execute()
  const image = await db
    .selectFrom('image')
    .select(['open_reports', 'queued_at'])
    .where('id', '=', imageId)
    .executeTakeFirstOrThrow()
  return {
    reports: reports.map(({ at, by }) => ({ at, by })),
    open: image.open_reports,
    waits: image.queued_at !== null,
  }
}

async function reported(): Promise<number> {
  const imageId = await imageAfter(place, 'approve')
  for (const note of ['One.', 'Two.']) {
    const id = waymark.system.newId()
    const report = { id, imageId, at: 1, reporterId: null, reason: 'offensive', note }
    await db.transaction().execute((tx) => insertReport(tx, report))
  }
  return imageId
}

const open = { at: null, by: null }

void test('D: removing an image closes its reports, and undoing the removal does not reopen them', async () => {
  const imageId = await reported()
  assert.deepEqual(await reportsOf(imageId), { reports: [open, open], open: 2, waits: true })
  await decide(place, imageId, 'remove')
  const closed = { at: waymark.system.now(), by: rob.accountId }
  assert.deepEqual(await reportsOf(imageId), { reports: [closed, closed], open: 0, waits: false })
  assert.equal((await undo(place, imageId)).body.status, 'approved')
  assert.deepEqual(await reportsOf(imageId), { reports: [closed, closed], open: 0, waits: false })
})

void test('D: a reported image that is reopened keeps its reports until it is rejected', async () => {
  const imageId = await reported()
  await decide(place, imageId, 'reopen')
  assert.equal((await reportsOf(imageId)).open, 2)
  const bulk = { ids: [imageId], decision: 'reject' }
  assert.equal((await post(place, '/v2/review/bulk', bulk)).status, 200)
  assert.deepEqual(
    (await reportsOf(imageId)).reports.map(({ by }) => by),
    [rob.accountId, rob.accountId],
  )
  await assertAgreement(db, trailId)
})

void test('C39: with If-Match a decision applies only to the version that was seen, not to a newer text', async () => {
  const imageId = await imageAfter(place, 'approve')
  await edit(place, imageId, { title: 'Seen' })
  const { answer: seen } = await get(place, `/v2/images/${imageId}`)
  const review = (ifMatch: string | null, decision = 'approve') =>
    waymark.fetch(`/v2/images/${imageId}/review`, {
      method: 'POST',
      token: rob.token,
      headers: { 'content-type': 'application/json', 'if-match': ifMatch ?? '' },
      body: JSON.stringify({ decision }),
    })
  await edit(place, imageId, { title: 'Not seen' })
  await assertProblem(await review(seen.headers.get('etag')), 'precondition-failed')
  const { body, answer: now } = await get(place, `/v2/images/${imageId}`)
  assert.deepEqual([body['edited'], body['title']], [true, 'Not seen'])
  assert.equal((await review(now.headers.get('etag'))).status, 200)
  // Who comes second hears what the first one did, whatever they had seen.
  await assertProblem(await review(now.headers.get('etag')), 'already-decided')
})

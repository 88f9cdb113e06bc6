// Claims: the holder has the image exclusively for some minutes (contract, Part D; C23).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refusals } from '../../../src/errors.ts'
import { answersLate } from '../../auth/redemption-races.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { call, imageAfter, otherTrailId, post, startReview, trailId, undo, upload } from '../review-client.ts'

const place = await startReview({}, { wrapDb: answersLate })
after(() => place.waymark.close())
const { waymark, ana, rob, ria, eve, db } = place

interface Result {
  readonly imageID: number
  readonly claimedUntil?: string
  readonly problem?: { readonly title: string; readonly status: number; readonly detail: string }
}

const claim = (body: unknown, person = rob) =>
  post<{ results: Result[] }>(place, '/v2/review/claims', body, person)
const release = (imageId: number, person = rob) =>
  call(waymark, person, 'DELETE', `/v2/review/claims/${imageId}`)
const review = (imageId: number, decision: string, person = rob) =>
  post(place, `/v2/images/${imageId}/review`, { decision }, person)

const minute = 60_000
const momentIn = (minutes: number): string => new Date(waymark.system.now() + minutes * minute).toISOString()

void test('D: a claim blocks every decision by others until it ends, and its holder can decide', async () => {
  const imageId = await imageAfter(place, 'approve')
  const { status, body } = await claim({ ids: [imageId, 42, imageId] })
  assert.equal(status, 200)
  assert.deepEqual(body.results[0], { imageID: imageId, claimedUntil: momentIn(10) })
  assert.deepEqual(
    body.results.slice(1).map(({ problem }) => problem?.title),
    [refusals['invalid-image-id'].title, refusals['invalid-field'].title],
  )
  const { detail } = await assertProblem((await review(imageId, 'remove', ria)).answer, 'claimed')
  assert.equal(detail, `Rob has claimed it until ${momentIn(10)}.`)
  await assertProblem((await undo(place, imageId, undefined, ria)).answer, 'claimed')
  const bulk = await post<{ results: Result[] }>(
    place,
    '/v2/review/bulk',
    { ids: [imageId], decision: 'remove' },
    eve,
  )
  assert.equal(bulk.body.results[0]?.problem?.title, refusals.claimed.title)
  // Who decides what is not possible hears that, whoever has it.
  await assertProblem((await review(imageId, 'approve', ria)).answer, 'already-decided')

  assert.equal((await review(imageId, 'remove')).status, 200)
  assert.equal((await review(imageId, 'restore', ria)).status, 200, 'the decision ended the claim')
})

void test('D: a claim expires, is extended by its holder, and is taken over if requested', async () => {
  const imageId = await upload(place)
  await claim({ ids: [imageId], minutes: 5 })
  waymark.system.advance(4 * minute)
  assert.equal((await claim({ ids: [imageId], minutes: 2 })).body.results[0]?.claimedUntil, momentIn(2))
  const refused = (await claim({ ids: [imageId] }, ria)).body.results[0]?.problem
  assert.deepEqual([refused?.status, refused?.detail], [409, `Rob has claimed it until ${momentIn(2)}.`])
  waymark.system.advance(2 * minute - 1)
  await assertProblem((await review(imageId, 'approve', ria)).answer, 'claimed')
  waymark.system.advance(1)
  assert.equal((await claim({ ids: [imageId] }, ria)).body.results[0]?.claimedUntil, momentIn(10))
  const taken = await claim({ ids: [imageId], takeOver: true, minutes: 1 })
  assert.equal(taken.body.results[0]?.claimedUntil, momentIn(1))
  await assertProblem((await review(imageId, 'approve', ria)).answer, 'claimed')
  waymark.system.advance(minute)
  assert.equal((await review(imageId, 'approve', ria)).status, 200, 'what has ended keeps nobody away')
})

void test('D: of two reviewers who claim an image at once, one gets it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const imageId = await upload(place)
    const both = await Promise.all([claim({ ids: [imageId] }, rob), claim({ ids: [imageId] }, ria)])
    const results = both.map(({ body }) => body.results[0])
    assert.equal(results.filter((result) => result?.claimedUntil !== undefined).length, 1)
    const [winner, loser] = results[0]?.claimedUntil === undefined ? [ria, rob] : [rob, ria]
    await assertProblem((await review(imageId, 'reject', loser)).answer, 'claimed')
    assert.equal((await review(imageId, 'reject', winner)).status, 200)
  }
})

void test('D: a claim can be released only by its holder or another reviewer of the trail', async () => {
  const lea = await waymark.addPerson({ name: 'Lea', role: 'reviewer' })
  await db.insertInto('account_trail').values({ account_id: lea.accountId, trail_id: otherTrailId }).execute()
  const imageId = await upload(place)
  await claim({ ids: [imageId] })
  await assertProblem((await release(imageId, lea)).answer, 'invalid-image-id')
  await assertProblem((await release(imageId, ana)).answer, 'forbidden')
  await assertProblem((await release(42)).answer, 'invalid-image-id')
  await assertProblem((await review(imageId, 'approve', ria)).answer, 'claimed')
  assert.equal((await release(imageId, ria)).status, 204)
  assert.equal((await release(imageId)).status, 204, 'there is none any more, and nothing happens')
  assert.equal((await review(imageId, 'approve', ria)).status, 200)
  const off = (await claim({ ids: [imageId] }, lea)).body.results[0]
  assert.equal(off?.problem?.title, 'Forbidden')
})

void test('D: releasing one’s own claim does not affect the claim of another reviewer', async () => {
  const imageId = await upload(place)
  const releaseOwn = (person = rob) =>
    call(waymark, person, 'DELETE', `/v2/review/claims/${imageId}?own=true`)
  await claim({ ids: [imageId] })
  await claim({ ids: [imageId], takeOver: true }, ria)
  assert.equal((await releaseOwn()).status, 204)
  await assertProblem((await review(imageId, 'approve')).answer, 'claimed')
  assert.equal((await releaseOwn(ria)).status, 204)
  assert.equal((await review(imageId, 'approve')).status, 200)
  const wrong = await call(waymark, rob, 'DELETE', `/v2/review/claims/${imageId}?own=yes`)
  await assertProblem(wrong.answer, 'invalid-query')
})

void test('D: the body of a claim is strict', async () => {
  const imageId = await upload(place, ana, trailId)
  for (const body of [
    {},
    { ids: [] },
    { ids: [imageId], minutes: 0 },
    { ids: [imageId], minutes: 61 },
    { ids: [imageId], minutes: 1.5 },
    { ids: [imageId], takeOver: 'yes' },
    { ids: [imageId], until: 1 },
  ])
    await assertProblem((await claim(body)).answer, 'invalid-field', JSON.stringify(body))
  await assertProblem((await claim({ ids: [imageId] }, ana)).answer, 'forbidden')
  assert.equal((await review(imageId, 'approve', ria)).status, 200)
})

void test('D: expired claims are deleted with the next one', async () => {
  const [first, second] = [await upload(place), await upload(place)]
  await claim({ ids: [first], minutes: 1 })
  waymark.system.advance(minute)
  await claim({ ids: [second] })
  const left = await db.selectFrom('claim').select('image_id').execute()
  assert.deepEqual(
    left.map(({ image_id: id }) => id),
    [second],
  )
})

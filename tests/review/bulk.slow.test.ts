// POST /v2/review/bulk: a result for each id, and none of them stops another (contract, Part D; C23).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refusals } from '../../src/errors.ts'
import { assertProblem } from '../helpers/problems.ts'
import { assertAgreement } from './agreement.ts'
import {
  decide,
  get,
  imageAfter,
  movesOf,
  otherTrailId,
  post,
  startReview,
  trailId,
  upload,
} from './review-client.ts'

const place = await startReview()
after(() => place.waymark.close())
const { waymark, ana, rob, ria, eve, db } = place

interface Result {
  readonly imageID: number
  readonly status?: string
  readonly problem?: {
    readonly type: string
    readonly title: string
    readonly status: number
    readonly detail: string
  }
}

const bulk = (body: unknown, person = rob) =>
  post<{ results: Result[] }>(place, '/v2/review/bulk', body, person)

const reported = ({ imageID, status, problem }: Result) => [imageID, status ?? problem?.title]

void test('D C23: bulk returns a result for each id, in order, and a refused one does not stop the others', async () => {
  const [first, second, third] = [await upload(place), await imageAfter(place, 'reject'), await upload(place)]
  const ids = [first, second, 42, third, first, -1, 2 ** 60]
  const { status, body, answer } = await bulk({
    ids,
    decision: 'approve',
    reason: 'fine',
    note: 'All of them.',
  })
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(answer.headers.get('cache-control'), 'private, no-store')
  const unknown = refusals['invalid-image-id'].title
  assert.deepEqual(body.results.map(reported), [
    [first, 'approved'],
    [second, refusals['already-decided'].title],
    [42, unknown],
    [third, 'approved'],
    [first, refusals['invalid-field'].title],
    [-1, unknown],
    [2 ** 60, unknown],
  ])
  const late = body.results[1]?.problem
  assert.equal(late?.status, 409)
  assert.equal(late?.type, 'https://trails.example/problems/already-decided')
  assert.match(late?.detail ?? '', /^It has been rejected since .+, by Rob; .+\.$/)
  assert.match(body.results[4]?.problem?.detail ?? '', /already processed earlier in the list/)
  assert.deepEqual(Object.keys(body.results[2]?.problem ?? {}), ['type', 'title', 'status', 'detail'])
  assert.deepEqual(await movesOf(place, first), [
    'null>pending image.uploaded',
    'pending>approved image.approved fine',
  ])
  await assertAgreement(db, trailId)
})

void test('D: bulk by a reviewer limited to trails decides only on these; other images do not exist for them', async () => {
  const [on, off] = [await upload(place), await upload(place, ana, otherTrailId)]
  const lea = await waymark.addPerson({ name: 'Lea', role: 'reviewer' })
  await db.insertInto('account_trail').values({ account_id: lea.accountId, trail_id: trailId }).execute()
  const { body } = await bulk({ ids: [off, on], decision: 'reject' }, lea)
  assert.deepEqual(body.results.map(reported), [
    [off, 'Invalid Image ID'],
    [on, 'rejected'],
  ])
})

void test('D: the body of bulk is strict, and an invalid one decides nothing', async () => {
  const imageId = await upload(place)
  const many = Array.from({ length: 501 }, (_, index) => index + 1)
  for (const body of [
    {},
    { ids: [imageId] },
    { ids: [], decision: 'approve' },
    { ids: imageId, decision: 'approve' },
    { ids: [String(imageId)], decision: 'approve' },
    { ids: [imageId, null], decision: 'approve' },
    { ids: many, decision: 'approve' },
    { ids: [imageId], decision: 'delete' },
    { ids: [imageId], decision: 'approve', reason: 'trusted' },
    { ids: [imageId], decision: 'approve', reason: 'No code' },
    { ids: [imageId], decision: 'approve', takeOver: true },
  ])
    await assertProblem((await bulk(body)).answer, 'invalid-field', JSON.stringify(body).slice(0, 60))
  await assertProblem((await bulk({ ids: [imageId], decision: 'approve' }, ana)).answer, 'forbidden')
  assert.deepEqual(await movesOf(place, imageId), ['null>pending image.uploaded'])
})

void test('D: bulk on 500 ids does not block other requests, and each decision is counted', async () => {
  const counted = async (): Promise<number> => {
    const text = await (await waymark.fetch('/metrics')).text()
    return Number(/^waymark_review_decisions_total\{decision="restore"\} (\d+)$/m.exec(text)?.[1])
  }
  const before = await counted()
  const done = await imageAfter(place, 'reject')
  const ids = [done, ...Array.from({ length: 499 }, (_, index) => index + 1)]
  const deciding = bulk({ ids, decision: 'restore' })
  const ended = deciding.then(() => 'ended' as const)
  let others = 0
  while ((await Promise.race([ended, get(place, '/health/live')])) !== 'ended') others += 1
  const { body } = await deciding
  assert.equal(body.results.filter(({ status }) => status === 'approved').length, 1)
  assert.equal(body.results.length, 500)
  assert.ok(others >= 5, `${others} others were answered meanwhile`)
  assert.equal((await counted()) - before, 1)
})

void test('C23: bulk against bulk: exactly one wins each image', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => upload(place)))
  const [one, two] = await Promise.all([
    bulk({ ids, decision: 'approve' }, ria),
    bulk({ ids: ids.toReversed(), decision: 'reject' }, eve),
  ])
  for (const id of ids) {
    const results = [...one.body.results, ...two.body.results].filter(({ imageID }) => imageID === id)
    assert.equal(results.filter(({ status }) => status !== undefined).length, 1)
    assert.equal(results.filter(({ problem }) => problem?.status === 409).length, 1)
  }
  await assertAgreement(db, trailId)
})

void test('C23: a decision that changes no list leaves the version of the trail unchanged', async () => {
  const imageId = await upload(place)
  const version = async () =>
    (await db.selectFrom('trail').select('version').where('id', '=', trailId).executeTakeFirstOrThrow())
      .version
  const before = await version()
  await decide(place, imageId, 'reject')
  assert.equal(await version(), before)
  await decide(place, imageId, 'restore')
  assert.equal(await version(), before + 1)
})

// GET /v2/images/{imageID}/history: whole for staff, without the people and notes of staff for the submitter (Part D, C23).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertProblem } from '../helpers/problems.ts'
import {
  call,
  decide,
  get,
  imageAfter,
  otherTrailId,
  post,
  startReview,
  undo,
  upload,
} from './review-client.ts'

const place = await startReview()
after(() => place.waymark.close())
const { waymark, ana, rob, db } = place

interface Entry {
  readonly position: number
  readonly at: string
  readonly actor: { readonly acctID: number; readonly displayName: string } | null
  readonly from: string | null
  readonly to: string
  readonly reason: string | null
  readonly reasonLabel: string | null
  readonly note: string | null
}

const history = (imageId: number | string, person = rob, query = '') =>
  get<{ items: Entry[]; next: string | null }>(place, `/v2/images/${imageId}/history${query}`, person)

void test('D: the history is returned oldest first, with actor, reason and note', async () => {
  const imageId = await upload(place)
  waymark.system.advance(1_000)
  const rejection = { decision: 'reject', reason: 'blurred', note: 'See the sky.' }
  await post(place, `/v2/images/${imageId}/review`, rejection)
  await undo(place, imageId)
  const { status, body, answer } = await history(imageId)
  assert.equal(status, 200)
  assert.match(answer.headers.get('cache-control') ?? '', /private, no-store/)
  const at = new Date(waymark.system.now()).toISOString()
  const [uploaded, rejected, undone] = body.items
  assert.deepEqual(
    { ...uploaded, position: 0, at: '' },
    {
      position: 0,
      at: '',
      actor: { acctID: ana.accountId, displayName: 'Ana' },
      from: null,
      to: 'pending',
      reason: null,
      reasonLabel: null,
      note: null,
    },
  )
  assert.deepEqual(
    { ...rejected, position: 0 },
    {
      position: 0,
      at,
      actor: { acctID: rob.accountId, displayName: 'Rob' },
      from: 'pending',
      to: 'rejected',
      reason: 'blurred',
      reasonLabel: 'Blurred, too dark or too small',
      note: 'See the sky.',
    },
  )
  assert.deepEqual([undone?.reason, undone?.reasonLabel], ['undo', 'The previous decision was undone'])
  const positions = body.items.map(({ position }) => position)
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  )

  const { body: own } = await history(imageId, ana)
  assert.deepEqual(
    own.items.map(({ actor, reason, note }) => [actor?.displayName ?? null, reason, note]),
    [
      ['Ana', null, null],
      [null, 'blurred', null],
      [null, 'undo', null],
    ],
    'the submitter learns when and why, and not by whom of the staff',
  )
})

void test('D: the history of an image that the viewer cannot see is unknown; of one they can see but not manage, it is forbidden', async () => {
  const bob = await waymark.addPerson({ name: 'Bob' })
  const lea = await waymark.addPerson({ name: 'Lea', role: 'reviewer' })
  await db.insertInto('account_trail').values({ account_id: lea.accountId, trail_id: otherTrailId }).execute()
  const imageId = await upload(place)
  for (const person of [bob, lea])
    await assertProblem((await history(imageId, person)).answer, 'invalid-image-id')
  await decide(place, imageId, 'approve')
  for (const person of [bob, lea]) await assertProblem((await history(imageId, person)).answer, 'forbidden')
  const nobody = await call(waymark, undefined, 'GET', `/v2/images/${imageId}/history`)
  await assertProblem(nobody.answer, 'credential-required')
  const narrow = { ...ana, token: await waymark.tokenFor(ana.accountId, 'images:write') }
  await assertProblem((await history(imageId, narrow)).answer, 'insufficient-scope')
  for (const id of [42, 'x', '-1']) await assertProblem((await history(id)).answer, 'invalid-image-id')
  assert.equal((await call(waymark, ana, 'DELETE', `/v2/images/${imageId}`)).status, 204)
  await assertProblem((await history(imageId, ana)).answer, 'invalid-image-id')
  await assertProblem((await history(imageId)).answer, 'invalid-image-id')
})

void test('D: a reviewer limited to other trails sees of their own photo’s history only what any submitter sees', async () => {
  const lea = await waymark.addPerson({ name: 'Lea', role: 'reviewer' })
  await db.insertInto('account_trail').values({ account_id: lea.accountId, trail_id: otherTrailId }).execute()
  const imageId = await upload(place, lea)
  await post(place, `/v2/images/${imageId}/review`, { decision: 'approve', note: 'Only for us.' })
  const { body } = await history(imageId, lea)
  assert.deepEqual(
    body.items.map(({ actor, note }) => [actor?.displayName ?? null, note]),
    [
      ['Lea', null],
      [null, null],
    ],
  )
})

void test('D: the pages of a history contain every decision once, and an invalid cursor is refused', async () => {
  const imageId = await imageAfter(place, 'approve', 'remove', 'restore', 'reopen')
  const { body: whole } = await history(imageId)
  const paged: Entry[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body }: { body: { items: Entry[]; next: string | null } } = await history(
      imageId,
      rob,
      `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    paged.push(...body.items)
    cursor = body.next
  }
  assert.deepEqual(paged, whole.items)
  assert.equal(paged.length, 5)
  for (const query of ['?cursor=x', `?cursor=${btoa('12\n13')}`, `?cursor=${btoa('a-b')}`, '?limit=0'])
    await assertProblem((await history(imageId, rob, query)).answer, 'invalid-query', query)
})

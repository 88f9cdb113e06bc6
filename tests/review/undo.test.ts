// POST /v2/images/{imageID}/undo: reverts to the previous state once, and never another person's decision (C23).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createUndo } from '../../src/review/undo.ts'
import { Refusal } from '../../src/errors.ts'
import type { AccountActor } from '../../src/auth/guard.ts'
import { scopes } from '../../src/auth/scopes.ts'
import { answersLate } from '../auth/redemption-races.ts'
import { assertProblem } from '../helpers/problems.ts'
import { assertAgreement } from './agreement.ts'
import {
  call,
  decide,
  edit,
  get,
  imageAfter,
  movesOf,
  post,
  startReview,
  trailId,
  undo,
  upload,
  type Place,
} from './review-client.ts'

const place = await startReview({}, { wrapDb: answersLate })
const pending = await startReview({ EDITED_PHOTOS: 'require-review' })
after(async () => {
  await place.waymark.close()
  await pending.waymark.close()
})
const { waymark, ana, rob, ria, db } = place

const shown = async (where: Place, imageId: number) => {
  const { body } = await get(where, `/v2/images/${imageId}`)
  return [body['status'], body['edited'], body['title']]
}

async function acceptedOf(imageId: number): Promise<readonly (string | null)[]> {
  const row = await db
    .selectFrom('image')
    .select(['accepted_title as title', 'accepted_caption as caption'])
    .where('id', '=', imageId)
    .executeTakeFirstOrThrow()
  return [row.title, row.caption]
}

for (const [decisions, back, event] of [
  [['approve'], 'pending', 'image.reopened'],
  [['reject'], 'pending', 'image.reopened'],
  [['approve', 'remove'], 'approved', 'image.restored'],
  [['reject', 'restore'], 'rejected', 'image.rejected'],
  [['approve', 'remove', 'restore'], 'removed', 'image.removed'],
  [['approve', 'reopen'], 'approved', 'image.restored'],
  [['reject', 'reopen'], 'rejected', 'image.rejected'],
  [['approve', 'remove', 'reopen'], 'removed', 'image.removed'],
] as const) {
  void test(`C23: undo after ${decisions.join(', ')} leads to ${back}, and the undo of it back again`, async () => {
    const imageId = await imageAfter(place, ...decisions)
    const before = await movesOf(place, imageId)
    const made = before.at(-1)?.split(' ')[0]?.split('>') ?? []
    const first = await undo(place, imageId, { note: 'Too fast.' })
    assert.deepEqual([first.status, first.body.status], [200, back])
    assert.equal(first.answer.headers.get('cache-control'), 'private, no-store')
    assert.equal((await undo(place, imageId, undefined, ria)).body.status, made[1])
    assert.equal((await undo(place, imageId)).body.status, back)
    const moves = (await movesOf(place, imageId)).slice(before.length)
    assert.equal(moves[0], `${made[1]}>${back} ${event} undo`)
    assert.deepEqual(
      moves.map((move) => move.split(' ')[0]),
      [`${made[1]}>${back}`, `${back}>${made[1]}`, `${made[1]}>${back}`],
    )
    const rows = await db
      .selectFrom('image_history')
      .select(['note', 'actor_id'])
      .where('image_id', '=', imageId)
      .orderBy('position', 'desc')
      .limit(3)
      .execute()
    assert.deepEqual(
      rows.map(({ note, actor_id: actor }) => [note, actor]),
      [
        [null, rob.accountId],
        [null, ria.accountId],
        ['Too fast.', rob.accountId],
      ],
    )
  })
}

void test('C22 C23: undoing the approval of an edit marks it as edited again, and undoing that accepts it again', async () => {
  const imageId = await upload(place)
  await edit(place, imageId, { title: 'Old', caption: 'Old words' })
  await decide(place, imageId, 'approve')
  await edit(place, imageId, { title: 'New', caption: 'New words' })
  await decide(place, imageId, 'approve')
  assert.deepEqual(await shown(place, imageId), ['approved', false, 'New'])
  const undone = await undo(place, imageId)
  assert.deepEqual([undone.body.status, undone.body.edited, undone.body.title], ['approved', true, 'New'])
  assert.deepEqual(await acceptedOf(imageId), ['Old', 'Old words'])
  const { queued_at: queuedAt } = await db
    .selectFrom('image')
    .select('queued_at')
    .where('id', '=', imageId)
    .executeTakeFirstOrThrow()
  assert.notEqual(queuedAt, null, 'it waits again')
  assert.equal((await undo(place, imageId)).body.edited, false)
  assert.equal((await undo(place, imageId)).body.edited, true)
  assert.deepEqual(await acceptedOf(imageId), ['Old', 'Old words'])
  // From here a decision goes on as from any edit.
  await decide(place, imageId, 'remove')
  assert.equal((await undo(place, imageId)).body.edited, true)
  await decide(place, imageId, 'approve')
  assert.deepEqual(await acceptedOf(imageId), [null, null])
  await assertAgreement(db, trailId)
})

void test('C22 C23: undoing the reopening of an edited image marks it as edited again; only an approval accepts the edit', async () => {
  const imageId = await imageAfter(place, 'approve')
  await edit(place, imageId, { title: 'New' })
  await decide(place, imageId, 'reopen')
  assert.equal((await undo(place, imageId)).body.edited, true)
  assert.equal((await undo(place, imageId)).body.status, 'pending')
  assert.equal((await undo(place, imageId)).body.edited, true, 'the undo of an undo accepts nothing either')
  await decide(place, imageId, 'reopen')
  await decide(place, imageId, 'approve')
  assert.deepEqual(await shown(place, imageId), ['approved', false, 'New'])
  assert.equal((await undo(place, imageId)).body.status, 'pending')
  assert.deepEqual(await acceptedOf(imageId), ['', ''])
  assert.equal((await undo(place, imageId)).body.edited, false)
})

void test('C23: only the last decision can be undone, and the refusal says why', async () => {
  const fresh = await upload(place)
  const { detail: uploaded } = await assertProblem((await undo(place, fresh)).answer, 'not-undoable')
  assert.match(uploaded ?? '', /No decision has been made/)

  const edited = await imageAfter(place, 'approve', 'reopen')
  await edit(place, edited, { title: 'Nobody has seen this' })
  const { detail: changed } = await assertProblem((await undo(place, edited)).answer, 'not-undoable')
  assert.match(changed ?? '', /changed since the last decision/)
  assert.deepEqual(await shown(place, edited), ['pending', false, 'Nobody has seen this'])

  const trashed = await imageAfter(place, 'approve')
  assert.equal((await call(waymark, ana, 'DELETE', `/v2/images/${trashed}`)).status, 204)
  await assertProblem((await undo(place, trashed)).answer, 'invalid-image-id')
  assert.equal((await post(place, `/v2/images/${trashed}/restore`, undefined, ana)).status, 200)
  const { detail: restored } = await assertProblem((await undo(place, trashed)).answer, 'not-undoable')
  assert.match(restored ?? '', /trash/)

  await assertProblem((await undo(place, 42)).answer, 'invalid-image-id')
  await assertProblem((await undo(place, edited, undefined, ana)).answer, 'forbidden')
  const wrong: readonly unknown[] = [{ note: 7 }, { position: 0 }, { decision: 'approve' }, []]
  for (const body of wrong) await assertProblem((await undo(place, edited, body)).answer, 'invalid-field')
})

void test('C22: EDITED_PHOTOS=require-review: an undo never lists a photo that an edit returned to pending', async () => {
  const imageId = await imageAfter(pending, 'approve')
  await edit(pending, imageId, { title: 'Nobody has seen this' })
  assert.deepEqual(await shown(pending, imageId), ['pending', true, 'Nobody has seen this'])
  await assertProblem((await undo(pending, imageId)).answer, 'not-undoable')
  await decide(pending, imageId, 'approve')
  assert.equal((await undo(pending, imageId)).body.status, 'pending')
  assert.deepEqual(await shown(pending, imageId), ['pending', true, 'Nobody has seen this'])
})

const ascending = (one: number, other: number): number => one - other

const newestOf = async (imageId: number): Promise<number> => {
  const row = await db
    .selectFrom('image_history')
    .select('position')
    .where('image_id', '=', imageId)
    .orderBy('position', 'desc')
    .executeTakeFirstOrThrow()
  return row.position
}

void test('C23: of two concurrent undos of one decision one wins, and likewise of an undo and a decision', async () => {
  for (let round = 0; round < 10; round += 1) {
    const imageId = await imageAfter(place, 'approve')
    const position = await newestOf(imageId)
    const both = await Promise.all([
      undo(place, imageId, { position }, rob),
      undo(place, imageId, { position }, ria),
    ])
    assert.deepEqual(both.map(({ status }) => status).toSorted(ascending), [200, 409])
    const loser = both.find(({ status }) => status === 409)
    assert.ok(loser)
    const { detail } = await assertProblem(loser.answer, 'already-decided')
    assert.match(
      detail ?? '',
      /^It has been pending since .+, by (Rob|Ria), so the decision to undo is no longer/,
    )

    await decide(place, imageId, 'approve')
    const against = await Promise.all([
      undo(place, imageId, { position: await newestOf(imageId) }),
      post(place, `/v2/images/${imageId}/review`, { decision: 'remove' }, ria),
    ])
    assert.deepEqual(against.map(({ status }) => status).toSorted(ascending), [200, 409])
  }
  await assertAgreement(db, trailId)
})

void test('C23: two concurrent undos without a position undo one decision, and do not redo it', async () => {
  const { undo: undoHere } = createUndo(db, () => waymark.system.now())
  const actor: AccountActor = {
    kind: 'account',
    accountId: rob.accountId,
    role: 'reviewer',
    scopes: new Set(scopes),
    via: 'client',
  }
  const imageId = await imageAfter(place, 'reject')
  const nothing = { note: undefined, position: undefined }
  const both = await Promise.allSettled([
    undoHere(actor, imageId, nothing),
    undoHere(actor, imageId, nothing),
  ])
  const refused = both.filter((one) => one.status === 'rejected')
  assert.equal(refused.length, 1)
  const reason: unknown = refused[0]?.reason
  assert.ok(reason instanceof Refusal && reason.code === 'already-decided')
  assert.deepEqual((await movesOf(place, imageId)).at(-1), 'rejected>pending image.reopened undo')
})

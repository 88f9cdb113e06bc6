// Concurrent pairs of approve and reject on the same image: one wins, the other gets the result.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { assertProblem } from '../helpers/problems.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertAgreement } from './agreement.ts'
import { call, get, trailId, type Place } from './review-client.ts'

const atOnce = 25

async function uploadMany({ waymark, ana }: Place, count: number): Promise<number[]> {
  const picture = Buffer.from(await jpegPicture({ width: 12, height: 9 }))
  const ids: number[] = []
  while (ids.length < count) {
    const answers = await Promise.all(
      Array.from({ length: Math.min(atOnce, count - ids.length) }, (_, index) =>
        waymark.fetch(`/Trails/${trailId}/Images`, {
          method: 'POST',
          token: ana.token,
          headers: {
            'content-type': 'image/jpeg',
            // The same bytes again and again: a key of its own makes each a new image (C18).
            'idempotency-key': createHash('sha256')
              .update(`${ids.length + index}`)
              .digest('hex'),
          },
          body: picture,
        }),
      ),
    )
    for (const answer of answers) {
      assert.equal(answer.status, 201)
      ids.push(Number(await answer.text()))
    }
  }
  return ids
}

/** @returns how often approve and how often reject has won. */
async function decideInPairs(place: Place, ids: readonly number[]): Promise<[number, number]> {
  const { waymark, rob, ria } = place
  const wins: [number, number] = [0, 0]
  async function pair(imageId: number, index: number): Promise<void> {
    const path = `/v2/images/${imageId}/review`
    const approve = () => call(waymark, rob, 'POST', path, { decision: 'approve' })
    const reject = () => call(waymark, ria, 'POST', path, { decision: 'reject' })
    // Either is the first to be sent as often.
    const sent = index % 2 ? [approve(), reject()] : [reject(), approve()].toReversed()
    const [approved, rejected] = await Promise.all(sent)
    assert.ok(approved && rejected)
    assert.deepEqual(new Set([approved.status, rejected.status]), new Set([200, 409]), 'one winner')
    const isApproved = approved.status === 200
    wins[isApproved ? 0 : 1] += 1
    const { detail } = await assertProblem((isApproved ? rejected : approved).answer, 'already-decided')
    const state = isApproved ? 'approved' : 'rejected'
    const when = new Date(waymark.system.now()).toISOString()
    assert.ok(
      detail.startsWith(`It has been ${state} since ${when}, by ${isApproved ? 'Rob' : 'Ria'};`),
      detail,
    )
    const { body } = await get(place, `/v2/images/${imageId}`)
    assert.equal(body['status'], state)
  }
  for (let start = 0; start < ids.length; start += atOnce)
    await Promise.all(ids.slice(start, start + atOnce).map((id, index) => pair(id, index)))
  return wins
}

/** So many pairs, and afterwards list, history, feed, counts and version agree. */
export async function runPairs(place: Place, count: number): Promise<void> {
  const ids = await uploadMany(place, count)
  const [approvals, rejections] = await decideInPairs(place, ids)
  assert.equal(approvals + rejections, count)
  assert.ok(approvals > 0 && rejections > 0, 'each wins sometimes')
  await assertAgreement(place.db, trailId)
  const rows = await place.db.selectFrom('image_history').select('position').execute()
  assert.equal(rows.length, 2 * count, 'no loser left a trace')
  const { body: list } = await get<{ imageID: number }[]>(place, `/Trails/${trailId}/Images`)
  assert.equal(list.length, approvals, 'the list shows what was approved')
}

// Checks that images, history, feed, counts and trail versions agree after any concurrent changes.
import assert from 'node:assert/strict'
import { countImages } from '../../src/events/outbox.ts'
import type { Db } from '../../src/database/database.ts'
import { checkHistory } from '../../src/review/history-check.ts'

/** Of one trail, which nothing but uploads, decisions, edits and the trash has changed since it was added. */
export async function assertAgreement(db: Db, trailId: number): Promise<void> {
  const images = await db.selectFrom('image').select(['id', 'state', 'trail_id', 'queued_at']).execute()
  const history = await db.selectFrom('image_history').selectAll().orderBy('position').execute()
  const outbox = await db.selectFrom('outbox').selectAll().orderBy('position').execute()
  const eventAt = new Map(outbox.map((event) => [event.position, event]))
  assert.deepEqual(
    outbox.map(({ position }) => position),
    Array.from({ length: outbox.length }, (_, index) => index + 1),
    'positions have no gaps',
  )

  const states = new Map<number, string>()
  for (const { position, image_id: imageId, from_state: from, to_state: to, at } of history) {
    const event = eventAt.get(position)
    assert.deepEqual(
      [event?.image_id, event?.from_state, event?.to_state, event?.at],
      [imageId, from, to, at],
      `the event of the move at ${position}`,
    )
    assert.equal((JSON.parse(event?.data ?? '{}') as { status?: string }).status, to)
    assert.equal(from, states.get(imageId) ?? null, 'a move begins where the last one ended')
    states.set(imageId, to)
  }
  const moves = outbox.filter(({ type, image_id: imageId }) => imageId !== null && type !== 'image.updated')
  assert.equal(moves.length, history.length, 'no event of a move without its row')
  for (const { id, state, queued_at: queuedAt } of images) {
    assert.equal(states.get(id), state, `image ${id} is as its history says`)
    if (state === 'pending') assert.notEqual(queuedAt, null, 'what is pending waits')
  }

  const counted = await countImages(db)
  for (const [state, count] of Object.entries(counted))
    assert.equal(images.filter((image) => image.state === state).length, count, `count of ${state}`)

  // Every upload, for its place in the order; every change of details; every move that a list of the trail can show.
  const isShown = (event: (typeof outbox)[number]): boolean =>
    event.type === 'image.updated' ||
    [event.from_state, event.to_state].some((state) => state === 'approved' || state === 'deleted') ||
    event.from_state === null
  const shown = outbox.filter((event) => event.trail_id === trailId && isShown(event))
  const { version } = await db
    .selectFrom('trail')
    .select('version')
    .where('id', '=', trailId)
    .executeTakeFirstOrThrow()
  assert.equal(version, 1 + shown.length, 'the version of the trail grew with each, and by nothing else')

  const { rows, fault } = await checkHistory(db)
  assert.deepEqual([rows, fault], [history.length, undefined], 'the chain of the history')
}

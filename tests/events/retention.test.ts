// Deletion of old events (EVENT_RETENTION_DAYS): what readers get, and that everything else continues to work.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createWaymark, isWaymarkProblem, type KeptEvents } from '../../client/client.ts'
import { newestPosition } from '../../src/events/outbox.ts'
import { createEventRetention } from '../../src/events/retention.ts'
import { checkHistory } from '../../src/review/history-check.ts'
import { decide, edit, get, imageAfter, startReview, trailId, undo, upload } from '../review/review-client.ts'
import { askFeed, bearer } from './listener.ts'

const place = await startReview()
const { waymark, ana, rob, db } = place
after(() => waymark.close())
const dayMs = 86_400_000

/**
 * Backdates all earlier events and deletes them.
 * @returns the oldest remaining position.
 */
async function age(): Promise<number> {
  const { system } = waymark
  const last = await newestPosition(db)
  await db
    .updateTable('outbox')
    .set((expression) => ({ at: expression('at', '-', 8 * dayMs) }))
    .execute()
  system.advance(1_000)
  await upload(place) // the newest event always stays
  await createEventRetention({ db, now: system.now, days: 7 }).run(new AbortController().signal)
  return last + 1
}

const changes = (query: string, headers: Record<string, string> = {}) =>
  waymark.fetch(`/v2/changes${query}`, { token: ana.token, headers })
const stream = (query: string, headers: Record<string, string> = {}) =>
  waymark.fetch(`/v2/events${query}`, { token: ana.token, headers })

void test('Part D: requests for deleted events get 410 with the oldest and newest position, from feed and stream alike', async () => {
  await imageAfter(place, 'approve')
  const before = await askFeed(waymark, bearer(ana))
  assert.equal(before.position, 2)
  const oldestPosition = await age()
  const newestPosition = 3
  assert.equal(oldestPosition, 3)
  const answers = [
    await changes(''),
    await changes('?since=0'),
    await changes('?since=1&types=route.created'),
    await changes('?limit=1&since=1'),
    await stream('?since=1'),
    await stream('', { 'last-event-id': '1' }),
    await stream('?since=2', { 'last-event-id': '0' }),
  ]
  for (const answer of answers) {
    assert.equal(answer.status, 410)
    assert.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.partialDeepStrictEqual(await answer.json(), {
      type: 'https://trails.example/problems/events-gone',
      title: 'Events no longer available',
      status: 410,
      oldestPosition,
      newestPosition,
    })
  }
  const inGerman = await changes('?since=1', { 'accept-language': 'de' })
  const { title, detail } = (await inGerman.json()) as { title: string; detail: string }
  assert.equal(title, 'Events no longer available')
  assert.match(detail, /nach Position 1 .*, hat Position 3\.$/)
  const xml = await (await changes('?since=1', { accept: 'application/xml' })).text()
  assert.match(xml, /<oldestPosition>3<\/oldestPosition><newestPosition>3<\/newestPosition><\/problem>$/)
  const rest = await askFeed(waymark, bearer(ana), '?since=2')
  assert.deepEqual(
    rest.items.map(({ position, type }) => [position, type]),
    [[3, 'image.uploaded']],
  )
  const open = await stream('?since=2')
  assert.equal(open.status, 200)
  await open.body?.cancel()
})

void test('SDK: missed events are reported once, and the listener continues from just before', async () => {
  await upload(place)
  const oldest = await age()
  const sdk = createWaymark({ baseUrl: waymark.url, credential: { bearer: ana.token } })
  const kept = { oldest, newest: await newestPosition(db) }
  for (const asking of [sdk.changes.page({ since: 1 }), sdk.events({ lastPosition: 1 }).next()])
    await assert.rejects(asking, (error) => {
      assert.ok(isWaymarkProblem(error))
      assert.deepEqual([error.status, error.code, error.kept], [410, 'events-gone', kept])
      assert.match(error.message, /^Events no longer available: Some events after position 1 were deleted/)
      return true
    })
  const gaps: KeptEvents[] = []
  const onGap = async (reported: KeptEvents): Promise<void> => {
    gaps.push(reported)
    await upload(place) // what happens while the full lists are loaded
  }
  const events = sdk.events({ lastPosition: 1, onGap })
  const { value } = await events.next()
  assert.equal(value?.position, kept.newest + 1)
  await events.return()
  assert.deepEqual(gaps, [kept])
  await assert.rejects(sdk.events({ lastPosition: 1_000_000, onGap }).next(), { status: 400 })
})

void test('C23: the history is complete without its events, undo still works, and later edits are not undone', async () => {
  const [kept, edited, early] = [await imageAfter(place), await imageAfter(place), await imageAfter(place)]
  waymark.system.advance(1_000)
  await edit(place, early, { caption: 'said before the decision' })
  waymark.system.advance(1_000)
  for (const imageId of [kept, edited, early]) await decide(place, imageId, 'approve')
  waymark.system.advance(1_000)
  await edit(place, edited, { caption: 'said since' })
  const { rows } = await checkHistory(db)
  const oldest = await age()
  const events = await db.selectFrom('outbox').select('position').orderBy('position').execute()
  assert.equal(events[0]?.position, oldest)
  const checked = await checkHistory(db)
  assert.deepEqual([checked.fault, checked.rows], [undefined, rows + 1])

  assert.equal((await undo(place, kept)).body.status, 'pending')
  assert.equal((await undo(place, early)).body.status, 'pending')
  const refused = await undo(place, edited)
  assert.deepEqual([refused.status, refused.body.title], [409, 'The decision cannot be undone'])
  const { body } = await get(place, `/v2/images/${edited}`)
  assert.deepEqual([body['status'], body['caption']], ['approved', 'said since'])
  assert.equal((await checkHistory(db)).fault, undefined)

  // Where events were deleted, only the chain is checked; after that, each row still needs its event.
  const change = (position: number) =>
    db.updateTable('image_history').set({ note: 'x' }).where('position', '=', position).execute()
  await change(2)
  assert.partialDeepStrictEqual((await checkHistory(db)).fault, { position: 2, what: 'changed' })
  await db.updateTable('image_history').set({ note: null }).where('position', '=', 2).execute()
  await db.deleteFrom('outbox').where('position', '=', oldest).execute()
  assert.partialDeepStrictEqual((await checkHistory(db)).fault, { position: oldest, what: 'inserted' })
})

void test('C19: a list cached in memory shows changes whose events are deleted by now', async () => {
  const imageId = await imageAfter(place, 'approve')
  const listed = async (): Promise<string | undefined> => {
    const answer = await waymark.fetch(`/Trails/${trailId}/Images`, { token: rob.token })
    const all = (await answer.json()) as { imageID: number; caption: string }[]
    return all.find(({ imageID }) => imageID === imageId)?.caption.trim()
  }
  assert.equal(await listed(), '')
  await edit(place, imageId, { caption: 'anew' })
  await age()
  await decide(place, await upload(place), 'approve')
  assert.equal(await listed(), 'anew')
})

void test('EVENT_RETENTION_DAYS: maintenance deletes older events, and none if it is 0', async (t) => {
  for (const [days, oldest] of [
    ['0', 1],
    ['7', 2],
  ] as const) {
    const other = await startReview({ EVENT_RETENTION_DAYS: days })
    t.after(() => other.waymark.close())
    await upload(other)
    await other.db.updateTable('outbox').set({ at: 0 }).execute()
    await upload(other)
    await other.waymark.app.sweep()
    const rows = await other.db.selectFrom('outbox').select('position').execute()
    assert.equal(Math.min(...rows.map(({ position }) => position)), oldest)
    const metrics = await other.waymark.fetch('/metrics')
    assert.match(await metrics.text(), new RegExp(`^waymark_outbox_floor ${oldest - 1}$`, 'm'))
  }
})

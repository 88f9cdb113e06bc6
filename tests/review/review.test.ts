// The state machine of review: every decision from every state, races, and the audit and feed that follow (contract C23).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ImageState } from '../../src/database/schema.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startOfTime, startWaymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const eve = await waymark.addPerson({ name: 'Eve', role: 'admin' })
const key = await waymark.addKey(ana.accountId)
const { db } = waymark.installation.database

let pictures = 0
const upload = async (): Promise<number> => {
  pictures += 1
  return waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9, seed: pictures }))
}

const decide = (imageId: number, body: unknown, { token } = rob) =>
  send(waymark.url, {
    method: 'POST',
    path: `/v2/images/${imageId}/review`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const historyOf = (imageId: number) =>
  db.selectFrom('image_history').selectAll().where('image_id', '=', imageId).orderBy('position').execute()
const eventsOf = (imageId: number) =>
  db.selectFrom('outbox').selectAll().where('image_id', '=', imageId).orderBy('position').execute()

async function stateOf(imageId: number): Promise<ImageState> {
  const row = await db.selectFrom('image').select('state').where('id', '=', imageId).executeTakeFirstOrThrow()
  return row.state
}

/** As the contract draws it: where each decision leads from each state; what is not here is refused. */
const moves: Readonly<Record<ImageState, Readonly<Record<string, ImageState>>>> = {
  pending: { approve: 'approved', reject: 'rejected' },
  approved: { remove: 'removed', reopen: 'pending' },
  rejected: { restore: 'approved', reopen: 'pending' },
  removed: { restore: 'approved', reopen: 'pending' },
  deleted: {},
}
const events: Readonly<Record<string, string>> = {
  approve: 'image.approved',
  reject: 'image.rejected',
  remove: 'image.removed',
  restore: 'image.restored',
  reopen: 'image.reopened',
}

/** Decisions that lead an image from its upload to a state. */
const ways: Readonly<Record<Exclude<ImageState, 'deleted'>, readonly string[]>> = {
  pending: [],
  approved: ['approve'],
  rejected: ['reject'],
  removed: ['approve', 'remove'],
}

/** An image in that state, brought there by review. */
async function imageIn(state: keyof typeof ways): Promise<number> {
  const imageId = await upload()
  for (const decision of ways[state]) assert.equal((await decide(imageId, { decision }, eve)).status, 200)
  return imageId
}

for (const state of Object.keys(ways) as (keyof typeof ways)[]) {
  void test(`C23: every decision on an image that is ${state}`, async () => {
    for (const decision of Object.keys(events)) {
      const imageId = await imageIn(state)
      const historyBefore = await historyOf(imageId)
      const eventsBefore = await eventsOf(imageId)
      waymark.system.advance(1_000)
      const answer = await decide(imageId, { decision, reason: 'too-dark', note: 'Please ☀' })
      const to = moves[state][decision]
      const message = `${decision} from ${state}`
      if (to === undefined) {
        const { detail } = await assertProblem(answer, 'already-decided', message)
        const since = new Date(historyBefore.at(-1)?.at ?? 0).toISOString()
        assert.ok(detail.includes(state) && detail.includes(since), `what happened: ${detail}`)
        assert.match(detail, state === 'pending' ? /by Ana/ : /by Eve/)
        assert.equal(await stateOf(imageId), state, message)
        assert.deepEqual(await historyOf(imageId), historyBefore, message)
        assert.deepEqual(await eventsOf(imageId), eventsBefore, message)
        continue
      }
      assert.equal(answer.status, 200, message)
      assert.equal(((await answer.json()) as { status: string }).status, to, message)
      assert.equal(await stateOf(imageId), to)
      const history = await historyOf(imageId)
      const last = history.at(-1)
      assert.equal(history.length, historyBefore.length + 1)
      assert.deepEqual(
        { ...last },
        {
          position: last?.position,
          digest: last?.digest,
          image_id: imageId,
          at: waymark.system.now(),
          actor_id: rob.accountId,
          from_state: state,
          to_state: to,
          reason: 'too-dark',
          note: 'Please ☀',
        },
      )
      const event = (await eventsOf(imageId)).at(-1)
      assert.deepEqual(
        [event?.position, event?.type, event?.at],
        [last?.position, events[decision], waymark.system.now()],
      )
      assert.deepEqual(JSON.parse(event?.data ?? ''), { imageID: imageId, trailID: 4711, status: to })
    }
  })
}

void test('C23: a deleted image is unknown to every decision', async () => {
  const imageId = await upload()
  await db.updateTable('image').set({ state: 'deleted' }).where('id', '=', imageId).execute()
  for (const decision of Object.keys(events)) {
    await assertProblem(await decide(imageId, { decision }), 'invalid-image-id', decision)
  }
  assert.equal(await stateOf(imageId), 'deleted')
})

void test('C23: undo is the reverse decision, and everything that happened stays in the history', async () => {
  const imageId = await upload()
  const walk = ['approve', 'reopen', 'reject', 'restore', 'remove', 'reopen', 'reject', 'reopen', 'approve']
  for (const decision of walk) assert.equal((await decide(imageId, { decision })).status, 200, decision)
  const steps = (await historyOf(imageId)).map(({ from_state: from, to_state: to }) => `${from}>${to}`)
  assert.deepEqual(steps, [
    'null>pending',
    'pending>approved',
    'approved>pending',
    'pending>rejected',
    'rejected>approved',
    'approved>removed',
    'removed>pending',
    'pending>rejected',
    'rejected>pending',
    'pending>approved',
  ])
})

void test('C23 A1.2: the list follows each decision, and the classic surface never shows a status', async () => {
  const imageId = await upload()
  const list = async () => {
    const answer = await send(waymark.url, { path: `/Trails/4711/Images?api_key=${key}` })
    return (await answer.json()) as Record<string, unknown>[]
  }
  const isListed = async () => (await list()).some(({ imageID }) => imageID === imageId)
  for (const [decision, expected] of [
    ['approve', true],
    ['remove', false],
    ['restore', true],
    ['reopen', false],
    ['reject', false],
  ] as const) {
    assert.equal((await decide(imageId, { decision })).status, 200)
    assert.equal(await isListed(), expected, decision)
  }
  for (const image of await list()) {
    assert.deepEqual(Object.keys(image), [
      'caption',
      'detailUrl',
      'displayName',
      'imageID',
      'lat',
      'lon',
      'mimeType',
      'postDate',
      'submitterAcctID',
      'title',
      'trailID',
      'trailName',
    ])
  }
})

void test('D C13: the body of a decision is strict', async () => {
  const imageId = await upload()
  const wrong: readonly unknown[] = [
    {},
    [],
    null,
    'approve',
    { decision: 'delete' },
    { decision: 'Approve' },
    { decision: null },
    { decision: ['approve'] },
    { decision: 'approve', extra: 1 },
    { decision: 'approve', reason: 7 },
    { decision: 'approve', reason: null },
    { decision: 'approve', reason: '' },
    { decision: 'approve', reason: 'Not a code' },
    { decision: 'approve', reason: 'x'.repeat(65) },
    { decision: 'approve', note: 7 },
    { decision: 'approve', note: null },
    { decision: 'approve', note: 'x'.repeat(2_001) },
    { decision: 'approve', note: '🏔'.repeat(2_001) },
  ]
  for (const body of wrong) {
    const text = JSON.stringify(body)
    const answer = await decide(imageId, text)
    const { detail } = await assertProblem(answer, 'invalid-field', text.slice(0, 60))
    assert.ok(detail.length > 5 && detail.length < 300, detail)
  }
  for (const text of [
    '',
    '{',
    '{"decision":"approve"}}',
    '{"decision":"approve","note":"\\u0000"}',
    '<x/>',
  ]) {
    await assertProblem(await decide(imageId, text), 'malformed-body', text)
  }
  assert.equal(await stateOf(imageId), 'pending')
  const taken = { decision: 'approve', reason: 'a-1', note: '🏔'.repeat(2_000) }
  assert.equal((await decide(imageId, taken)).status, 200)
  assert.equal((await historyOf(imageId)).at(-1)?.note, taken.note)
})

void test('C23: of two concurrent reviewers one wins, twenty times over, and the other learns by whom it was decided', async () => {
  const imageIds: number[] = []
  for (let count = 0; count < 20; count += 1) imageIds.push(await upload())
  const pairs = await Promise.all(
    imageIds.map((imageId) =>
      Promise.all([
        decide(imageId, { decision: 'approve' }, rob),
        decide(imageId, { decision: 'reject' }, eve),
      ]),
    ),
  )
  for (const [index, [approve, reject]] of pairs.entries()) {
    const imageId = imageIds[index] ?? 0
    assert.deepEqual(new Set([approve.status, reject.status]), new Set([200, 409]))
    const isApproved = approve.status === 200
    const { detail } = await assertProblem(isApproved ? reject : approve, 'already-decided')
    assert.match(detail ?? '', isApproved ? /approved since .+ by Rob/ : /rejected since .+ by Eve/)
    assert.equal(await stateOf(imageId), isApproved ? 'approved' : 'rejected')
    const [uploaded, decided, ...more] = await historyOf(imageId)
    assert.deepEqual(
      [uploaded?.to_state, decided?.to_state, more.length],
      ['pending', await stateOf(imageId), 0],
    )
    assert.equal(decided?.actor_id, isApproved ? rob.accountId : eve.accountId)
  }
})

void test('C23: many concurrent decisions on one image: as many winners as state changes', async () => {
  const imageId = await upload()
  const all = ['approve', 'reject', 'remove', 'restore', 'reopen']
  const crowd = Array.from({ length: 40 }, (_, index) =>
    decide(imageId, { decision: all[index % 5] }, index % 2 ? rob : eve),
  )
  const answers = await Promise.all(crowd)
  const winners = answers.filter(({ status }) => status === 200).length
  assert.equal(answers.filter(({ status }) => status === 409).length, 40 - winners)
  assert.equal((await historyOf(imageId)).length, 1 + winners)
  await Promise.all(answers.map((answer) => answer.arrayBuffer()))
})

void test('C23: afterwards history and feed agree, decision by decision, without gaps', async () => {
  const history = await db.selectFrom('image_history').selectAll().orderBy('position').execute()
  const outbox = await db.selectFrom('outbox').selectAll().orderBy('position').execute()
  assert.deepEqual(
    outbox.map(({ position }) => position),
    Array.from({ length: outbox.length }, (_, index) => index + 1),
    'positions have no gaps',
  )
  assert.equal(history.length, outbox.length, 'every event here is a move')
  const states = new Map<number, ImageState>()
  for (const [index, move] of history.entries()) {
    const event = outbox[index]
    assert.equal(move.position, event?.position)
    assert.deepEqual([move.image_id, move.at], [event?.image_id, event?.at])
    assert.equal((JSON.parse(event?.data ?? '') as { status: string }).status, move.to_state)
    assert.equal(
      move.from_state,
      states.get(move.image_id) ?? null,
      'each move begins where the last one ended',
    )
    assert.ok(move.at >= startOfTime)
    states.set(move.image_id, move.to_state)
  }
  const images = await db
    .selectFrom('image')
    .select(['id', 'state'])
    .where('state', '!=', 'deleted')
    .execute()
  for (const { id, state } of images) assert.equal(states.get(id), state)
})

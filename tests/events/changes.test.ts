// GET /v2/changes: its format, paging, following, and refusals (contract, Part D).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { askFeed, bearer, receiveAll, type Feed } from './listener.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(7, 'Seven')
const ana = await waymark.addPerson()
const bob = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const first = await waymark.upload(ana, 7, await jpegPicture({ seed: 1 }))
const second = await waymark.upload(ana, 7, await jpegPicture({ seed: 2 }))
assert.equal((await waymark.review(rob, first, 'approve')).status, 200)
assert.equal((await waymark.review(rob, second, 'reject')).status, 200)
const { db } = waymark.installation.database

void test('Part D: events come in order, with position, type, time and data, and say up to where they are complete', async () => {
  const at = '2026-05-14T09:08:07.000Z'
  const of = (imageID: number, status: string) => ({ imageID, trailID: 7, status })
  assert.deepEqual(await askFeed(waymark, bearer(ana)), {
    items: [
      { position: 1, type: 'image.uploaded', at, data: of(first, 'pending') },
      { position: 2, type: 'image.uploaded', at, data: of(second, 'pending') },
      { position: 3, type: 'image.approved', at, data: of(first, 'approved') },
      { position: 4, type: 'image.rejected', at, data: of(second, 'rejected') },
    ],
    next: null,
    position: 4,
  })
  const others = await askFeed(waymark, bearer(bob))
  assert.deepEqual(
    others.items.map(({ position }) => position),
    [1, 3],
  )
  assert.equal(others.position, 4, 'also past what bob may not hear')
  assert.deepEqual(await askFeed(waymark, bearer(bob), '?since=3'), { items: [], next: null, position: 4 })
})

void test('Part D: following next, Link or position returns everything once', async () => {
  const answer = await waymark.fetch('/v2/changes?limit=3&since=0', { token: ana.token })
  const page = (await answer.json()) as Feed
  assert.deepEqual([page.items.length, page.position], [3, 3])
  const link = /^<https:\/\/trails\.example(\/v2\/changes\?[^>]+)>; rel="next"$/.exec(
    answer.headers.get('link') ?? '',
  )
  const rest = await askFeed(waymark, bearer(ana), (link?.[1] ?? '').replace('/v2/changes', ''))
  assert.deepEqual([rest.items.map(({ position }) => position), rest.next], [[4], null])
  assert.deepEqual(await askFeed(waymark, bearer(ana), `?cursor=${page.next}`), rest)
  assert.deepEqual(await askFeed(waymark, bearer(ana), '?since=3'), rest)
  assert.equal((await receiveAll(waymark, bearer(ana), '&limit=1')).length, 4)
})

void test('C39: unchanged results are 304, and may not be cached', async () => {
  const answer = await waymark.fetch('/v2/changes', { token: ana.token })
  assert.equal(answer.headers.get('cache-control'), 'private, no-store')
  const headers = { 'if-none-match': answer.headers.get('etag') ?? '' }
  assert.equal((await waymark.fetch('/v2/changes', { token: ana.token, headers })).status, 304)
})

void test('Part D: types filters the events, and position still advances', async () => {
  const { items, position } = await askFeed(waymark, bearer(ana), '?types=image.rejected,route.created')
  assert.deepEqual([items.map(({ type }) => type), position], [['image.rejected'], 4])
})

void test('Part D: an invalid parameter is 400 with a sentence', async () => {
  const wrong = [
    'since=-1',
    'since=1.5',
    'since=',
    'since=ten',
    'since=1&since=2',
    'since=99999999999999999',
    'since=9007199254740992',
    'since=2026-01-01T00:00:00Z',
    'limit=0',
    'limit=501',
    'cursor=x',
    'cursor=LQ',
    'types=',
    'types=image.painted',
    'types=image.approved,',
    'types=image.approved&types=image.removed',
  ]
  for (const query of wrong) {
    const answer = await waymark.fetch(`/v2/changes?${query}`, { token: ana.token })
    await assertProblem(answer, 'invalid-query', query)
  }
})

void test('Part D: a position that was never issued is refused, since it is from another feed', async () => {
  const answer = await waymark.fetch('/v2/changes?since=5', { token: bob.token })
  const { detail } = await assertProblem(answer, 'invalid-query')
  assert.equal(detail, 'Position 5 is ahead of the newest event (4); start again from 0.')
})

void test('C28: it needs a token or a browser session; an API key or no credential is refused', async () => {
  const key = await waymark.addKey(ana.accountId)
  await assertProblem(await waymark.fetch('/v2/changes'), 'credential-required')
  await assertProblem(await waymark.fetch(`/v2/changes?api_key=${key}`), 'credential-required')
  await assertProblem(
    await waymark.fetch('/v2/changes', { headers: { 'x-api-key': key } }),
    'credential-required',
  )
  const member = await addSignedIn(waymark)
  assert.equal((await member.call('GET', '/v2/changes')).status, 200)
  const elsewhere = await member.call('GET', '/v2/changes', undefined, { 'sec-fetch-site': 'cross-site' })
  assert.equal(elsewhere.status, 401, 'a page of another site')
})

void test('Part D: a response examines at most 5,000 events, and says how far it got', async () => {
  const at = waymark.system.now()
  const data = { routeID: 1, acctID: ana.accountId }
  const row = { type: 'route.created', at, account_id: ana.accountId, data: JSON.stringify(data) }
  for (let position = 5; position <= 5_104; position += 100) {
    const rows = Array.from({ length: 100 }, (_, index) => ({
      ...row,
      position: position + index,
      image_id: null,
    }))
    await db.insertInto('outbox').values(rows).execute()
  }
  await db.updateTable('counter').set({ value: 5_104 }).where('name', '=', 'outbox').execute()
  const page = await askFeed(waymark, bearer(bob), '?since=3')
  assert.deepEqual([page.items, page.position, typeof page.next], [[], 5_003, 'string'])
  assert.deepEqual(await askFeed(waymark, bearer(bob), `?cursor=${page.next}`), {
    items: [],
    next: null,
    position: 5_104,
  })
})

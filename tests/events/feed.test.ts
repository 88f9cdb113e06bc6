// How much of the outbox a page of the feed reads, and that a page does not depend on the chunks it is read in.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { AccountActor } from '../../src/auth/guard.ts'
import type { Db } from '../../src/database/database.ts'
import { readFeed, writeEvent } from '../../src/events/feed.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson()
const bob = await waymark.addPerson()
const { db } = waymark.installation.database
const count = 1_203

/** Every fifth is Bob's, every other one Ana's. */
const accountOf = (position: number): number => (position % 5 === 0 ? bob : ana).accountId

const rows = Array.from({ length: count }, (_, index) => ({
  position: index + 1,
  type: index % 2 === 0 ? 'route.updated' : 'route.created',
  at: 1_780_000_000_000 + index,
  account_id: accountOf(index + 1),
  image_id: null,
  data: JSON.stringify({ routeID: index, acctID: accountOf(index + 1) }),
}))
for (let first = 0; first < count; first += 100)
  await db
    .insertInto('outbox')
    .values(rows.slice(first, first + 100))
    .execute()

const actorOf = (accountId: number): AccountActor => ({
  kind: 'account',
  accountId,
  role: 'member',
  scopes: new Set(['routes:read']),
  via: 'client',
})

/** A connection that records the number of rows of each query. */
function noting(): { readonly noted: Db; readonly found: number[] } {
  const found: number[] = []
  const noted = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      found.push(result.rows.length)
      return result
    },
  })
  return { noted, found }
}

void test('a reader of most events gets a page with one query of little more than the page', async () => {
  const { noted, found } = noting()
  const { events } = await readFeed(noted, actorOf(ana.accountId), { after: 0, limit: 4, types: undefined })
  assert.deepEqual([events.map(({ position }) => position), found], [[1, 2, 3, 4], [5]])
})

void test('a reader of few events moves on in large steps', async () => {
  const { noted, found } = noting()
  const page = await readFeed(noted, actorOf(0), { after: 0, limit: 20, types: undefined })
  assert.deepEqual(page, { events: [], position: count, isMore: false })
  assert.deepEqual(found, [21, 500, 500, 182])
})

void test('a page ends with its last event, and continues if anything follows, whoever may see it', async () => {
  const own = rows.filter(({ account_id }) => account_id === bob.accountId).map(({ position }) => position)
  for (const limit of [1, 2, 19, 99, 100, 101, 239, 240, 241, 500])
    for (const since of [0, 4, 5, 499, 500, 501, 1_197, 1_200, 1_203]) {
      const page = await readFeed(db, actorOf(bob.accountId), { after: since, limit, types: undefined })
      const all = own.filter((position) => position > since)
      const expected = all.slice(0, limit)
      const isFull = expected.length === limit
      const end = isFull ? (expected.at(-1) ?? 0) : count
      const name = `${limit} after ${since}`
      assert.deepEqual(
        page.events.map(({ position }) => position),
        expected,
        name,
      )
      assert.deepEqual([page.position, page.isMore], [end, end < count], name)
    }
})

void test('an event is serialised exactly as its parts would be', async () => {
  const { events } = await readFeed(db, actorOf(bob.accountId), { after: 0, limit: 1, types: undefined })
  const [event] = events
  assert.ok(event)
  const { position, type, at, data } = event
  const parts = { position, type, at: new Date(at).toISOString(), data: JSON.parse(data) as unknown }
  assert.equal(writeEvent(event), JSON.stringify(parts))
})

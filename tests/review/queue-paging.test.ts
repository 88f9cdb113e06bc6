// Paging the queue while photos are added and decided on: none that stays throughout is skipped or repeated.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { requeue } from '../../src/events/queue.ts'
import { holdsWhilePaging, type PagedSet } from '../helpers/paging-property.ts'
import { idsOf, readQueue, sendPhoto } from '../helpers/review-desk.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(1, 'Trail')
await waymark.addTrail(2, 'Trail')
const ana = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const { db } = waymark.installation.database
const pattern = await sendPhoto(waymark, ana, 1)
const row = await db.selectFrom('image').selectAll().where('id', '=', pattern).executeTakeFirstOrThrow()
await waymark.review(rob, pattern, 'reject')
let seq = row.seq

/** Moments are few, so that many are equal and only the id tells them apart. */
const queueOf = (query: string): PagedSet => ({
  readPage: async (cursor, limit) => {
    const page = await readQueue(
      waymark,
      rob,
      `?limit=${limit}${query}${cursor === null ? '' : `&cursor=${cursor}`}`,
    )
    return { ids: idsOf(page), next: page.next }
  },
  insert: async (place) => {
    const id = waymark.system.newId()
    seq += 1
    const queued_at = Math.floor(place * 4) * 1_000
    await db
      .insertInto('image')
      .values({ ...row, id, seq, queued_at })
      .execute()
    return id
  },
  remove: async (id) => {
    await db.transaction().execute(async (tx) => {
      await tx.updateTable('image').set({ state: 'rejected' }).where('id', '=', id).execute()
      await requeue(tx, id, waymark.system.now())
    })
  },
})

void test('Part D: paging through the queue of all trails stays consistent while it changes', () =>
  holdsWhilePaging(queueOf('')))

void test('Part D: paging through the queue of one trail stays consistent while it changes', () =>
  holdsWhilePaging(queueOf('&trailID=1&status=pending'), { numRuns: 10 }))

void test('an image that is edited while it is pending keeps its place', async () => {
  const set = queueOf('')
  const ids = await Promise.all([0, 0.3, 0.6].map((place) => set.insert(place)))
  const before = (await set.readPage(null, 500)).ids
  await db.transaction().execute((tx) => requeue(tx, ids[0] ?? 0, waymark.system.now()))
  assert.deepEqual((await set.readPage(null, 500)).ids, before)
})

void test('the check itself detects a set that pages by number', async () => {
  let members: number[] = []
  let last = 0
  const byNumber: PagedSet = {
    readPage: async (cursor, limit) => {
      const from = Number(cursor ?? 0)
      const next = from + limit < members.length ? String(from + limit) : null
      return { ids: members.slice(from, from + limit), next }
    },
    insert: async (place) => {
      last += 1
      members.splice(Math.floor(place * members.length), 0, last)
      return last
    },
    remove: async (id) => {
      members = members.filter((one) => one !== id)
    },
  }
  await assert.rejects(holdsWhilePaging(byNumber, { numRuns: 100 }), (error: Error) =>
    /skipped|twice/.test(String(error.cause)),
  )
})

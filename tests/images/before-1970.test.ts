// Photos and routes of another server whose date there was never set: many servers store the year 1 for that.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listImageIds } from '../../src/account-data/data-export-table.ts'
import { createMeasuring } from '../../src/images/along/measuring.ts'
import { createMeasuredTrails } from '../../src/trails/measured-trails.ts'
import { addRoute } from '../account-routes/v2-helpers.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const { db } = waymark.installation.database
await waymark.addTrail(1, 'Rim Trail')
await waymark.addTrail(2, 'Lake Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const yearOne = Date.parse('0001-01-01T00:00:00Z')

async function photos(trailId: number, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let seed = 1; seed <= count; seed += 1)
    ids.push(
      await waymark.upload(
        ana,
        trailId,
        await jpegPicture({ width: 12, height: 9, seed: trailId * 10 + seed }),
      ),
    )
  for (const [index, id] of ids.entries())
    await db
      .updateTable('image')
      .set({ posted_at: yearOne + trailId * 1_000 + Math.floor(index / 2) })
      .where('id', '=', id)
      .execute()
  return ids
}
const all = [...(await photos(1, 3)), ...(await photos(2, 2))]

/** The ids of a set, a page of one at a time. */
async function walk(path: string, token: string, id: 'imageID' | 'routeID'): Promise<number[]> {
  const found: number[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer = await waymark.fetch(`${path}?limit=1${cursor && `&cursor=${cursor}`}`, { token })
    const page = (await answer.json()) as { items: Record<string, number>[]; next: string | null }
    assert.equal(answer.status, 200, JSON.stringify(page))
    found.push(...page.items.map((item) => Number(item[id])))
    cursor = page.next
  }
  return found
}

const sorted = (ids: readonly number[]): number[] => ids.toSorted((one, other) => one - other)

void test('photos of the year 1 are listed to the last page, also for a reviewer who is limited to trails', async () => {
  assert.deepEqual(sorted(await walk('/v2/images', ana.token, 'imageID')), sorted(all))
  const lea = await waymark.addPerson({ name: 'Lea', role: 'reviewer' })
  for (const trailId of [1, 2])
    await db.insertInto('account_trail').values({ account_id: lea.accountId, trail_id: trailId }).execute()
  assert.deepEqual(sorted(await walk('/v2/images', lea.token, 'imageID')), sorted(all))
  const whole = await waymark.fetch('/v2/images?limit=2', { token: lea.token })
  const { items } = (await whole.json()) as { items: { trailID: number }[] }
  assert.deepEqual(
    items.map(({ trailID }) => trailID),
    [2, 2],
    'the newest first',
  )
})

void test('they are in the data export, and measured when the line of their trail changes', async () => {
  assert.deepEqual(sorted(await listImageIds(db, ana.accountId)), sorted(all))
  await db
    .updateTable('image')
    .set({ lat: '0', lon: '7.05', latitude: 0, longitude: 7.05 })
    .where('trail_id', '=', 1)
    .execute()
  const admin = await waymark.addPerson({ role: 'admin' })
  const { status } = await waymark.fetch('/v2/trails/1', {
    method: 'PUT',
    token: admin.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Rim Trail',
      geometry: {
        type: 'LineString',
        coordinates: [
          [7, 0],
          [7.1, 0],
        ],
      },
    }),
  })
  assert.equal(status, 200)
  await db.updateTable('image').set({ along_version: -1 }).execute() // not new to the second part of the run
  const measuring = createMeasuring({ db, findRuler: createMeasuredTrails(db).find, restMs: () => 0 })
  await measuring.run({ signal: new AbortController().signal, mayContinue: () => Promise.resolve(true) })
  const rows = await db.selectFrom('image').select('miles_along').where('trail_id', '=', 1).execute()
  assert.deepEqual(
    rows.map(({ miles_along: miles }) => miles?.toFixed(1)),
    ['3.5', '3.5', '3.5'],
  )
})

void test('routes of the year 1 are listed to the last page', async () => {
  const ids: number[] = []
  for (const name of ['One', 'Two', 'Three']) ids.push((await addRoute(waymark, ana, { name })).routeID)
  await db.updateTable('route').set({ created_at: yearOne }).execute()
  assert.deepEqual(
    sorted(await walk(`/v2/accounts/${ana.accountId}/routes`, ana.token, 'routeID')),
    sorted(ids),
  )
})

// The set of images with random filters, compared with the same filters in memory; across steps, boxes and visibility.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { ImageFilters } from '../../../src/images/image-table.ts'
import { listImages } from '../../../src/images/list/newest-table.ts'
import { openGrown } from '../../helpers/grown.ts'

const images = 6_000
const runs = 200

interface Row {
  readonly id: number
  readonly state: string
  readonly trail_id: number
  readonly submitter_id: number
  readonly posted_at: number
  readonly latitude: number | null
  readonly longitude: number | null
}

function isMeant(row: Row, { submitterId, trailId, state, since, within, after, reach }: ImageFilters) {
  const { latitude, longitude } = row
  const isIn = (): boolean => {
    if (within === undefined) return true
    if (latitude === null || longitude === null) return false
    const { west, south, east, north } = within
    const isAcross =
      west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
    return latitude >= south && latitude <= north && isAcross
  }
  return (
    row.state !== 'deleted' &&
    (submitterId === undefined || row.submitter_id === submitterId) &&
    (trailId === undefined || row.trail_id === trailId) &&
    (state === undefined || row.state === state) &&
    (since === undefined || row.posted_at >= since) &&
    (after === undefined ||
      row.posted_at < after.postedAt ||
      (row.posted_at === after.postedAt && row.id < after.id)) &&
    (reach === undefined || reach.trails.has(row.trail_id) || row.submitter_id === reach.submitterId) &&
    isIn()
  )
}

void test('Part D, GET /v2/images: with any filters, the page is that of all rows, filtered and in order', async (t) => {
  const { database, heavyId, trails } = await openGrown(t, images)
  const { db } = database
  // There are few timestamps, so that many are equal and only the id decides the order.
  await db
    .updateTable('image')
    .set(({ eb }) => ({ posted_at: eb('posted_at', '-', eb('posted_at', '%', 400_000_000)) }))
    .execute()
  const rows: Row[] = await db
    .selectFrom('image')
    .select(['id', 'state', 'trail_id', 'submitter_id', 'posted_at', 'latitude', 'longitude'])
    .execute()
  const inOrder = rows.toSorted((one, other) => other.posted_at - one.posted_at || other.id - one.id)
  const anyRow = fc.constantFrom(...inOrder.slice(0, 1_000), ...inOrder)
  const trail = fc.integer({ min: 1, max: trails + 1 })
  const account = fc.constantFrom(heavyId, 4, 5, 6, 60, 999_999)
  const box = fc.constantFrom(
    { west: 5, south: 43, east: 16, north: 49 },
    { west: 7, south: 45, east: 7.5, north: 45.5 },
    { west: 6, south: 44, east: 10, north: 46 },
    { west: 1, south: 1, east: 2, north: 2 },
    { west: -110, south: 30, east: -180, north: 60 },
    { west: 12, south: -90, east: -115, north: 90 },
  )
  const allFilters = fc.record({
    submitterId: account,
    trailId: trail,
    state: fc.constantFrom('pending' as const, 'approved' as const, 'rejected' as const, 'removed' as const),
    since: anyRow.map((row) => row.posted_at),
    within: box,
    after: anyRow.map((row) => ({ postedAt: row.posted_at, id: row.id })),
    reach: fc.record({
      trails: fc
        .oneof(
          fc.array(trail, { maxLength: 12 }),
          fc.constant(Array.from({ length: 120 }, (_none, index) => index + 3)),
        )
        .map((ids) => new Set(ids)),
      submitterId: account,
    }),
  })

  // Only a few at once, since all of them together match nothing.
  const keys = ['submitterId', 'trailId', 'state', 'since', 'within', 'after', 'reach'] as const
  const filtersOf = fc
    .tuple(allFilters, fc.subarray([...keys], { maxLength: 3 }))
    .map(([filters, kept]): ImageFilters => Object.fromEntries(kept.map((key) => [key, filters[key]])))
  let found = 0
  await fc.assert(
    fc.asyncProperty(filtersOf, fc.integer({ min: 1, max: 60 }), async (filters, limit) => {
      const expected = inOrder.filter((row) => isMeant(row, filters)).slice(0, limit)
      const page = await listImages(db, filters, limit)
      assert.deepEqual(
        page.map(({ id }) => id),
        expected.map(({ id }) => id),
      )
      found += page.length
    }),
    { numRuns: runs },
  )
  assert.ok(found > runs, 'most pages hold something')

  // A page longer than several steps: no row is lost between them.
  const reach = {
    trails: new Set(Array.from({ length: 120 }, (_none, index) => index + 3)),
    submitterId: heavyId,
  }
  const long = await listImages(db, { reach }, 5_000)
  assert.deepEqual(
    long.map(({ id }) => id),
    inOrder
      .filter((row) => isMeant(row, { reach }))
      .slice(0, 5_000)
      .map(({ id }) => id),
  )
})

void test('Part D: a search through all images that finds nothing lets other requests run in between', async (t) => {
  const { database, images: all } = await openGrown(t, 20_000)
  const reach = {
    trails: new Set(Array.from({ length: 200 }, (_none, index) => 1_000_000 + index)),
    submitterId: 1,
  }
  let turns = 0
  const counting = setInterval(() => {
    turns += 1
  }, 0)
  t.after(() => clearInterval(counting))
  assert.deepEqual(await listImages(database.db, { reach }, 50), [])
  // A step reads 1,500 rows.
  assert.ok(turns >= all / 2_500, `${turns} turns`)
})

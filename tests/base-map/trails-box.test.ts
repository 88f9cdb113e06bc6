// The box around all trails, also where it is narrower across the antimeridian.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTrailsBox } from '../../src/base-map/trails-box.ts'
import { startWaymark } from '../helpers/waymark.ts'

type Line = readonly (readonly [longitude: number, latitude: number])[]

async function boxOf(...lines: readonly Line[]) {
  const waymark = await startWaymark()
  try {
    const admin = await waymark.addPerson({ role: 'admin' })
    for (const coordinates of lines) {
      const answer = await waymark.fetch('/v2/trails', {
        method: 'POST',
        token: admin.token,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Ridge', geometry: { type: 'LineString', coordinates } }),
      })
      assert.equal(answer.status, 201)
    }
    return await findTrailsBox(waymark.installation.database.db)
  } finally {
    await waymark.close()
  }
}

void test('no trail has a line: no box', async () => {
  assert.equal(await boxOf(), undefined)
})

void test('a margin of about ten kilometres', async () => {
  const box = await boxOf(
    [
      [8, 46],
      [8.2, 46.4],
    ],
    [
      [7.9, 45.9],
      [8, 46],
    ],
  )
  assert.deepEqual(box, { west: 7.755, south: 45.8, east: 8.345, north: 46.5 })
})

void test('on both sides of the antimeridian, and across it', async () => {
  const fiji: readonly Line[] = [
    [
      [179, -17],
      [179.5, -17.2],
    ],
    [
      [-179.8, -16],
      [-179, -16.1],
    ],
  ]
  const expected = { west: 178.895, south: -17.3, east: -178.895, north: -15.9 }
  assert.deepEqual(await boxOf(...fiji), expected)
  assert.deepEqual(
    await boxOf(...fiji, [
      [179.9, -16.5],
      [-179.9, -16.5],
    ]),
    expected,
  )
})

void test('all around the earth', async () => {
  const box = await boxOf(
    [
      [-1, 0],
      [1, 0],
    ],
    [
      [179, 0],
      [-179, 0],
    ],
  )
  assert.deepEqual([box?.west, box?.east], [-180, 180])
})

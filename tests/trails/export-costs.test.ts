// Exports of all trails count in rate limits by their size, for every caller (issue 20, 3).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWaymark } from '../helpers/waymark.ts'

const headers = { 'sec-fetch-site': 'same-origin' }
const points = 40_000

void test('an export of all trails costs by its length, and so does a HEAD, which reports the length', async (t) => {
  const waymark = await startWaymark({ environment: { RATE_LIMIT_FACTOR: '1' } })
  t.after(() => waymark.close())
  const { token } = await waymark.addPerson({ role: 'admin' })
  for (let trailID = 1; trailID <= 4; trailID += 1) {
    const coordinates = Array.from({ length: points }, (_, at) => [7 + at * 1.000_123e-5, 46 + trailID / 10])
    const geometry = { type: 'LineString', coordinates }
    const answer = await waymark.fetch('/v2/trails', {
      method: 'POST',
      token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ trailID, name: `Trail ${trailID}`, geometry }),
    })
    assert.equal(answer.status, 201, await answer.text())
  }
  const ask = async (method: string) => {
    const answer = await waymark.fetch('/v2/trails.geojson', { method, headers })
    const { length } = await answer.arrayBuffer().then((bytes) => new Uint8Array(bytes))
    return { length, left: Number(/;r=(\d+);/.exec(answer.headers.get('ratelimit') ?? '')?.[1]) }
  }
  const head = await ask('HEAD')
  const first = await ask('GET')
  const second = await ask('GET')
  const units = Math.floor(first.length / (2 * 1024 ** 2))
  assert.ok(units > 0, `${first.length} bytes`)
  assert.deepEqual([head.length, second.length], [0, first.length])
  assert.deepEqual([head.left - first.left, first.left - second.left], [1 + units, 1 + units])
  assert.equal(second.left - (await ask('HEAD')).left, 1 + units)
})

void test('the profile of a long line costs by its number of points, until it is cached', async (t) => {
  const waymark = await startWaymark({ environment: { RATE_LIMIT_FACTOR: '1' } })
  t.after(() => waymark.close())
  const { token } = await waymark.addPerson({ role: 'admin' })
  for (const [trailID, count] of [
    [1, 12_000],
    [2, 100],
  ] as const) {
    const coordinates = Array.from({ length: count }, (_, at) => [7 + at * 1e-5, 46, at % 100])
    const answer = await waymark.fetch('/v2/trails', {
      method: 'POST',
      token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        trailID,
        name: `Trail ${trailID}`,
        geometry: { type: 'LineString', coordinates },
      }),
    })
    assert.equal(answer.status, 201, await answer.text())
  }
  const leftAfter = async (path: string): Promise<number> => {
    const answer = await waymark.fetch(path, { headers })
    assert.equal(answer.status, 200, await answer.text())
    return Number(/;r=(\d+);/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
  }
  const before = await leftAfter('/v2/trails/2/profile')
  assert.equal(before - (await leftAfter('/v2/trails/1/profile?again=1')), 1 + 2)
  assert.equal(before - (await leftAfter('/v2/trails/1/profile?again=1')), 1 + 2 + 1)
  assert.equal(before - (await leftAfter('/v2/trails/1/profile?again=2')), 1 + 2 + 1 + 1 + 2)
})

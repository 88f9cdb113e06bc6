// The whole of placing photos as the SDK has it (C56): an offset of the clock that is no number places nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeByTrack } from '../../../src/shared/placing/by-track.ts'
import { placeOnTrack } from '../../../src/shared/placing/place-on-track.ts'
import { clockAt, gpxOf, trackOfGpx, walkNorth } from './placing-helpers.ts'

const start = Date.UTC(2026, 4, 14, 8)
const gpx = gpxOf(walkNorth(start, 600))
const photo = { ...clockAt(start + 5_000), offsetMinutes: 0, hasPosition: false }

void test('an offset that is not a number of seconds is refused', async () => {
  for (const offsetSeconds of [NaN, Infinity, -Infinity, 1e18]) {
    const reading = await placeOnTrack([photo], gpx, { offsetSeconds })
    assert.deepEqual(reading, {
      ok: false,
      fault: {
        code: 'invalid-field',
        detail: 'offsetSeconds must be a number from -999999999 to 999999999.',
      },
    })
  }
  for (const offsetSeconds of [undefined, 0.5, 999_999_999, -999_999_999])
    assert.equal((await placeOnTrack([photo], gpx, { offsetSeconds })).ok, true)
})

void test('a time that is not a number is not on the track', async () => {
  const track = await trackOfGpx(gpx)
  const [place] = placeByTrack([photo], track, { offsetSeconds: NaN, timeZone: 'UTC' })
  assert.notEqual(place?.kind, 'placed')
})

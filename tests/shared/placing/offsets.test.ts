// A camera that was set to another time zone: which offset is suggested, and when none is.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { suggestOffsets } from '../../../src/shared/placing/offsets.ts'
import { clockAt, trackOfFixes, walkNorth } from './placing-helpers.ts'

const start = Date.UTC(2026, 4, 14, 8)
const hour = 3_600
const timeZone = 'UTC'

/** Spread over the whole of a track of eight hours, by a clock that is so many seconds fast. */
const photosOf = (fast: number, count = 40) =>
  Array.from({ length: count }, (_, index) =>
    clockAt(start + (index * 8 * hour * 1_000) / count + fast * 1_000),
  )

void describe('suggested offsets', () => {
  for (const fast of [1, -1, 2, 9, -11, 24, -26, 5.5, -3.5, 5.75, 12.75]) {
    void test(`a clock that is ${fast} hours fast`, async () => {
      const track = await trackOfFixes(walkNorth(start, 8 * hour))
      const [first] = suggestOffsets(photosOf(fast * hour), track, { timeZone })
      assert.deepEqual(first, { offsetSeconds: -fast * hour, placed: 40 })
    })
  }

  void test('an offset already tried is included', async () => {
    const track = await trackOfFixes(walkNorth(start, 8 * hour))
    const [first] = suggestOffsets(photosOf(2 * hour + 47), track, { timeZone, offsetSeconds: -47 })
    assert.deepEqual(first, { offsetSeconds: -2 * hour - 47, placed: 40 })
  })

  void test('there is no suggestion if all photos are on the track, or if no offset helps', async () => {
    const track = await trackOfFixes(walkNorth(start, 8 * hour))
    assert.deepEqual(suggestOffsets(photosOf(0), track, { timeZone }), [])
    assert.deepEqual(suggestOffsets(photosOf(40 * 24 * hour), track, { timeZone }), [])
    assert.deepEqual(suggestOffsets([{}, {}], track, { timeZone }), [])
  })

  void test('a few photos of another day do not cause a suggestion', async () => {
    const track = await trackOfFixes(walkNorth(start, 8 * hour))
    const photos = [...photosOf(0), ...photosOf(30 * hour, 5)]
    assert.deepEqual(suggestOffsets(photos, track, { timeZone }), [])
  })

  void test('quarter hours are suggested only if they place more photos than any whole hour', async () => {
    const track = await trackOfFixes(walkNorth(start, 8 * hour))
    const photos = photosOf(9 * hour).slice(0, 10)
    const offsets = suggestOffsets(photos, track, { timeZone }).map(({ offsetSeconds }) => offsetSeconds)
    // Of a quarter of the track, which seven whole hours would place: those that change the least.
    assert.deepEqual(offsets, [-3 * hour, -4 * hour, -5 * hour])
  })

  void test('no quarter hour is suggested if a whole hour places as many', async () => {
    const track = await trackOfFixes(walkNorth(start, 8 * hour))
    const suggestions = suggestOffsets(photosOf(hour).slice(0, 37), track, { timeZone })
    assert.deepEqual(suggestions, [{ offsetSeconds: -hour, placed: 37 }])
  })

  void test('there is no suggestion for fewer than half of the photos outside the track', async () => {
    const track = await trackOfFixes(walkNorth(start, 8 * hour))
    const at = (hours: number) => clockAt(start + hours * hour * 1_000)
    const onTrack = Array.from({ length: 20 }, (_, index) => at(1 + index / 20))
    const outside = Array.from({ length: 10 }, (_, index) => at(8.5 + index / 2))
    assert.deepEqual(suggestOffsets([...onTrack, ...outside], track, { timeZone }), [])
    // An hour earlier two more lie on it, which are half of four.
    const [first] = suggestOffsets([...onTrack, ...outside.slice(0, 4)], track, { timeZone })
    assert.deepEqual(first, { offsetSeconds: -hour, placed: 22 })
  })

  void test('a photo with a stated offset is shifted in the same way', async () => {
    const track = await trackOfFixes(walkNorth(start, 8 * hour))
    const photos = photosOf(7 * hour).map(({ localTime }) => ({ localTime, offsetMinutes: 300 }))
    assert.deepEqual(suggestOffsets(photos, track, { timeZone: 'Asia/Tokyo' })[0], {
      offsetSeconds: -2 * hour,
      placed: 40,
    })
  })
})

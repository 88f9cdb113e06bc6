// Photos on a track (C56): between two fixes, beside the ends and pauses of it, over the antimeridian; and which tracks are none.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { placeByTrack, type TrackPlacing } from '../../../src/shared/placing/by-track.ts'
import { readTrack, trackLimits, type Track } from '../../../src/shared/placing/track.ts'
import { clockAt, gpxOf, gpxWith, trackOfFixes, trackOfGpx, walkNorth } from './placing-helpers.ts'

const start = Date.UTC(2026, 4, 14, 8)

function placed(placing: TrackPlacing | undefined) {
  assert.equal(placing?.kind, 'placed')
  return placing
}

function outside(placing: TrackPlacing | undefined) {
  assert.equal(placing?.kind, 'outside')
  return placing
}

const placeAt = (track: Track, ...moments: number[]): TrackPlacing[] =>
  placeByTrack(moments.map(clockAt), track, { timeZone: 'UTC' })

void describe('between two fixes', () => {
  void test('a photo is placed in proportion to the time, including its altitude', async () => {
    const track = await trackOfFixes([
      { at: start, lat: 46, lon: 7, ele: 500 },
      { at: start + 40_000, lat: 46.004, lon: 7.008, ele: 520 },
    ])
    const place = placed(placeAt(track, start + 10_000)[0])
    assert.equal(place.lat.toFixed(9), '46.001000000')
    assert.equal(place.lon.toFixed(9), '7.002000000')
    assert.equal(place.altitude, 505)
    assert.equal(place.source, 'track')
    assert.equal(place.secondsFromFix, 10)
    assert.equal(place.timeMs, start + 10_000)
  })

  void test('an impossible altitude is left out, since the server would refuse it', async () => {
    for (const ele of [-20_000, 200_000]) {
      const track = await trackOfFixes([
        { at: start, lat: 46, lon: 7, ele },
        ...walkNorth(start + 10_000, 10),
      ])
      assert.equal('altitude' in placed(placeAt(track, start)[0]), false)
    }
  })

  void test('fractions of a second are used', async () => {
    const track = await trackOfFixes([
      { at: start, lat: 46, lon: 7 },
      { at: start + 1_000, lat: 46.001, lon: 7 },
    ])
    assert.equal(placed(placeAt(track, start + 250)[0]).lat.toFixed(9), '46.000250000')
  })

  void test('at a fix the position is exactly that fix, without altitude if none was recorded', async () => {
    const track = await trackOfFixes([
      { at: start, lat: 46.123456789, lon: 7 },
      { at: start + 10_000, lat: 46.2, lon: 7, ele: 500 },
    ])
    const [first, between, last] = placeAt(track, start, start + 5_000, start + 10_000)
    assert.equal(placed(first).lat, 46.123456789)
    assert.equal(placed(first).altitude, undefined)
    assert.equal(placed(between).altitude, undefined)
    assert.equal(placed(last).altitude, 500)
  })

  void test('over the antimeridian it takes the shorter way, in both directions', async () => {
    const east = await trackOfFixes([
      { at: start, lat: -17, lon: 179.99 },
      { at: start + 40_000, lat: -17, lon: -179.97 },
    ])
    const west = await trackOfFixes([
      { at: start, lat: -17, lon: -179.97 },
      { at: start + 40_000, lat: -17, lon: 179.99 },
    ])
    const lons = [east, west].flatMap((track) =>
      placeAt(track, start + 5_000, start + 20_000).map((placing) => placed(placing).lon.toFixed(6)),
    )
    assert.deepEqual(lons, ['179.995000', '-179.990000', '-179.975000', '-179.990000'])
  })
})

void describe('outside the track', () => {
  void test('photos within 60 seconds of the first or last fix are placed there, later or earlier ones are not', async () => {
    const track = await trackOfFixes(walkNorth(start, 600))
    const end = start + 600_000
    const [early, first, last, late] = placeAt(
      track,
      start - 60_001,
      start - 60_000,
      end + 60_000,
      end + 60_001,
    )
    assert.deepEqual(outside(early), {
      kind: 'outside',
      where: 'before',
      seconds: 60.001,
      timeMs: start - 60_001,
    })
    assert.equal(placed(first).lat, 46)
    assert.equal(placed(last).lat, track.lats[track.count - 1])
    assert.equal(placed(last).secondsFromFix, 60)
    assert.equal(outside(late).where, 'after')
    assert.equal(outside(late).seconds, 60.001)
  })

  for (const [name, joined] of [
    ['a pause within a segment', true],
    ['a pause between two segments', false],
  ] as const) {
    void test(`${name} is outside except for 60 seconds at either end`, async () => {
      const before = walkNorth(start, 600)
      const after = walkNorth(start + 1_200_000, 600, { lat: 46.1 })
      const track = await (joined ? trackOfFixes([...before, ...after]) : trackOfFixes(before, after))
      const [left, lost, waiting, found, back] = placeAt(
        track,
        ...[660_000, 660_001, 900_000, 1_139_999, 1_140_000].map((ms) => start + ms),
      )
      assert.equal(placed(left).secondsFromFix, 60)
      assert.equal(outside(lost).where, 'pause')
      assert.equal(outside(waiting).seconds, 300)
      assert.equal(outside(found).seconds, 60.001)
      assert.equal(placed(back).secondsFromFix, 60)
    })
  }

  void test('next to a pause of more than half an hour the nearer fix is used', async () => {
    const track = await trackOfFixes([
      { at: start, lat: 46, lon: 7 },
      { at: start + 7_200_000, lat: 46.5, lon: 8 },
    ])
    const [first, last] = placeAt(track, start + 60_000, start + 7_140_000)
    assert.deepEqual([placed(first).lat, placed(first).lon], [46, 7])
    assert.deepEqual([placed(last).lat, placed(last).lon], [46.5, 8])
  })

  void test('no photo is placed more than 60 seconds from a fix', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: -300, max: 4_300 }),
        async (seconds, photo) => {
          const fixes = seconds.map((second) => ({ at: start + second * 1_000, lat: 46, lon: 7 }))
          const nearest = Math.min(...seconds.map((second) => Math.abs(second - photo)))
          const [placing] = placeAt(await trackOfFixes(fixes), start + photo * 1_000)
          assert.equal(placing?.kind, nearest > 60 ? 'outside' : 'placed')
          if (placing.kind === 'outside') assert.equal(placing.seconds, nearest)
        },
      ),
    )
  })

  void test('a photo without a valid time is reported as such', async () => {
    const track = await trackOfFixes(walkNorth(start, 60))
    const photos = [{}, { localTime: '' }, { localTime: '2026-02-30' }, { localTime: '2026-13-01T00:00:00' }]
    const placings = placeByTrack(photos, track, { timeZone: 'UTC' })
    assert.deepEqual(
      placings,
      photos.map(() => ({ kind: 'no-time' })),
    )
  })
})

void describe('reading the track', () => {
  void test('a track without times is refused in one sentence', async () => {
    const detail = 'The file contains no times, so photos cannot be placed by it.'
    const bodies = ['', '<trk/>', '<trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk>']
    for (const body of bodies) {
      const reading = await readTrack(gpxWith(body))
      assert.deepEqual(reading, { ok: false, fault: { code: 'invalid-field', detail } })
    }
  })

  void test('a file that is not GPX is refused as everywhere', async () => {
    const reading = await readTrack('<kml/>')
    assert.match(reading.ok ? '' : reading.fault.detail, /The root element is kml, not gpx/)
  })

  void test('a file that is too large is refused before it is read', async () => {
    const reading = await readTrack(new Uint8Array(trackLimits.maxBytes + 1))
    assert.match(reading.ok ? '' : reading.fault.detail, /^The file is longer than 64 MiB/)
  })

  void test('a file’s bytes are read in their own encoding', async () => {
    const bytes = Buffer.from(`\u{feff}${gpxOf(walkNorth(start, 60))}`, 'utf16le')
    assert.equal((await trackOfGpx(bytes)).count, 7)
  })

  void test('points without a time are skipped', async () => {
    const gpx = gpxOf(walkNorth(start, 60)).replace('<trkpt', '<trkpt lat="0" lon="0"/><trkpt')
    assert.equal((await trackOfGpx(gpx)).count, 7)
  })

  void test('segments and fixes are sorted by time', async () => {
    const [first, second] = [walkNorth(start, 300), walkNorth(start + 600_000, 300, { lat: 47 })]
    const track = await trackOfFixes(second.toReversed(), first)
    assert.deepEqual(track.times, track.times.toSorted())
    assert.equal(track.count, first.length + second.length)
    assert.equal(placed(placeAt(track, start)[0]).lat, 46)
  })

  void test('of two receivers recording at the same time the one that started first is used while it records', async () => {
    const one = walkNorth(start, 600, { every: 60 })
    const other = walkNorth(start + 5_000, 3_600, { every: 7, lon: 8 })
    for (const track of [await trackOfFixes(one, other), await trackOfFixes(other, one)]) {
      const [during, afterwards] = placeAt(track, start + 90_000, start + 1_800_000)
      assert.equal(placed(during).lon, 7.5)
      assert.equal(placed(afterwards).lon, 8)
    }
  })

  void test('a fix with a wrong year does not hide the others', async () => {
    const wrong = { at: '2080-01-01T00:00:00Z', lat: 46, lon: 7 }
    const track = await trackOfFixes([...walkNorth(start, 60), wrong], walkNorth(start + 600_000, 60))
    assert.equal(track.count, 15)
    assert.equal(placed(placeAt(track, start + 630_000)[0]).secondsFromFix, 0)
  })

  void test('of two fixes with the same time the last is used', async () => {
    const track = await trackOfFixes([
      { at: start, lat: 46, lon: 7 },
      { at: start, lat: 46.5, lon: 7 },
      { at: start + 10_000, lat: 47, lon: 7 },
    ])
    assert.equal(track.count, 2)
    assert.equal(placed(placeAt(track, start)[0]).lat, 46.5)
    assert.equal(placed(placeAt(track, start + 5_000)[0]).lat, 46.75)
  })
})

// The camera's clock in the track's time zone (C56): zones of every hour and three odd ones, and the hours that a change skips
// or repeats; every zone is compared with Temporal, which reads them in the same way.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { zoneOf } from '../../../src/shared/geo/time-zones.ts'
import { createZone } from '../../../src/shared/geo/zone-clock.ts'
import { placeByTrack } from '../../../src/shared/placing/by-track.ts'
import { comparableTimes, correctedTimestamp, momentOf } from '../../../src/shared/placing/camera-time.ts'
import { timeZoneFor, timeZoneOf } from '../../../src/shared/placing/track-zone.ts'
import { clockAt, trackOfFixes, walkNorth } from './placing-helpers.ts'

/** Hours ahead of UTC in January 2026, and a place where clocks show that. */
const places: readonly (readonly [hours: number, name: string, lat: number, lon: number])[] = [
  [-11, 'Pago Pago', -14.28, -170.7],
  [-10, 'Honolulu', 21.31, -157.86],
  [-9, 'Anchorage', 61.22, -149.9],
  [-8, 'Los Angeles', 34.05, -118.24],
  [-7, 'Denver', 39.74, -104.99],
  [-6, 'San José', 9.93, -84.08],
  [-5, 'Lima', -12.05, -77.04],
  [-4, 'La Paz', -16.5, -68.15],
  [-3, 'Buenos Aires', -34.6, -58.38],
  [-2, 'Fernando de Noronha', -3.85, -32.42],
  [-1, 'Praia', 14.93, -23.51],
  [0, 'Reykjavík', 64.15, -21.94],
  [1, 'Bern', 46.95, 7.45],
  [2, 'Johannesburg', -26.2, 28.05],
  [3, 'Nairobi', -1.29, 36.82],
  [4, 'Dubai', 25.2, 55.27],
  [5, 'Karachi', 24.86, 67.01],
  [6, 'Bishkek', 42.87, 74.59],
  [7, 'Bangkok', 13.75, 100.5],
  [8, 'Perth', -31.95, 115.86],
  [9, 'Tokyo', 35.68, 139.69],
  [10, 'Brisbane', -27.47, 153.03],
  [11, 'Honiara', -9.43, 159.95],
  [12, 'Suva', -18.14, 178.44],
  [5.5, 'Delhi', 28.61, 77.21],
  [5.75, 'Kathmandu', 27.72, 85.32],
  [13.75, 'Chatham', -43.95, -176.55],
]

void describe('27 time zones', () => {
  for (const [hours, name, lat, lon] of places) {
    void test(`${name}: a clock ${hours} hours ahead of UTC`, async () => {
      const start = Date.UTC(2026, 0, 15, 20)
      const track = await trackOfFixes(walkNorth(start, 3_600, { lat, lon }))
      const photos = [0, 600, 1_805, 3_600].map((seconds) =>
        clockAt(start + hours * 3_600_000 + seconds * 1_000),
      )
      const timeZone = await timeZoneFor(photos, track)
      assert.equal(timeZone, await timeZoneOf(track))
      const moments = placeByTrack(photos, track, { timeZone }).map((placing) =>
        placing.kind === 'placed' ? (placing.timeMs - start) / 1_000 : placing,
      )
      assert.deepEqual(moments, [0, 600, 1_805, 3_600])
    })
  }

  void test('no place is mistaken for one across the date line, a day away', () => {
    const beside: readonly (readonly [name: string, lat: number, lon: number, zone: string])[] = [
      ['Pago Pago', -14.28, -170.7, 'Pacific/Pago_Pago'],
      ['Apia', -13.83, -171.76, 'Pacific/Apia'],
      ['Fakaofo', -9.38, -171.25, 'Pacific/Fakaofo'],
      ['Swains Island', -11.06, -171.08, 'Pacific/Pago_Pago'],
      ['Gambell', 63.78, -171.74, 'America/Nome'],
      ['Little Diomede', 65.757, -168.93, 'America/Nome'],
      ['Uelen', 66.16, -169.8, 'Asia/Anadyr'],
      ['Lavrentiya', 65.58, -171.01, 'Asia/Anadyr'],
    ]
    for (const [name, lat, lon, zone] of beside)
      assert.equal(zoneOf({ lat: String(lat), lon: String(lon) }), zone, name)
  })

  void test('a stated offset takes precedence over the place, and no time zone table is loaded', async () => {
    const start = Date.UTC(2026, 0, 15, 20)
    const track = await trackOfFixes(walkNorth(start, 3_600))
    const photos = [{ ...clockAt(start + 9 * 3_600_000), offsetMinutes: 540 }, {}]
    const timeZone = await timeZoneFor(photos, track)
    assert.equal(timeZone, 'UTC')
    const [placing] = placeByTrack(photos, track, { timeZone })
    assert.equal(placing?.kind === 'placed' && placing.timeMs, start)
  })
})

const utc = (timeZone: string, localTime: string, offsetSeconds = 0): string =>
  new Date(momentOf({ localTime }, createZone(timeZone), offsetSeconds) ?? NaN).toISOString()

void describe('where clocks change', () => {
  const changes: readonly (readonly [zone: string, local: string, utc: string])[] = [
    ['Europe/Zurich', '2026-03-29T01:59:59', '2026-03-29T00:59:59'],
    ['Europe/Zurich', '2026-03-29T02:30:00', '2026-03-29T01:30:00'], // skipped
    ['Europe/Zurich', '2026-03-29T03:00:00', '2026-03-29T01:00:00'],
    ['Europe/Zurich', '2026-10-25T01:59:59', '2026-10-24T23:59:59'],
    ['Europe/Zurich', '2026-10-25T02:30:00', '2026-10-25T00:30:00'], // repeated
    ['Europe/Zurich', '2026-10-25T03:00:00', '2026-10-25T02:00:00'],
    ['America/New_York', '2026-03-08T02:30:00', '2026-03-08T07:30:00'],
    ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00'],
    ['Pacific/Chatham', '2026-04-05T03:00:00', '2026-04-04T13:15:00'],
    ['Pacific/Chatham', '2026-04-05T03:45:00', '2026-04-04T15:00:00'],
    ['Pacific/Chatham', '2026-09-27T02:50:00', '2026-09-26T14:05:00'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00'], // by half an hour
    ['Pacific/Apia', '2011-12-30T12:00:00', '2011-12-30T22:00:00'], // by a whole day
  ]
  for (const [zone, local, expected] of changes) {
    void test(`${zone} at ${local}`, () => assert.equal(utc(zone, local), `${expected}.000Z`))
  }

  void test('the seconds are added to the local time, not to the instant', () => {
    assert.equal(utc('Europe/Zurich', '2026-03-29T01:30:00', 3_600), '2026-03-29T01:30:00.000Z')
    assert.equal(utc('Europe/Zurich', '2026-03-29T01:30:00', 7_200), '2026-03-29T01:30:00.000Z')
  })

  void test('photos throughout both nights are placed where they were taken', async () => {
    for (const [start, skipped] of [
      [Date.UTC(2026, 2, 28, 23), 0],
      [Date.UTC(2026, 9, 24, 22), 0],
    ] as const) {
      const track = await trackOfFixes(walkNorth(start, 5 * 3_600, { every: 30 }))
      const timeZone = await timeZoneOf(track)
      const offsets = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
      const moments = Array.from({ length: 30 }, (_, index) => start + index * 600_000)
      const photos = moments.map((ms) => ({ localTime: offsets.format(ms).replace(' ', 'T') }))
      const wrong = placeByTrack(photos, track, { timeZone }).filter(
        (placing, at) => placing.kind !== 'placed' || placing.timeMs !== moments[at],
      )
      // Of an hour that the clocks show twice, nobody can tell the second from the first.
      assert.equal(wrong.length, start === Date.UTC(2026, 9, 24, 22) ? 6 : skipped)
    }
  })

  void test('every time zone of the world agrees with Temporal', () => {
    const zones = Intl.supportedValuesOf('timeZone')
    assert.ok(zones.length > 400, `only ${zones.length} zones`)
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(1971, 0, 1), max: Date.UTC(2037, 0, 1) }),
        (zone, ms) => {
          const localTime = new Date(ms).toISOString().slice(0, -1)
          const expected = Temporal.PlainDateTime.from(localTime).toZonedDateTime(zone, {
            disambiguation: 'compatible',
          })
          assert.equal(utc(zone, localTime), new Date(expected.epochMilliseconds).toISOString())
        },
      ),
      { numRuns: 1_000 },
    )
  })

  void test('and does so around every change of every zone in 2026', () => {
    let changes = 0
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      let at = Temporal.Instant.from('2026-01-01T00:00:00Z').toZonedDateTimeISO(zone)
      for (;;) {
        const next = at.getTimeZoneTransition('next')
        if (next === null || next.year > 2026) break
        at = next
        changes += 1
        for (const minutes of [-125, -61, -60, -31, -30, -1, 0, 1, 29, 30, 59, 60, 61, 125]) {
          const local = at.toPlainDateTime().add({ minutes })
          const expected = local.toZonedDateTime(zone, { disambiguation: 'compatible' })
          assert.equal(
            utc(zone, local.toString({ smallestUnit: 'second' })),
            new Date(expected.epochMilliseconds).toISOString(),
            `${zone} ${local.toString()}`,
          )
        }
      }
    }
    assert.ok(changes > 200, `only ${changes} changes`)
  })
})

void describe('times of photos', () => {
  void test('a corrected time is given in the offset in which the clock was read', () => {
    const zone = createZone('Asia/Kathmandu')
    const own = { localTime: '2026-05-14T09:08:07.120', offsetMinutes: -210 }
    const photo = { localTime: '2026-05-14T09:08:07' }
    const reported = [own, photo].map((one) =>
      correctedTimestamp(one, momentOf(one, zone, 3_600) ?? NaN, 3_600),
    )
    assert.deepEqual(reported, ['2026-05-14T10:08:07.120-03:30', '2026-05-14T10:08:07+05:45'])
  })

  void test('photos are compared by instant if all state their offset, otherwise by local time', () => {
    const [early, late] = [
      { localTime: '2026-05-14T09:00:00', offsetMinutes: 120 },
      { localTime: '2026-05-14T08:30:00', offsetMinutes: 60 },
    ]
    const inOrder = (...photos: object[]): boolean => {
      const [one = NaN, other = NaN] = comparableTimes(photos)
      return one < other
    }
    assert.equal(inOrder(early, late), true)
    assert.equal(inOrder(early, { localTime: late.localTime }), false)
  })
})

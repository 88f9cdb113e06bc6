// Zones of places, and offsets of clocks: 24 whole hours, the odd ones, and both edges of summer time (contract C42).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createZoneClock, zoneOf } from '../../../src/shared/geo/time-zones.ts'
import { takenFrom, writeTaken } from '../../../src/shared/taken.ts'

const noon = '2026-01-15T12:00:00'

/** Places whose clock is ahead of UTC by these minutes on 15 January. */
const places: readonly (readonly [name: string, lat: string, lon: string, minutes: number])[] = [
  ['Midway', '28.2', '-177.37', -660],
  ['Honolulu', '21.31', '-157.86', -600],
  ['Anchorage', '61.2', '-149.9', -540],
  ['Los Angeles', '34.05', '-118.24', -480],
  ['Denver', '39.74', '-104.99', -420],
  ['Chicago', '41.88', '-87.63', -360],
  ['New York', '40.71', '-74', -300],
  ['San Juan', '18.4', '-66.1', -240],
  ['Buenos Aires', '-34.6', '-58.4', -180],
  ['Noronha', '-3.85', '-32.42', -120],
  ['Cabo Verde', '15.1', '-23.6', -60],
  ['Lisbon', '38.72', '-9.14', 0],
  ['Zurich', '47.37', '8.54', 60],
  ['Cairo', '30.04', '31.24', 120],
  ['Nairobi', '-1.29', '36.82', 180],
  ['Dubai', '25.2', '55.27', 240],
  ['Karachi', '24.86', '67.01', 300],
  ['Dhaka', '23.81', '90.41', 360],
  ['Bangkok', '13.76', '100.5', 420],
  ['Perth', '-31.95', '115.86', 480],
  ['Tokyo', '35.68', '139.69', 540],
  ['Brisbane', '-27.47', '153.03', 600],
  ['Guadalcanal', '-9.43', '159.95', 660],
  ['Fiji', '-17.8', '177.97', 720],
  ['India', '28.61', '77.21', 330],
  ['Nepal', '27.72', '85.32', 345],
  ['Chatham', '-43.95', '-176.55', 825],
]

void test('27 time zones: 24 whole hours, India, Nepal and Chatham', () => {
  assert.equal(new Set(places.map(([, , , minutes]) => minutes)).size, 27)
  for (const [name, lat, lon, minutes] of places) {
    const clock = createZoneClock(zoneOf({ lat, lon }))
    assert.equal(clock(noon), minutes, name)
  }
})

/** Zone, what the clock shows, the minutes that hold: before a change those before it, and in it too. */
const edges: readonly (readonly [zone: string, local: string, minutes: number])[] = [
  ['Europe/Zurich', '2026-03-29T01:59:59.999', 60],
  ['Europe/Zurich', '2026-03-29T02:00:00', 60],
  ['Europe/Zurich', '2026-03-29T02:59:59', 60],
  ['Europe/Zurich', '2026-03-29T03:00:00', 120],
  ['Europe/Zurich', '2026-10-25T01:59:59', 120],
  ['Europe/Zurich', '2026-10-25T02:00:00', 120],
  ['Europe/Zurich', '2026-10-25T02:59:59', 120],
  ['Europe/Zurich', '2026-10-25T03:00:00', 60],
  ['America/New_York', '2026-03-08T02:30:00', -300],
  ['America/New_York', '2026-03-08T03:00:00', -240],
  ['America/New_York', '2026-11-01T01:30:00', -240],
  ['America/New_York', '2026-11-01T02:00:00', -300],
  ['Australia/Lord_Howe', '2026-04-05T01:45:00', 660],
  ['Australia/Lord_Howe', '2026-04-05T02:00:00', 630],
  ['Australia/Lord_Howe', '2026-10-04T02:15:00', 630],
  ['Australia/Lord_Howe', '2026-10-04T02:30:00', 660],
  ['Pacific/Chatham', '2026-04-05T03:00:00', 825],
  ['Pacific/Chatham', '2026-04-05T03:45:00', 765],
  ['Pacific/Chatham', '2026-09-27T03:00:00', 765],
  ['Pacific/Apia', '2011-12-29T23:00:00', -600],
  ['Pacific/Apia', '2011-12-31T01:00:00', 840],
  ['Asia/Kathmandu', '1985-12-31T23:59:00', 330],
  ['Asia/Kathmandu', '1986-01-01T00:20:00', 345],
  ['Etc/GMT+10', noon, -600],
  ['UTC', noon, 0],
]

for (const [zone, local, minutes] of edges)
  void test(`${zone}: a clock that shows ${local} is ${minutes} minutes ahead`, () => {
    assert.equal(createZoneClock(zone)(local), minutes)
  })

void test('every half hour of a year is found by its local time, except those that occur twice', () => {
  for (const zone of ['Europe/Zurich', 'Australia/Lord_Howe']) {
    const clock = createZoneClock(zone)
    const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    let shownTwice = 0
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 1_800_000) {
      const local = format.format(at).replace(' ', 'T')
      if (Date.parse(`${local}Z`) - clock(local) * 60_000 !== at) shownTwice += 1
    }
    assert.equal(shownTwice, zone === 'Australia/Lord_Howe' ? 1 : 2, zone)
  }
})

void test('a stated offset takes precedence over the place, and the place over the site', () => {
  const localTime = '2026-05-14T23:08:07.120'
  const nepal = { lat: '27.72', lon: '85.32' }
  const write = (...sent: Parameters<typeof takenFrom>): string | undefined => {
    const taken = takenFrom(...sent)
    return taken && `${writeTaken(taken)} ${taken.zone}`
  }
  assert.equal(
    write({ localTime, offsetMinutes: -210 }, nepal, 'Asia/Tokyo'),
    '2026-05-14T23:08:07.120-03:30 stated',
  )
  assert.equal(write({ localTime }, nepal, 'Asia/Tokyo'), '2026-05-14T23:08:07.120+05:45 position')
  assert.equal(write({ localTime }, undefined, 'Asia/Tokyo'), '2026-05-14T23:08:07.120+09:00 site')
  assert.equal(write({ localTime }, null, 'UTC'), '2026-05-14T23:08:07.120+00:00 site')
  assert.equal(write({ offsetMinutes: 60 }, nepal, 'UTC'), undefined)
})

// When a photo was taken as people read it, the months of the scrubber, the order along a trail, and the cone of a camera.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conePath } from '../../web/map/cone-path.ts'
import { barsOf, indexOfMonth } from '../../web/pages/gallery/months.ts'
import { ordersOf } from '../../web/pages/gallery/gallery-orders.ts'
import {
  compassPoint,
  formatMonth,
  formatTakenAgo,
  formatTakenAt,
  formatTakenDay,
} from '../../web/ui/taken.ts'

void test('a time is shown in local time where it was taken, with its UTC offset, wherever the reader is', () => {
  const spaced = (takenAt: string): string => formatTakenAt(takenAt).replaceAll(/[\u202F\u00A0]/g, ' ')
  assert.equal(spaced('2026-05-14T09:08:07.123+02:00'), 'May 14, 2026, 9:08 AM (UTC+2)')
  assert.equal(spaced('2026-05-14T23:59:59-03:30'), 'May 14, 2026, 11:59 PM (UTC−3:30)')
  assert.equal(spaced('2026-01-01T00:00:00+00:00'), 'Jan 1, 2026, 12:00 AM (UTC)')
  assert.equal(formatTakenDay('2026-05-14'), 'May 14, 2026')
  assert.equal(formatMonth('2026-05'), 'May 2026')
})

void test('how long ago is counted by the calendar', () => {
  const now = new Date(2026, 10, 26, 8, 0)
  const ago = (takenOn: string): string | undefined => formatTakenAgo(takenOn, now)
  assert.equal(ago('2026-11-26'), 'today')
  assert.equal(ago('2026-11-27'), 'today', 'further east it is tomorrow already')
  for (const later of ['2026-11-28', '2026-12-26', '2027-11-26', '2036-01-01'])
    assert.equal(ago(later), undefined, later)
  assert.equal(ago('2026-11-25'), 'yesterday')
  assert.equal(ago('2026-10-27'), '30 days ago')
  assert.equal(ago('2026-10-26'), 'last month')
  assert.equal(ago('2025-11-27'), '11 months ago')
  assert.equal(ago('2025-11-26'), 'last year')
  assert.equal(ago('2023-11-27'), '2 years ago')
  assert.equal(ago('2023-11-26'), '3 years ago')
})

void test('compass points: each is in the middle of its eighth', () => {
  assert.deepEqual([0, 22, 23, 90, 200, 337, 338, 360].map(compassPoint), [0, 0, 1, 2, 4, 7, 0, 0])
})

const months = [
  { month: '2023-08', images: 1 },
  { month: '2024-05', images: 40 },
  { month: '2024-07', images: 20 },
  { month: '2026-01', images: 10 },
]

void test('bars: the fullest month is the highest, none is invisible, and years are labelled as space allows', () => {
  const bars = barsOf(months, 10)
  assert.deepEqual(
    bars.map(({ height }) => height),
    [0.12, 1, 0.5, 0.25],
  )
  const yearsIn = (maxYears: number) => barsOf(months, maxYears).map(({ year }) => year)
  assert.deepEqual(yearsIn(10), ['2023', '2024', undefined, '2026'])
  assert.deepEqual(yearsIn(2), ['2023', undefined, undefined, '2026'])
  assert.deepEqual(barsOf([], 3), [])
})

void test('for a month without photos the next one that has some is used', () => {
  const at = (from: string | undefined) => indexOfMonth(months, from)
  assert.deepEqual(
    [undefined, '2020-01', '2023-08', '2023-09', '2026-01', '2027-01'].map(at),
    [0, 0, 0, 1, 3, 3],
  )
  assert.equal(indexOfMonth([], '2027-01'), 0)
})

void test('the order along the trail is offered if there is a line, however many photos; by date taken if dates are shown', () => {
  const coordinates = [
    [7, 46],
    [7.02, 46.01],
  ]
  const geometry = { type: 'LineString', coordinates } as const
  assert.deepEqual(ordersOf({ geometry }, true), ['posted', 'taken', 'along'])
  assert.deepEqual(ordersOf({ geometry: null }, true), ['posted', 'taken'])
  assert.deepEqual(ordersOf({ geometry }, false), ['posted', 'along'])
  assert.deepEqual(ordersOf({ geometry: null }, false), ['posted'])
})

void test('the cone points north before it is rotated, and leaves the point uncovered', () => {
  const path = conePath(48)
  const heights = [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, , y]) => Number(y))
  assert.ok(
    heights.every((y) => y < 48 - 6),
    path,
  )
})

// Moments as people say them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAgo } from '../../web/ui/format.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

void test('a relative time uses the largest unit that it rounds to: never 60 minutes, 24 hours or 7 days', () => {
  const reported = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
  const cases = [
    [-20_000, 0, 'second'],
    [-minute, -1, 'minute'],
    [-59.4 * minute, -59, 'minute'],
    [-59.6 * minute, -1, 'hour'],
    [-23.4 * hour, -23, 'hour'],
    [-23.8 * hour, -1, 'day'],
    [6.99 * day, 1, 'week'],
    [5 * day, 5, 'day'],
    [364.9 * day, 1, 'year'],
  ] as const
  for (const [ms, count, unit] of cases)
    assert.equal(formatAgo(ms, 0), reported.format(count, unit), `${ms} ${unit}`)
})

// Ranges in the address of the list of public routes: what is one, and those that people of each unit choose from.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ascentRanges, distanceRanges, readRange } from '../../web/pages/routes/public/ranges.ts'
import { sketchOfLines } from '../../web/pages/routes/sketch.ts'

void test('a range has two ends, of which one may be missing', () => {
  assert.deepEqual(readRange('5-10'), { min: 5, max: 10 })
  assert.deepEqual(readRange(' -3.107 '), { min: undefined, max: 3.107 })
  assert.deepEqual(readRange('0-'), { min: 0, max: undefined })
  for (const wrong of ['', '-', '5', '--', '5-x', '-5-', '1e3-', '5.-6', undefined, 5, ['5-6']])
    assert.equal(readRange(wrong), undefined, String(wrong))
})

void test('the offered ranges cover everything without gaps, in round numbers of the reader’s units', () => {
  for (const ranges of [distanceRanges, ascentRanges]) {
    for (const units of ['miles', 'kilometres'] as const) {
      const read = ranges(units).map(readRange)
      assert.equal(read[0]?.min, undefined)
      assert.equal(read.at(-1)?.max, undefined)
      for (const [at, range] of read.slice(1).entries()) assert.equal(range?.min, read[at]?.max)
    }
  }
  assert.deepEqual(distanceRanges('miles'), ['-3', '3-6', '6-12', '12-20', '20-'])
  const [first] = distanceRanges('kilometres')
  assert.ok(Math.abs((readRange(first)?.max ?? 0) * 1.609344 - 5) < 0.001)
})

void test('the lines of a list are drawn separately, and no lines give no drawing', () => {
  const lines = [
    [
      [7, 46],
      [7.01, 46.01],
    ],
    [
      [7.02, 46],
      [7.03, 46.01],
    ],
  ]
  const paths = sketchOfLines(lines)
  assert.equal(paths.length, 2)
  assert.ok(
    paths.every((path) => /^M[\d.]+ [\d.]+L[\d.]+ [\d.]+$/.test(path)),
    paths.join('\n'),
  )
  assert.deepEqual(sketchOfLines([]), [])
})

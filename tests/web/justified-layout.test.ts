// Rows of photos: they fill the width, nothing shown moves when more come, and what is to come is expected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectRows, layOut, ratioOf } from '../../web/pages/gallery/justified-layout.ts'

const options = { widthPx: 1_000, minHeightPx: 150, gapPx: 8 } as const
const many = Array.from({ length: 500 }, (_, at) => [1.5, 0.75, 1, 1.333, 2.2][at % 5] ?? 1)

test('every row but the last fills the width to the pixel, including gaps', () => {
  const rows = layOut(many, options)
  for (const { widthsPx } of rows.slice(0, -1)) {
    const across = widthsPx.reduce((sum, width) => sum + width, 0) + (widthsPx.length - 1) * options.gapPx
    assert.equal(across, options.widthPx)
  }
  assert.deepEqual(
    rows.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at)),
    many.map((_, at) => at),
  )
})

test('rows are a little higher than the minimum, and photos keep their aspect ratio', () => {
  for (const { from, heightPx, widthsPx } of layOut(many, options).slice(0, -1)) {
    assert.ok(heightPx >= 150 && heightPx <= 255, `${heightPx} px`)
    for (const [at, width] of widthsPx.entries()) {
      const ratio = many[from + at] ?? 0
      assert.ok(Math.abs(width - ratio * heightPx) <= 3, `${width} px at ${heightPx} px for ${ratio}`)
    }
  }
})

test('a last row that is not full has the minimum height', () => {
  assert.deepEqual(layOut([1, 1.5], options), [{ from: 0, to: 2, heightPx: 150, widthsPx: [150, 225] }])
})

test('while more photos will come, those that do not fill a row wait, so that shown photos do not move', () => {
  const before = layOut(many.slice(0, 203), { ...options, isOpenEnded: true })
  const after = layOut(many, { ...options, isOpenEnded: true })
  assert.deepEqual(after.slice(0, before.length), before)
  assert.equal(layOut([1], { ...options, isOpenEnded: true }).length, 0)
})

test('a tall photo alone in its row is cropped, and does not fill the window', () => {
  const [alone] = layOut([0.5, 3, 3], { ...options, widthPx: 500 })
  assert.deepEqual(alone, { from: 0, to: 1, heightPx: 255, widthsPx: [500] })
})

test('extreme aspect ratios are limited to what a row can hold', () => {
  assert.equal(ratioOf({ width: 20_000, height: 10 }), 3)
  assert.equal(ratioOf({ width: 1, height: 9_999 }), 0.4)
  assert.equal(ratioOf({ width: 0, height: 0 }), 1)
})

test('rows still to come are estimated from the existing ones', () => {
  const rows = layOut(many, { ...options, isOpenEnded: true })
  const whole = layOut([...many, ...many, ...many], options)
  const { rows: expected, heightPx } = expectRows(rows, many.length * 3 - (rows.at(-1)?.to ?? 0), 150)
  assert.ok(Math.abs(rows.length + expected - whole.length) <= 2)
  assert.ok(heightPx >= 150 && heightPx <= 255)
  assert.equal(expectRows(rows, 0, 150).rows, 0)
})

// Property tests of the position rule with fast-check: round trips and arbitrary input.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { orientationFrom, positionFrom } from '../../src/shared/formats/gps.ts'
import { buildTiff, gpsEntries } from '../helpers/exif-fixtures.ts'
import { exif, position } from '../helpers/gps-cases.ts'

void test('any position written in degrees, minutes and seconds is read back as the same text', () => {
  const units = (max: number) => fc.integer({ min: -max, max: max })
  fc.assert(
    fc.property(
      units(900_000_000),
      units(1_800_000_000),
      fc.constantFrom('II', 'MM'),
      (lat, lon, byteOrder) => {
        fc.pre(lat !== 0 || lon !== 0)
        const tiff = buildTiff({ byteOrder, gps: gpsEntries(lat / 1e7, lon / 1e7) })
        const plain = (value: number): string =>
          value
            .toFixed(7)
            .replace(/\.?0+$/, '')
            .replace(/^-0$/, '0')
        assert.deepEqual(positionFrom([exif(tiff)]), { lat: plain(lat / 1e7), lon: plain(lon / 1e7) })
      },
    ),
    { numRuns: 2_000 },
  )
})

void test('any three rationals give a plain number within half a unit of the true value, or no position', () => {
  const rational = fc.tuple(fc.nat(4_294_967_295), fc.nat(4_294_967_295))
  const small = fc.tuple(fc.nat(60), fc.constantFrom(1, 7))
  const parts = fc.array(fc.oneof(rational, small), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(parts, (lat) => {
      const text = position({ lat })?.lat
      if (text === undefined) return
      assert.match(text, /^(?:0|[1-9]\d?)(?:\.\d{0,6}[1-9])?$/)
      const value = ([numerator, denominator]: readonly [number, number]): number =>
        denominator === 0 ? 0 : numerator / denominator
      const truth = lat.reduce((sum, part, index) => sum + value(part) / 60 ** index, 0)
      assert.ok(Math.abs(Number(text) - truth) <= 0.5e-7 + 1e-12, `${text} for ${truth}`)
    }),
    { numRuns: 2_000 },
  )
})

void test('any bytes in any blocks give a position in range, or no position', () => {
  const block = fc.record({ kind: fc.constantFrom('exif', 'xmp'), bytes: fc.uint8Array({ maxLength: 200 }) })
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), (blocks) => {
      const position = positionFrom(blocks)
      assert.ok(position === undefined || Math.abs(Number(position.lat)) <= 90)
      assert.ok(orientationFrom(blocks) >= 1 && orientationFrom(blocks) <= 8)
    }),
    { numRuns: 1_000 },
  )
})

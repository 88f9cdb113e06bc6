// The dHash: variants of a picture are near, other pictures are not; and the bands find everything near.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import sharp from 'sharp'
import { bandsOf, bitsApart, nearBands, nearBits, noBands, type Bands } from '../../src/shared/dhash.ts'
import { readConfig } from '../../src/settings/config.ts'
import { dhashOf } from '../../src/imaging/dhash.ts'
import { examine } from '../../src/imaging/examine.ts'
import { imageLimitsFrom } from '../../src/imaging/image-limits.ts'
import { landscape } from '../helpers/landscapes.ts'
import { transparentPng } from '../helpers/pictures.ts'

const limits = imageLimitsFrom(readConfig({}))

async function hashOf(bytes: Uint8Array): Promise<Bands> {
  const outcome = await examine(bytes, limits)
  assert.ok(outcome.ok)
  assert.match(outcome.examined.dhash, /^[0-9a-f]{16}$/)
  return bandsOf(outcome.examined.dhash)
}

void test('each bit of the hash says whether the next pixel is brighter', () => {
  const grey = (data: Uint8Array) => dhashOf({ data, width: 9, height: 8, channels: 1 })
  const rising = Uint8Array.from({ length: 72 }, (_none, index) => index % 9)
  assert.equal(grey(rising), 'f'.repeat(16))
  assert.equal(grey(rising.map((value) => 8 - value)), '0'.repeat(16))
  assert.equal(grey(new Uint8Array(72)), '0'.repeat(16))
  const one = new Uint8Array(72)
  one[9 + 8] = 1 // the last of the second row
  assert.equal(grey(one), '0001000000000000')
})

void test('every pixel format, and the smallest image, has a hash', () => {
  const across = (channels: 1 | 2 | 3 | 4, pixelOf: (x: number) => readonly number[]) => {
    const row = Array.from({ length: 18 }, (_none, x) => pixelOf(x)).flat()
    const data = Uint8Array.from({ length: row.length * 16 }, (_none, at) => row[at % row.length] ?? 0)
    return dhashOf({ data, width: 18, height: 16, channels })
  }
  const up = 'f'.repeat(16)
  assert.equal(
    across(1, (x) => [x * 10]),
    up,
  )
  assert.equal(
    across(2, (x) => [x * 10, 200]),
    up,
  )
  assert.equal(
    across(3, (x) => [x * 5, x * 10, x]),
    up,
  )
  assert.equal(
    across(4, (x) => [x * 5, x * 10, x, 255]),
    up,
  )
  assert.equal(
    across(4, (x) => [0, 0, 0, 255 - x * 10]),
    up,
    'what is transparent counts as white',
  )
  assert.equal(dhashOf({ data: Uint8Array.of(7), width: 1, height: 1, channels: 1 }), '0'.repeat(16))
  assert.match(dhashOf({ data: Uint8Array.of(0, 255), width: 2, height: 1, channels: 1 }), /^[0-9a-f]{16}$/)
})

void test('a photo saved again, scaled down, brightened, converted to PNG or rotated by its EXIF stays within 7 bits', async () => {
  for (let seed = 1; seed <= 3; seed += 1) {
    const original = await landscape(seed, { width: 480, height: 320 }).jpeg({ quality: 92 }).toBuffer()
    const hash = await hashOf(original)
    const dresses = {
      'JPEG of quality 60': sharp(original).jpeg({ quality: 60 }),
      'half as large': sharp(original).resize({ width: 240 }).jpeg(),
      brighter: sharp(original).modulate({ brightness: 1.1 }).jpeg(),
      PNG: sharp(original).png(),
      'on its side, with an orientation': sharp(original).rotate(90).withMetadata({ orientation: 8 }).jpeg(),
    }
    for (const [dress, made] of Object.entries(dresses)) {
      const apart = bitsApart(hash, await hashOf(await made.toBuffer()))
      assert.ok(apart <= nearBits, `picture ${seed}, ${dress}: ${apart} bits`)
    }
  }
})

void test('different pictures are more than 7 bits apart', async () => {
  const hashes = await Promise.all(
    Array.from({ length: 10 }, async (_none, index) =>
      hashOf(
        await landscape(index + 1, { width: 150, height: 100 })
          .jpeg()
          .toBuffer(),
      ),
    ),
  )
  for (const [index, one] of hashes.entries())
    for (const [later, other] of hashes.entries())
      if (later > index)
        assert.ok(bitsApart(one, other) > nearBits, `${index + 1} and ${later + 1}: ${bitsApart(one, other)}`)
})

void test('a transparent image has a hash too', async () => {
  assert.ok(bitsApart(await hashOf(await transparentPng()), noBands) > 0)
})

void test('hashes within 7 bits share a band with at most one differing bit, and the probes find them', () => {
  const hash = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
  const flips = fc.uniqueArray(fc.integer({ min: 0, max: 63 }), { maxLength: 12 })
  fc.assert(
    fc.property(hash, flips, (bits, flipped) => {
      const other = flipped.reduce((value, bit) => value ^ (1n << BigInt(bit)), bits)
      const [one, two] = [bits, other].map((value) => bandsOf(value.toString(16).padStart(16, '0')))
      assert.ok(one && two)
      assert.equal(bitsApart(one, two), flipped.length)
      const isFound = one.some((band, index) => nearBands(band).includes(two[index] ?? -1))
      if (flipped.length <= nearBits) assert.ok(isFound)
    }),
    { numRuns: 2_000 },
  )
  assert.ok(nearBands(0xffff).every((band) => band >= 0 && band <= 0xffff))
  assert.ok(noBands.every((band) => !nearBands(0).includes(band)))
})

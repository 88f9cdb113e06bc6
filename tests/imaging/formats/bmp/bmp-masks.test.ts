// What stays in a served BMP: masks that browsers use, and runs no longer than their rows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearBmp } from '../../../../src/imaging/formats/bmp/bmp-clear.ts'
import { readBmpHeader } from '../../../../src/imaging/formats/bmp/bmp-header.ts'
import { decodeBmp } from '../../../../src/imaging/formats/bmp/bmp.ts'
import { makeBmp } from '../../../helpers/bmp-builder.ts'
import { bmpFixtures, findFixture } from '../../../helpers/bmp-fixtures.ts'

const jane = Buffer.from('Jane').readUInt32LE(0)
const srgb = 0x73524742

function clear(bytes: Uint8Array): Uint8Array {
  return clearBmp(bytes, readBmpHeader(bytes))
}

function assertSamePicture(cleared: Uint8Array, bytes: Uint8Array): void {
  assert.deepEqual(decodeBmp(cleared, readBmpHeader(cleared)), decodeBmp(bytes, readBmpHeader(bytes)))
}

function assertSecretGone(bytes: Uint8Array): void {
  const text = Buffer.from(bytes).toString('latin1')
  assert.ok(!text.includes('Jane') && !text.includes('enaJ'))
}

void test('keeps the masks of a version 5 header for uncompressed pixels', () => {
  const { recipe } = findFixture('32 bits')
  const usual = { 54: 0xff0000, 58: 0xff00, 62: 0xff, 70: srgb }
  for (const alpha of [0, 0xff000000]) {
    const bytes = makeBmp({ ...recipe, headerBytes: 124, fields: { ...usual, 66: alpha } })
    const cleared = clear(bytes)
    assert.deepEqual(cleared.subarray(54, 70), bytes.subarray(54, 70))
    // Browsers show the alpha declared in such a header, and so do the small sizes.
    assert.equal(readBmpHeader(cleared).channels, alpha === 0 ? 3 : 4)
    assertSamePicture(cleared, bytes)
    const fourth = cleared.filter((_, at) => at >= 138 && (at - 138) % 4 === 3)
    assert.equal(
      fourth.some((byte) => byte > 0),
      alpha !== 0,
    )
  }
  for (const offset of [54, 58, 62, 66]) {
    const bytes = makeBmp({ ...recipe, headerBytes: 124, fields: { ...usual, [offset]: jane } })
    assertSecretGone(clear(bytes))
    assertSamePicture(clear(bytes), bytes)
  }
})

void test('the padding of rows is zeroed', () => {
  for (const { name, recipe, bytes } of bmpFixtures) {
    if (recipe.compression === 1 || recipe.compression === 2) continue
    const stride = Math.ceil((recipe.width * recipe.bits) / 32) * 4
    const isFilling = (at: number): boolean => (at % stride) * 8 >= recipe.width * recipe.bits
    const pixels = recipe.pixels.map((byte, at) => (isFilling(at) ? 0x4a : byte))
    const full = makeBmp({ ...recipe, pixels })
    assert.deepEqual(clear(full), clear(bytes), name)
    const { pixelOffset } = readBmpHeader(full)
    const served = clear(full).subarray(pixelOffset, pixelOffset + pixels.length)
    assert.ok(
      served.every((byte, at) => byte === 0 || !isFilling(at)),
      name,
    )
  }
})

void test('a run that continues past its row carries no data there', () => {
  const { recipe } = findFixture('RLE8')
  const overrun = [9, 1, 0x4a, 0x61, 0x6e, 0x65, 0, 0, 7, 2, 0, 1]
  const bytes = makeBmp({ ...recipe, pixels: Uint8Array.from(overrun) })
  const cleared = clear(bytes)
  const { pixelOffset } = readBmpHeader(cleared)
  assert.deepEqual([...cleared.subarray(pixelOffset)], [7, 1, 1, 0, 1, 0, 0, 0, 7, 2, 0, 1])
  assertSamePicture(cleared, bytes)
})

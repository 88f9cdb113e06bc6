// A served GIF: frames end with their last pixel, only used colours remain, and spare bits are cleared.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strip } from '../../../../src/imaging/containers.ts'
import {
  assertRefused,
  decodeSamples,
  gifExtension,
  gifFrame,
  insertAt,
  makeGif,
  packCodes,
  replaceAt,
  subBlocks,
} from '../../../helpers/containers-fixtures.ts'
import type { GifFrame } from '../../../helpers/containers-fixtures.ts'
import { walk } from '../../../helpers/imaging.ts'

function stripped(gif: Uint8Array): Buffer {
  const before = Buffer.from(gif)
  const clean = Buffer.from(strip(gif, walk(gif, 'gif'), 1))
  assert.deepEqual(Buffer.from(gif), before, 'the upload itself is not touched')
  return clean
}

void test('image data ends with its last pixel', async () => {
  const secret = Buffer.from('secret'.repeat(100))
  const codes = (...list: readonly number[]): GifFrame => ({ width: 2, height: 1, data: packCodes(list, 3) })
  const clean = makeGif([gifFrame(codes(4, 0, 1, 5))])
  const open = makeGif([gifFrame(codes(4, 0, 1))])
  // Its data fills the last sub-block completely.
  const long = makeGif([gifFrame({ width: 339, height: 1 })], 339, 1)
  assert.equal(long.at(-3 - 255), 255)
  const cases: readonly (readonly [name: string, gif: Buffer, expected: Buffer])[] = [
    ['more in sub-blocks', withMore(clean, subBlocks(secret)), clean],
    ['more in the last sub-block', makeGif([gifFrame({ ...codes(4, 0, 1, 5, 3, 2, 1, 0) })]), clean],
    ['pixels beyond the last', makeGif([gifFrame(codes(4, 0, 1, 1, 0, 1, 5))]), clean],
    ['more behind no end code', withMore(open, subBlocks(secret)), clean],
    ['no end code', open, open],
    ['many sub-blocks', withMore(long, subBlocks(secret)), long],
    [
      'sub-blocks of one byte',
      withMore(makeGif([gifFrame(codes(4, 0, 1, 5))]), Buffer.of(1, 7, 1, 7, 0)),
      clean,
    ],
  ]
  for (const [name, gif, expected] of cases) {
    assert.deepEqual(stripped(gif), expected, name)
    assert.deepEqual(await decodeSamples(stripped(gif)), await decodeSamples(gif), name)
  }
})

/** Replaces the terminator of the last frame by these sub-blocks. */
function withMore(gif: Buffer, blocks: Buffer): Buffer {
  return Buffer.concat([gif.subarray(0, -2), blocks, gif.subarray(-1)])
}

void test('an end code can be added wherever the last pixel ends', async () => {
  for (const bits of [2, 3, 5, 8]) {
    for (let pixels = 1; pixels < 300; pixels += 7) {
      // A clear code before each pixel, so that codes never grow.
      const list = Array.from({ length: pixels }, (_, index) => [2 ** bits, index % 2]).flat()
      const data = packCodes(list, bits + 1)
      const [whole, more] = [Buffer.alloc(0), Buffer.alloc(40, 0xff)].map((tail) =>
        makeGif(
          [gifFrame({ width: pixels, height: 1, literalBits: bits, data: Buffer.concat([data, tail]) })],
          1,
          1,
        ),
      )
      assert.ok(whole !== undefined && more !== undefined)
      const clean = stripped(more)
      assert.deepEqual(stripped(clean), clean)
      assert.ok(clean.length <= whole.length + 4)
      assert.ok(!clean.includes(Buffer.of(0xff, 0xff, 0xff, 0xff)))
      assert.deepEqual(await decodeSamples(clean), await decodeSamples(more))
    }
  }
})

void test('colours that no pixel uses are set to black, in every table', async () => {
  const table = Buffer.from('secret secret secret sec')
  const black = (used: readonly number[]): Buffer =>
    Buffer.from(table.map((byte, at) => (used.includes(Math.floor(at / 3)) ? byte : 0)))
  const local = (colours: Uint8Array): Buffer => {
    const frame = gifFrame({ width: 2, height: 2, literalBits: 3, data: packCodes([8, 6, 6, 8, 1, 1, 9], 4) })
    return insertAt(replaceAt(frame, 9, 0x82), 10, colours)
  }
  const withTable = (colours: Uint8Array, frames: readonly Buffer[], background: number): Buffer => {
    const gif = makeGif(frames)
    return Buffer.concat([replaceAt(gif.subarray(0, 13), 10, 0x82, background), colours, gif.subarray(19)])
  }
  const full = withTable(table, [gifFrame({ delay: 1 }), local(table)], 7)
  const clean = withTable(black([0, 1, 7]), [gifFrame({ delay: 1 }), local(black([1, 6]))], 7)
  assert.deepEqual(stripped(full), clean)
  assert.deepEqual(await decodeSamples(clean), await decodeSamples(full))
  // A background index beyond the table is ignored.
  assert.deepEqual(
    stripped(withTable(table, [local(table)], 99)),
    withTable(black([]), [local(black([1, 6]))], 0),
  )
})

void test('the unused bits and bytes of a graphic control are cleared', () => {
  const control = (...bytes: readonly number[]): Buffer => gifExtension(0xf9, Buffer.from(bytes))
  const noisy = makeGif([control(0xe4, 5, 0, 0x61), gifFrame(), control(0xe5, 5, 0, 1), gifFrame()])
  assert.deepEqual(
    stripped(noisy),
    makeGif([control(4, 5, 0, 0), gifFrame(), control(5, 5, 0, 1), gifFrame()]),
  )
})

void test('an unknown block ends the file, once there has been a picture', () => {
  const gif = makeGif([gifFrame(), gifFrame({ delay: 3 })])
  const withTail = (tail: Uint8Array): Buffer => Buffer.concat([gif.subarray(0, -1), tail])
  assert.deepEqual(stripped(withTail(gif)), gif)
  assert.deepEqual(stripped(withTail(Buffer.from('<script>'))), gif)
  const announced = Buffer.concat([gif.subarray(0, -1), gifExtension(0xf9, Buffer.alloc(4)), gif])
  assertRefused(announced, 'gif', /unknown block/)
})

// Our BMP decoder: pixels of every kind of file, and refusals of invalid ones, for any bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../../../src/errors.ts'
import { clearBmp } from '../../../../src/imaging/formats/bmp/bmp-clear.ts'
import { readBmpHeader } from '../../../../src/imaging/formats/bmp/bmp-header.ts'
import { decodeBmp } from '../../../../src/imaging/formats/bmp/bmp.ts'
import type { BmpPixels } from '../../../../src/imaging/formats/bmp/bmp.ts'
import { makeBmp, packRows } from '../../../helpers/bmp-builder.ts'
import type { BmpRecipe } from '../../../helpers/bmp-builder.ts'
import { bmpFixtures, findFixture, makePalette } from '../../../helpers/bmp-fixtures.ts'

function decode(bytes: Uint8Array): BmpPixels {
  return decodeBmp(bytes, readBmpHeader(bytes))
}

function assertBroken(bytes: Uint8Array, detail: RegExp): void {
  assert.throws(
    () => decode(bytes),
    (error) => error instanceof Refusal && error.code === 'broken-image' && detail.test(error.detail ?? ''),
  )
}

for (const fixture of bmpFixtures) {
  void test(`decodes ${fixture.name}`, () => {
    const header = readBmpHeader(fixture.bytes)
    const pixels = decodeBmp(fixture.bytes, header)
    const { width, height } = fixture.recipe
    assert.deepEqual(
      { width: pixels.width, height: pixels.height, channels: pixels.channels },
      { width, height: Math.abs(height), channels: fixture.channels },
    )
    assert.deepEqual(Buffer.from(pixels.data), Buffer.from(fixture.data))
    assert.equal(header.channels, header.coding === 'plain' ? fixture.channels : 4)
  })

  void test(`refuses ${fixture.name} truncated after any byte`, () => {
    const end = fixture.bytes.length - (fixture.recipe.tail?.length ?? 0)
    for (let length = 0; length < end; length += 1) {
      assertBroken(fixture.bytes.subarray(0, length), /^The (BMP )?file (is truncated|does not start)/)
    }
  })
}

void test('decodes bytes inside a larger buffer', () => {
  const { bytes, data } = findFixture('32 bits with alpha')
  const larger = new Uint8Array(bytes.length + 7)
  larger.set(bytes, 5)
  assert.deepEqual(Buffer.from(decode(larger.subarray(5, 5 + bytes.length)).data), Buffer.from(data))
})

void test('paints pixels that refer past the palette black', () => {
  const pixels = packRows({ width: 2, height: 1, bits: 8 }, (x) => x)
  const bytes = makeBmp({ headerBytes: 40, width: 2, height: 1, bits: 8, palette: [0xffffff], pixels })
  assert.deepEqual([...decode(bytes).data], [255, 255, 255, 0, 0, 0])
})

for (const [alpha, title] of [
  [0, 'an alpha that is 0 throughout is taken as forgotten'],
  [0xff000000, 'an alpha that is opaque throughout is left out'],
] as const) {
  void test(title, () => {
    const sides = { width: 3, height: 2, bits: 32 }
    const pixels = packRows(sides, (x, y) => alpha + 0x10203 * (x + 3 * y))
    const masks = [0xff0000, 0xff00, 0xff, 0xff000000]
    const decoded = decode(makeBmp({ headerBytes: 124, ...sides, compression: 3, masks, pixels }))
    assert.equal(decoded.channels, 3)
    assert.deepEqual(
      [...decoded.data],
      [0, 1, 2, 3, 4, 5].flatMap((n) => [n, 2 * n, 3 * n]),
    )
  })
}

const whole: BmpRecipe = { headerBytes: 40, width: 2, height: 2, bits: 24, pixels: new Uint8Array(16) }
const rle8: BmpRecipe = {
  headerBytes: 40,
  width: 4,
  height: 2,
  bits: 8,
  compression: 1,
  palette: [0, 1],
  pixels: new Uint8Array(),
}
const rle4: BmpRecipe = { ...rle8, bits: 4, compression: 2 }
const masked: BmpRecipe = { ...whole, bits: 32, compression: 3 }
const wide: BmpRecipe = { ...masked, headerBytes: 124 }
const halves: BmpRecipe = { ...masked, bits: 16, pixels: new Uint8Array(8) }
const withStream = (recipe: BmpRecipe, stream: number[]): BmpRecipe => ({
  ...recipe,
  pixels: Uint8Array.from(stream),
})

const brokenRecipes: readonly [title: string, recipe: BmpRecipe, detail: RegExp][] = [
  ['width 0', { ...whole, width: 0 }, /width or height of 0/],
  ['a negative width', { ...whole, width: -2 }, /width or height of 0/],
  ['height 0', { ...whole, height: 0 }, /width or height of 0/],
  ['sides of 0 in an OS/2 header', { ...whole, headerBytes: 12, width: 0 }, /width or height of 0/],
  ['two planes', { ...whole, fields: { 26: 2 + 24 * 65536 } }, /colour planes/],
  ['3 bits', { ...whole, bits: 3 }, /bit count/],
  ['0 bits', { ...whole, bits: 0 }, /bit count/],
  ['64 bits', { ...whole, bits: 64 }, /bit count/],
  ['a header of 66 bytes', { ...whole, headerBytes: 66 }, /invalid length/],
  ['a header of 4 GB', { ...whole, fields: { 14: 0xffffffff } }, /invalid length/],
  ['another format', { ...whole, fields: { 0: 0x38464947 } }, /does not start/],
  ['a wrapped JPEG', { ...whole, bits: 0, compression: 4 }, /contains a JPEG/],
  ['a wrapped PNG', { ...wide, bits: 0, compression: 5 }, /contains a JPEG or PNG/],
  ['Huffman coding', { ...whole, headerBytes: 64, bits: 1, compression: 3 }, /compression/],
  ['OS/2 RLE of 24 bits', { ...whole, headerBytes: 64, compression: 4 }, /compression/],
  ['masks for 24 bits', { ...masked, bits: 24, masks: [1, 2, 4] }, /compression/],
  ['RLE8 of 4 bits', { ...rle8, bits: 4 }, /compression/],
  ['RLE4 of 8 bits', { ...rle4, bits: 8 }, /compression/],
  ['an unknown compression', { ...whole, compression: 11 }, /compression/],
  ['RLE from the top', { ...withStream(rle8, [0, 1]), height: -2 }, /top-down BMP/],
  ['pixels at 0', { ...whole, fields: { 10: 0 } }, /overlaps its headers/],
  ['pixels within the header', { ...whole, fields: { 10: 53 } }, /overlaps its headers/],
  [
    'pixels within the masks',
    { ...masked, masks: [255, 65280, 0xff0000], fields: { 10: 65 } },
    /overlaps its headers/,
  ],
  ['pixels past the file', { ...whole, fields: { 10: 70 } }, /truncated before its pixel data/],
  ['pixels at 4 GB', { ...whole, fields: { 10: 0xffffffff } }, /truncated before its pixel data/],
  ['a palette past its room', { ...withStream(rle8, [0, 1]), fields: { 46: 3 } }, /colour table of the BMP/],
  [
    'a palette of 4 G colours',
    { ...withStream(rle8, [0, 1]), fields: { 46: 0xffffffff } },
    /colour table of the BMP/,
  ],
  ['no palette', { ...whole, bits: 8 }, /colour table/],
  ['masks that overlap', { ...masked, masks: [0xff, 0xff, 0xff00] }, /masks/],
  ['a mask with a hole', { ...masked, masks: [0xf0f0, 0x0f, 0xff0000] }, /masks/],
  ['no mask', { ...masked, masks: [0, 0, 0] }, /masks/],
  ['masks beyond 16 bits', { ...halves, masks: [0xff0000, 0xff00, 0xff] }, /masks/],
  ['an alpha mask in another', { ...wide, masks: [0xff0000, 0xff00, 0xff, 0x80] }, /masks/],
  ['a literal past the row', withStream(rle8, [2, 1, 0, 3, 1, 1, 1, 0, 0, 1]), /exceeds the image/],
  ['an RLE4 literal past the row', withStream(rle4, [0, 5, 0x11, 0x11, 0x10, 0, 0, 1]), /exceeds the image/],
  ['a run above the top row', withStream(rle8, [0, 0, 0, 0, 1, 1, 0, 1]), /exceeds the image/],
  ['rows without end', withStream(rle8, [0, 0, 0, 0, 0, 0, 0, 1]), /exceeds the image/],
  ['a delta past the row', withStream(rle8, [0, 2, 5, 0, 0, 1]), /exceeds the image/],
  ['a delta past the top row', withStream(rle8, [0, 2, 0, 3, 0, 1]), /exceeds the image/],
  [
    'RLE without its end code',
    withStream(rle8, [4, 1, 0, 0, 4, 1, 0, 0]),
    /truncated within its compressed pixel data/,
  ],
  ['a literal that is cut', withStream(rle8, [0, 4, 1, 1, 1]), /truncated within its compressed pixel data/],
]

void test('a run ends at the end of its row, as in browsers', () => {
  for (const [recipe, run, long] of [
    [rle8, [4, 1], [5, 1, 200, 1]],
    [rle4, [4, 0x11], [5, 0x11, 200, 0x11]],
  ] as const) {
    const pictures = [run, long].map((stream) => {
      const bytes = makeBmp(withStream(recipe, [...stream, 0, 1]))
      return decodeBmp(bytes, readBmpHeader(bytes))
    })
    assert.deepEqual(pictures[1], pictures[0])
  }
})

for (const [title, recipe, detail] of brokenRecipes) {
  void test(`refuses ${title}`, () => assertBroken(makeBmp(recipe), detail))
}

void test('reads a header that claims any size, and allocates no buffer before the pixels are known to exist', () => {
  const sides = { width: 0x7fffffff, height: 0x7fffffff }
  const raw = makeBmp({ ...whole, ...sides })
  assert.equal(readBmpHeader(raw).height, 0x7fffffff)
  assertBroken(raw, /truncated within its pixel data/)
  assertBroken(
    makeBmp({ ...withStream(rle8, [200, 1]), ...sides }),
    /truncated within its compressed pixel data/,
  )
  assert.equal(readBmpHeader(makeBmp({ ...whole, height: -0x80000000 })).height, 0x80000000)
})

/** A simple generator, so that the same bytes are flipped in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** The steps of an upload, with a limit low enough for thousands of files. */
function decodeSmall(bytes: Uint8Array): { pixels: BmpPixels; cleared: Uint8Array } | undefined {
  try {
    const header = readBmpHeader(bytes)
    if (header.width * header.height > 1_000_000) return undefined
    return { pixels: decodeBmp(bytes, header), cleared: clearBmp(bytes, header) }
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'broken-image', String(error))
    return undefined
  }
}

for (const [index, fixture] of bmpFixtures.entries()) {
  void test(`flipping any bits of ${fixture.name} gives an image or a refusal, and clearing keeps the image`, () => {
    const random = createRandom(index + 1)
    let decoded = 0
    for (let round = 0; round < 2000; round += 1) {
      const bytes = fixture.bytes.slice()
      for (let flips = 1 + random(3); flips > 0; flips -= 1) {
        // Half of the flips are in the headers, where they matter most.
        const at = random(random(2) === 0 ? Math.min(140, bytes.length) : bytes.length)
        bytes[at] = random(3) === 0 ? random(256) : (bytes[at] ?? 0) ^ (1 << random(8))
      }
      const result = decodeSmall(random(10) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes)
      if (result === undefined) continue
      decoded += 1
      const { pixels, cleared } = result
      assert.equal(pixels.data.length, pixels.width * pixels.height * pixels.channels)
      const again = decode(cleared)
      assert.ok(Buffer.compare(again.data, pixels.data) === 0 && again.width === pixels.width)
      assert.ok(Buffer.compare(clearBmp(cleared, readBmpHeader(cleared)), cleared) === 0)
    }
    assert.ok(decoded > 100, `only ${decoded} of the flipped files could still be decoded`)
  })
}

void test('random bytes after a valid start are decoded or refused', () => {
  const random = createRandom(77)
  for (let round = 0; round < 5000; round += 1) {
    const bytes = Uint8Array.from({ length: random(200) }, () => random(256))
    bytes.set([0x42, 0x4d].slice(0, bytes.length))
    if (bytes.length > 18) bytes.set([[12, 40, 64, 124][random(4)] ?? 0, 0, 0, 0], 14)
    decodeSmall(bytes)
  }
})

void test('makes a palette with a different colour for each index', () => {
  assert.equal(new Set(makePalette(256)).size, 256)
})

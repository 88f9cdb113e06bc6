// Size lg of a BMP: its picture byte for byte, and nothing else of the upload.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../../../src/errors.ts'
import { clearBmp } from '../../../../src/imaging/formats/bmp/bmp-clear.ts'
import { readBmpHeader } from '../../../../src/imaging/formats/bmp/bmp-header.ts'
import { decodeBmp } from '../../../../src/imaging/formats/bmp/bmp.ts'
import { cleanIccProfile } from '../../../../src/imaging/formats/icc/icc-profile.ts'
import { makeBmp, makeProfile } from '../../../helpers/bmp-builder.ts'
import type { BmpRecipe } from '../../../helpers/bmp-builder.ts'
import { bmpFixtures, findFixture } from '../../../helpers/bmp-fixtures.ts'
import { makeIcc, readIcc } from '../../../helpers/icc-fixtures.ts'

const secret = Buffer.from('C:\\Users\\Jane Doe\\47.6205,-122.3493\\')
/** "Jane" as a 32-bit field. */
const jane = secret.readUInt32LE(9)
const linked = 0x4c494e4b
const embedded = 0x4d424544
const srgb = 0x73524742

function clear(bytes: Uint8Array): Uint8Array {
  return clearBmp(bytes, readBmpHeader(bytes))
}

function fieldOf(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true)
}

function assertSecretGone(bytes: Uint8Array): void {
  const text = Buffer.from(bytes).toString('latin1')
  assert.ok(!text.includes('Jane') && !text.includes('enaJ') && !text.includes('47.6205'))
}

/** A valid recipe with additions. */
function add(name: string, more: Partial<BmpRecipe>): Uint8Array {
  const { recipe } = findFixture(name)
  return makeBmp({ ...recipe, ...more, fields: { ...recipe.fields, ...more.fields } })
}

function assertSamePicture(cleared: Uint8Array, bytes: Uint8Array): void {
  assert.deepEqual(decodeBmp(cleared, readBmpHeader(cleared)), decodeBmp(bytes, readBmpHeader(bytes)))
}

/** Visible bits of a stored pixel, according to the fixture's recipe. */
function shownBits({ bits, masks, compression }: BmpRecipe): number {
  if (compression !== undefined && masks !== undefined) return masks.reduce((all, mask) => all | mask, 0)
  return bits === 16 ? 0x7fff : 0xffffff
}

/** Set bits of pixels and palette that could be cleared without a visible change. */
function idleBits(file: Uint8Array, recipe: BmpRecipe): string[] {
  const header = readBmpHeader(file)
  const picture = JSON.stringify([...decodeBmp(file, header).data])
  const { palette, pixelOffset } = header
  const spans = [
    [palette.start, palette.start + palette.count * palette.entryBytes],
    [pixelOffset, pixelOffset + recipe.pixels.length],
  ] as const
  const idle: string[] = []
  for (const [start, end] of spans) {
    for (let at = start; at < end; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = file.slice()
        changed[at] = (changed[at] ?? 0) & ~(1 << bit)
        if (changed[at] === file[at]) continue
        try {
          if (JSON.stringify([...decodeBmp(changed, header).data]) === picture) idle.push(`${at}: ${bit}`)
        } catch {
          // the bit is needed to read the picture at all
        }
      }
    }
  }
  return idle
}

for (const fixture of bmpFixtures) {
  void test(`clearing ${fixture.name} keeps the image and its location`, () => {
    const before = fixture.bytes.slice()
    const cleared = clear(fixture.bytes)
    assert.deepEqual(fixture.bytes, before, 'the upload itself is not touched')
    assert.equal(cleared.length, fixture.bytes.length)
    assert.deepEqual(clear(cleared), cleared, 'a clean file comes out as it was')
    assertSamePicture(cleared, fixture.bytes)
  })

  const { recipe } = fixture
  // If the picture continues above that delta, its length is visible.
  if (fixture.name === 'RLE8, ended by a delta') continue
  if (recipe.bits <= 8) {
    void test(`clearing ${fixture.name} leaves no bit that is not displayed`, () => {
      assert.deepEqual(idleBits(clear(fixture.bytes), recipe), [])
    })
  } else {
    void test(`clearing ${fixture.name} keeps the bits of its masks and no others`, () => {
      const { pixelOffset } = readBmpHeader(fixture.bytes)
      const mask = shownBits(recipe)
      const stride = Math.ceil((recipe.width * recipe.bits) / 32) * 4
      const expected = recipe.pixels.map((byte, at) => {
        const inRow = at % stride
        if (inRow >= (recipe.width * recipe.bits) / 8) return 0
        return byte & (mask >>> (8 * (inRow % (recipe.bits / 8))))
      })
      assert.deepEqual(clear(fixture.bytes).subarray(pixelOffset, pixelOffset + expected.length), expected)
    })
  }

  void test(`clearing ${fixture.name} drops what follows its end`, () => {
    const tail = fixture.recipe.tail ?? new Uint8Array()
    const longer = makeBmp({ ...fixture.recipe, tail: Buffer.concat([tail, secret]) })
    const cleared = clear(longer)
    assertSecretGone(cleared)
    assert.equal(cleared.length, fixture.bytes.length)
    assert.equal(fieldOf(cleared, 2), cleared.length)
  })
}

void test('zeroes the bytes between palette and pixels', () => {
  for (const name of [
    '8 bits, 252 colours',
    '24 bits',
    '32 bits, masks',
    'RLE8',
    '16 bits with alpha, 4-4-4-4',
  ]) {
    const bytes = add(name, { gap: secret })
    const cleared = clear(bytes)
    assertSecretGone(cleared)
    assert.equal(cleared.length, bytes.length)
    assertSamePicture(cleared, bytes)
  }
})

void test('zeroes reserved fields, unused fields and false values', () => {
  const cases: readonly [name: string, ...offsets: number[]][] = [
    ['24 bits', 6, 34, 46, 50],
    ['24 bits, OS/2 1', 6],
    ['OS/2 2', 54, 58, 62, 66, 70, 74],
    ['8 bits, version 4', 50, 54, 58, 62, 66, 70],
    ['8 bits, version 5', 74, 78, 106, 110, 118, 122, 126, 130, 134],
    ['32 bits with alpha', 70, 122, 126, 130, 134],
    ['RLE8', 34, 50],
    // From the unused byte of a colour on.
    ['8 bits, 252 colours', 57, 61, 65],
  ]
  for (const [name, ...offsets] of cases) {
    for (const offset of offsets) {
      const bytes = add(name, { fields: { [offset]: jane } })
      assert.notDeepEqual(clear(bytes), bytes, `${name}: ${offset}`)
      assertSecretGone(clear(bytes))
    }
  }
})

void test('zeroes masks that an RLE image does not use', () => {
  const bytes = add('RLE8', { headerBytes: 108, fields: { 54: jane, 70: srgb } })
  assertSecretGone(clear(bytes))
  assertSamePicture(clear(bytes), bytes)
})

void test('cuts off colours that no pixel can refer to', () => {
  const { recipe } = findFixture('8 bits, 300 colours')
  const palette = (recipe.palette ?? []).with(299, 0x4a616e)
  const cleared = clear(makeBmp({ ...recipe, palette }))
  assert.equal(fieldOf(cleared, 46), 256)
  const { pixelOffset } = readBmpHeader(cleared)
  assert.ok(cleared.subarray(54 + 256 * 4, pixelOffset).every((byte) => byte === 0))
})

void test('keeps end points and gamma where the colour space uses them', () => {
  const scaled = [0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505]
  const chromaticities = [0.64, 0.33, 0.03, 0.3, 0.6, 0.1, 0.15, 0.06, 0.79]
  for (const points of [scaled, chromaticities]) {
    const endpoints = points.map((value, at) => [74 + 4 * at, Math.round(value * 2 ** 30)] as const)
    const fields = { 70: 0, ...Object.fromEntries(endpoints), 110: 0x23333, 114: 0x23333, 118: 0x10000 }
    const bytes = add('32 bits with alpha, version 4', { fields })
    assert.deepEqual(clear(bytes), bytes)
  }
})

void test('clears end points and gammas that no display has, since they may be text', () => {
  const bytes = add('32 bits with alpha, version 4', { fields: { 70: 0 } })
  const text = Uint8Array.from(bytes)
  text.set(secret.subarray(0, 36), 74)
  text.set(secret.subarray(9, 21), 110)
  const cleared = clear(text)
  assertSecretGone(cleared)
  assert.ok(cleared.subarray(70, 122).every((byte) => byte === 0))
  assertSamePicture(cleared, bytes)
})

void test('clears a linked profile, which is a path on the sender’s disk', () => {
  const { recipe } = findFixture('32 bits with alpha')
  const profile = { 70: linked, 126: 124 + recipe.pixels.length, 130: secret.length }
  const bytes = makeBmp({ ...recipe, tail: secret, fields: profile })
  const cleared = clear(bytes)
  assertSecretGone(cleared)
  assert.equal(cleared.length, bytes.length - secret.length)
  assert.equal(fieldOf(cleared, 70), srgb)
  assert.deepEqual([fieldOf(cleared, 126), fieldOf(cleared, 130)], [0, 0])
  assertSamePicture(cleared, bytes)
})

void test('keeps the part of an embedded profile that defines colour in place, and nothing before or after it', () => {
  const { recipe } = findFixture('32 bits with alpha')
  const icc = makeProfile()
  const start = 124 + recipe.pixels.length + secret.length
  const bytes = makeBmp({
    ...recipe,
    tail: Buffer.concat([secret, icc, secret]),
    fields: { 70: embedded, 126: start, 130: icc.length + secret.length },
  })
  const cleared = clear(bytes)
  assertSecretGone(cleared)
  assert.deepEqual(cleared.slice(14 + start), icc)
  assert.equal(fieldOf(cleared, 70), embedded)
  assert.deepEqual([fieldOf(cleared, 126), fieldOf(cleared, 130)], [start, icc.length])
  assertSamePicture(cleared, bytes)
})

void test('rebuilds an embedded profile, and moves it after the pixels if its space is too small', () => {
  const { recipe } = findFixture('32 bits with alpha')
  const icc = makeIcc([...readIcc(makeProfile()), { name: 'mmod', data: secret }])
  for (const [gap, tail, start] of [
    [new Uint8Array(), icc, 124 + recipe.pixels.length],
    [icc, new Uint8Array(), 124],
  ] as const) {
    const bytes = makeBmp({ ...recipe, gap, tail, fields: { 70: embedded, 126: start, 130: icc.length } })
    const cleared = clear(bytes)
    assertSecretGone(cleared)
    const at = 14 + fieldOf(cleared, 126)
    const profile = cleared.slice(at, at + fieldOf(cleared, 130))
    assert.deepEqual(profile, cleanIccProfile(icc))
    assert.deepEqual(clear(cleared), cleared)
    assertSamePicture(cleared, bytes)
  }
  // Without texts, it is smaller than its replacement.
  const bare = makeIcc(readIcc(makeProfile()).filter(({ name }) => name !== 'desc' && name !== 'cprt'))
  const bytes = makeBmp({ ...recipe, gap: bare, fields: { 70: embedded, 126: 124, 130: bare.length } })
  const cleared = clear(bytes)
  assert.equal(fieldOf(cleared, 126), 124 + bare.length + recipe.pixels.length)
  assert.deepEqual(cleared.slice(14 + fieldOf(cleared, 126)), cleanIccProfile(bare))
})

void test('drops an invalid embedded profile', () => {
  const { recipe } = findFixture('32 bits with alpha')
  const icc = makeProfile()
  const text = Buffer.concat([secret, secret, secret, secret, secret])
  const start = 124 + recipe.pixels.length
  const cases: readonly [why: string, tail: Uint8Array, start: number, length: number][] = [
    ['words', text, start, text.length],
    ['no ICC signature', icc.slice().fill(0x20, 36, 40), start, icc.length],
    ['past the end', icc, start + 1, icc.length],
    ['far past the end', icc, 0xfffffff0, icc.length],
    ['shorter than an ICC header', icc, start, 127],
    ['shorter than it says itself', icc, start, icc.length - 1],
    ['within the header', icc, 0, icc.length],
    ['within the pixels', icc, start - 4, icc.length],
  ]
  for (const [why, tail, at, length] of cases) {
    const bytes = makeBmp({ ...recipe, tail, fields: { 70: embedded, 126: at, 130: length } })
    const cleared = clear(bytes)
    assert.equal(fieldOf(cleared, 70), srgb, why)
    assert.equal(cleared.length, bytes.length - tail.length, why)
    assertSecretGone(cleared)
  }
})

void test('drops a valid profile that overlaps the pixels', () => {
  const { recipe } = findFixture('32 bits with alpha')
  const icc = makeProfile()
  const pixels = Buffer.concat([recipe.pixels.slice(0, 4), icc, Buffer.alloc(4)])
  const sides = { width: pixels.length / 4, height: 1 }
  const fields = { 70: embedded, 126: 124 + 4, 130: icc.length }
  const bytes = makeBmp({ ...recipe, ...sides, pixels, fields })
  const cleared = clear(bytes)
  assert.equal(fieldOf(cleared, 70), srgb)
  assertSamePicture(cleared, bytes)
})

void test('refuses a file with truncated pixels', () => {
  for (const name of ['24 bits', 'RLE8']) {
    const { bytes } = findFixture(name)
    const cut = bytes.subarray(0, -1)
    assert.throws(() => clearBmp(cut, readBmpHeader(cut)), Refusal)
  }
})

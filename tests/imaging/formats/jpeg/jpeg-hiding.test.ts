// Places in a JPEG that no decoder shows: size lg is the same as without data hidden there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strip } from '../../../../src/imaging/containers.ts'
import {
  assertRefused,
  createRandom,
  findMarker,
  insertAt,
  jpegSegment,
  makePicture,
  oneCode,
  replaceAt,
  tinyJpeg,
  tinyScan,
} from '../../../helpers/containers-fixtures.ts'
import { insertSegments } from '../../../helpers/exif-fixtures.ts'
import { walk } from '../../../helpers/imaging.ts'

const endOfImage = Buffer.of(0xff, 0xd9)
const baseline = await makePicture(50, 38).jpeg({ quality: 90 }).toBuffer()
const progressive = await makePicture(50, 38).jpeg({ quality: 90, progressive: true }).toBuffer()

const stripped = (jpeg: Uint8Array): Buffer => Buffer.from(strip(jpeg, walk(jpeg, 'jpeg'), 1))

/** Grey, 8 by 64 pixels, with a restart marker between its eight blocks. */
function restarted(between: (interval: number) => Uint8Array, block = 0x3f, extraFill = 0): Buffer {
  const head = tinyJpeg(0xc0, [1], [])
  const frame = findMarker(head, 0xc0)
  const intervals = Array.from({ length: 8 }, (_, index) => {
    const marker = index < 7 ? [...Array<number>(extraFill).fill(0xff), 0xff, 0xd0 + index] : []
    return Buffer.concat([Buffer.of(block), between(index), Buffer.from(marker)])
  })
  const scan = jpegSegment(0xda, Buffer.of(1, 1, 0, 0, 63, 0))
  return Buffer.concat([
    replaceAt(head, frame + 5, 0, 64),
    jpegSegment(0xdd, Buffer.of(0, 1)),
    scan,
    ...intervals,
    endOfImage,
  ])
}
const nothing = Buffer.alloc(0)
const plainRestarts = restarted(() => nothing)

/** Inserts before each marker that ends coded data: of all scans, or of the given one. */
function beforeEachEnd(jpeg: Buffer, hidden: Uint8Array): Buffer {
  let result = jpeg
  let at = result.indexOf(Buffer.of(0xff, 0xda))
  while (at !== -1) {
    at += 2 + result.readUInt16BE(at + 2)
    while (result[at] !== 0xff || result[at + 1] === 0) at += 1
    result = insertAt(result, at, hidden)
    at = result.indexOf(Buffer.of(0xff, 0xda), at + hidden.length)
  }
  return result
}

/** As in coded data: a 0 after each FF. */
const stuffed = (bytes: Uint8Array): Buffer =>
  Buffer.from([...bytes].flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte])))

const frameOf = (jpeg: Uint8Array): number => {
  const markers = [0xc0, 0xc2].map((marker) => Buffer.from(jpeg).indexOf(Buffer.of(0xff, marker)))
  return Math.max(...markers)
}
/** Inserts after all tables, before the first scan. */
const beforeScan = (jpeg: Buffer, ...segments: readonly Uint8Array[]): Buffer =>
  insertAt(jpeg, findMarker(jpeg, 0xda), ...segments)
const beforeFrame = (jpeg: Buffer, ...segments: readonly Uint8Array[]): Buffer =>
  insertAt(jpeg, frameOf(jpeg), ...segments)

type Hide = (jpeg: Buffer, hidden: Buffer) => Buffer
const sixtyFour = (hidden: Buffer): Buffer => Buffer.concat([hidden, Buffer.alloc(64)]).subarray(0, 64)
/** A Huffman table whose symbols are the secret. */
const codesOf = (name: number, hidden: Buffer): Buffer =>
  Buffer.concat([
    Buffer.of(name, ...Array<number>(7).fill(0), 64, ...Array<number>(8).fill(0)),
    sixtyFour(hidden),
  ])

const places: Readonly<Record<string, Hide>> = {
  'behind the last block of each scan': (jpeg, hidden) => beforeEachEnd(jpeg, stuffed(hidden)),
  'behind the end marker': (jpeg, hidden) => Buffer.concat([jpeg, hidden]),
  'in quantisation tables that no colour uses': (jpeg, hidden) =>
    insertSegments(jpeg, [jpegSegment(0xdb, Buffer.concat([Buffer.of(3), sixtyFour(hidden)]))]),
  'in a quantisation table of 16 bits beside one that is used': (jpeg, hidden) => {
    const at = findMarker(jpeg, 0xdb)
    const wide = Buffer.concat([Buffer.of(0x12), sixtyFour(hidden), sixtyFour(hidden)])
    const segment = jpegSegment(0xdb, Buffer.concat([jpeg.subarray(at + 4, at + 69), wide]))
    return Buffer.concat([jpeg.subarray(0, at), segment, jpeg.subarray(at + 69)])
  },
  'in a quantisation table that another replaces': (jpeg, hidden) =>
    insertSegments(jpeg, [jpegSegment(0xdb, Buffer.concat([Buffer.of(0), sixtyFour(hidden)]))]),
  'in Huffman tables that no scan uses': (jpeg, hidden) =>
    beforeScan(jpeg, jpegSegment(0xc4, Buffer.concat([codesOf(3, hidden), codesOf(0x13, hidden)]))),
  'in a Huffman table that another replaces': (jpeg, hidden) =>
    beforeFrame(jpeg, jpegSegment(0xc4, codesOf(0, hidden))),
  'in tables of arithmetic coding': (jpeg, hidden) => beforeScan(jpeg, jpegSegment(0xcc, hidden)),
  'in a number of lines': (jpeg, hidden) => beforeScan(jpeg, jpegSegment(0xdc, hidden.subarray(0, 2))),
  'in comments and application data': (jpeg, hidden) =>
    beforeScan(jpeg, jpegSegment(0xfe, hidden), jpegSegment(0xe0, hidden), jpegSegment(0xef, hidden)),
  'in parts of a profile that is none': (jpeg, hidden) =>
    insertSegments(jpeg, [jpegSegment(0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01'), hidden]))]),
  'between segments': (jpeg, hidden) => beforeScan(jpeg, stuffed(hidden)),
  'in fill bytes': (jpeg, hidden) => beforeScan(jpeg, Buffer.alloc(hidden[0] ?? 1, 0xff)),
}

for (const [name, hide] of Object.entries(places)) {
  void test(`C25: nothing hidden ${name} is in lg`, () => {
    const random = createRandom(name.length)
    for (const jpeg of [baseline, progressive, plainRestarts]) {
      // The grey picture has other tables than the two photos.
      if (jpeg === plainRestarts && /tables? .*(?:beside|replaces)/.test(name)) continue
      const expected = stripped(jpeg)
      for (let time = 0; time < 20; time += 1) {
        const hidden = Buffer.from(
          Array.from({ length: 1 + Math.floor(random() * 60) }, () => random() * 256),
        )
        const photo = hide(jpeg, hidden)
        assert.ok(stripped(photo).equals(expected), hidden.toString('hex'))
      }
    }
  })
}

void test('C25: lg contains nothing hidden before restart markers, in them, or in the padding bits of a byte', () => {
  assert.deepEqual(stripped(plainRestarts), plainRestarts)
  const random = createRandom(3)
  const hidden = (): Buffer => stuffed(Buffer.from(Array.from({ length: 9 }, () => random() * 256)))
  assert.deepEqual(stripped(restarted(hidden)), plainRestarts)
  assert.deepEqual(stripped(restarted(() => nothing, 0x3f, 5)), plainRestarts)
  for (const block of [0x00, 0x15, 0x2a, 0x3e]) {
    assert.deepEqual(stripped(restarted(() => nothing, block)), plainRestarts)
  }
  // Decoders accept a restart marker with a very different number as the expected one.
  const marker = plainRestarts.indexOf(Buffer.of(0xff, 0xd2))
  for (const code of [0xd5, 0xd6, 0xd7]) {
    assert.deepEqual(stripped(replaceAt(plainRestarts, marker + 1, code)), plainRestarts)
  }
})

void test('C25: lg contains nothing hidden in the bits that end a scan', () => {
  for (const jpeg of [baseline, progressive]) {
    const last = jpeg.length - 3
    const bit = (jpeg[last] ?? 0) & 1
    assert.equal(bit, 1, 'an encoder fills the last byte with ones')
    assert.deepEqual(stripped(replaceAt(jpeg, last, (jpeg[last] ?? 0) & 0xfe)), jpeg)
  }
})

void test('C25: lg contains nothing hidden in an extra byte after the last bit of the picture', () => {
  const whole = tinyJpeg(0xc0, [1], [tinyScan({ ids: [1] })])
  for (const byte of [0xff, 0x00, 0x7f]) {
    const more = Buffer.concat([whole, stuffed(Buffer.of(byte)), endOfImage])
    assert.deepEqual(stripped(more), Buffer.concat([whole, endOfImage]))
  }
})

void test('C25: lg contains nothing hidden in parameters that decoders do not read', () => {
  const scan = findMarker(baseline, 0xda)
  for (const band of [
    [1, 2, 3],
    [0, 0, 0],
    [255, 255, 255],
  ]) {
    assert.deepEqual(stripped(replaceAt(baseline, scan + 11, ...band)), baseline)
  }
  const adobe = Buffer.from('Adobe\0\x64\0\0\0\0\x01', 'latin1')
  const expected = insertSegments(baseline, [jpegSegment(0xee, adobe)])
  const chatty = Buffer.concat([adobe.subarray(0, 5), Buffer.from('secret'), Buffer.of(1)])
  assert.deepEqual(stripped(insertSegments(baseline, [jpegSegment(0xee, chatty)])), expected)
})

void test('C15: coded data that ends before its last block is refused, and so are invalid codes', () => {
  const refusal = (jpeg: Uint8Array): unknown => {
    try {
      return walk(jpeg, 'jpeg')
    } catch (error) {
      return error instanceof Error && 'detail' in error ? error.detail : error
    }
  }
  const early = 'Its pixel data is truncated.'
  for (const jpeg of [baseline, progressive]) {
    for (let cut = 1; cut < 40; cut += 1) {
      const short = Buffer.concat([jpeg.subarray(0, -2 - cut), endOfImage])
      assert.match(String(refusal(short)), /truncated|damaged/)
    }
  }
  const marker = plainRestarts.indexOf(Buffer.of(0xff, 0xd2))
  for (const code of [0xd3, 0xd4]) assert.equal(refusal(replaceAt(plainRestarts, marker + 1, code)), early)
  const without = Buffer.concat([plainRestarts.subarray(0, marker), plainRestarts.subarray(marker + 2)])
  assert.equal(refusal(without), early)
  const codes = tinyJpeg(0xc0, [1], [jpegSegment(0xda, Buffer.of(1, 1, 0, 0, 63, 0)), Buffer.alloc(40, 0x9f)])
  assert.equal(refusal(Buffer.concat([codes, endOfImage])), 'Its pixel data is damaged.')
  const missing = tinyJpeg(0xc2, [1], [tinyScan({ ids: [1], band: [0, 0, 0] })])
  const unnamed = Buffer.from(missing)
  unnamed[findMarker(unnamed, 0xda) + 6] = 0x20
  assert.match(String(refusal(Buffer.concat([unnamed, endOfImage]))), /refers to a missing table/)
  assert.ok(oneCode(0, 0).length === 18)
})

void test('C25: a quantisation table that hides coded data is refused where a colour uses it', () => {
  // A code of one bit and a number of seven: plain text that no decoder shows.
  const text = Buffer.from('?' + 'the key lies under the third pot. '.repeat(2).slice(0, 63))
  const file = (...table: readonly number[]): Buffer =>
    Buffer.concat([
      tinyJpeg(0xc0, [1], []),
      jpegSegment(0xdb, Buffer.from(table)),
      jpegSegment(0xc4, Buffer.concat([oneCode(0x00, 7), oneCode(0x10, 7)])),
      jpegSegment(0xda, Buffer.of(1, 1, 0, 0, 63, 0)),
      text,
      endOfImage,
    ])
  const ones = Array<number>(63).fill(1)
  const wideOnes = ones.flatMap(() => [1, 0])
  for (const table of [
    [0, 16, ...ones.map(() => 0)],
    [0, ...ones, 0],
    [0x10, ...wideOnes, 0, 0],
  ]) {
    assertRefused(file(...table), 'jpeg', /quantisation table of the JPEG is invalid/)
  }
  assert.deepEqual(stripped(file(0, 1, ...ones)), stripped(file(1, 0, ...ones.map(() => 0), 0, 1, ...ones)))
  for (const table of [
    [0, 1, ...ones],
    [0x10, ...wideOnes, 0, 1],
  ]) {
    assert.ok(stripped(file(...table)).includes(text), 'where it shows')
  }
})

void test('C25: a run of blocks beyond its interval is refused, since no decoder reads what it claims', () => {
  const ids = [1]
  const scan = (bits: number, ...data: readonly number[]): Buffer =>
    Buffer.concat([jpegSegment(0xda, Buffer.of(1, 1, 0, 1, 63, bits)), Buffer.from(data)])
  const run = (symbol: number): Buffer => jpegSegment(0xc4, oneCode(0x10, symbol))
  const file = (...parts: readonly Uint8Array[]): Buffer =>
    Buffer.concat([tinyJpeg(0xc2, ids, [tinyScan({ ids, band: [0, 0, 0] })]), ...parts, endOfImage])
  // One block, and a run of one or of 2 to 3: the code, a bit of the number, and ones.
  for (const bits of [0x00, 0x01]) {
    const before = bits === 0 ? [] : [run(0), scan(0x01, 0x7f)]
    const later = bits === 0 ? 0x00 : 0x10
    assert.ok(stripped(file(...before, run(0), scan(later, 0x7f))).length > 0)
    assertRefused(file(...before, run(0x10), scan(later, 0x3f)), 'jpeg', /pixel data is damaged/)
    const text = [...Buffer.from('?x')] // a run of 16,384 and more: fourteen bits, all without effect
    assertRefused(file(...before, run(0xe0), scan(later, ...text)), 'jpeg', /pixel data is damaged/)
  }
})

void test('C15: a run of zeros beyond the last coefficient of a block ends with the block', () => {
  const ids = [1]
  const scan = (bits: number): Buffer =>
    Buffer.concat([jpegSegment(0xda, Buffer.of(1, 1, 0, 63, 63, bits)), Buffer.of(0x3f)])
  const last = scan(0x10) // sixteen zeros, and another bit of that coefficient in between
  const file = Buffer.concat([
    tinyJpeg(0xc2, ids, [tinyScan({ ids, band: [0, 0, 0] })]),
    jpegSegment(0xc4, oneCode(0x10, 0x01)),
    scan(0x01), // the last coefficient is not zero
    jpegSegment(0xc4, oneCode(0x10, 0xf0)),
    last,
    endOfImage,
  ])
  assert.ok(stripped(file).includes(Buffer.concat([last, endOfImage])))
})

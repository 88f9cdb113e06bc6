// The EXIF parser: what it reads in either byte order, and robustness against arbitrary bytes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import sharp from 'sharp'
import { readExif } from '../../src/shared/formats/exif.ts'
import type { WrittenAxis } from '../../src/shared/formats/exif.ts'
import type { Fraction } from '../../src/shared/formats/tiff.ts'
import { buildPrivateExif, buildTiff, gpsEntries, long, rationals, short } from '../helpers/exif-fixtures.ts'
import { tags, tiffTypes, writePrivateMetadata } from '../helpers/exif-fixtures.ts'
import type { ByteOrder, TiffEntry } from '../helpers/exif-fixtures.ts'

const byteOrders: readonly ByteOrder[] = ['II', 'MM']

function fractions(axis: WrittenAxis | undefined): readonly string[] {
  return (axis?.parts ?? []).map(({ numerator, denominator }: Fraction) => `${numerator}/${denominator}`)
}

function readLatitude(entry: TiffEntry, byteOrder: ByteOrder = 'II'): readonly string[] {
  return fractions(readExif(buildTiff({ byteOrder, gps: [entry] })).gps?.latitude)
}

for (const byteOrder of byteOrders) {
  void test(`${byteOrder}: orientation and position are read`, () => {
    const facts = readExif(
      buildTiff({ byteOrder, main: [short(tags.orientation, 6)], gps: gpsEntries(50.25, -119.5) }),
    )
    assert.equal(facts.orientation, 6)
    assert.deepEqual(fractions(facts.gps?.latitude), ['50/1', '15/1', '0/1000000'])
    assert.deepEqual(fractions(facts.gps?.longitude), ['119/1', '30/1', '0/1000000'])
    assert.equal(facts.gps?.latitude?.reference, 'N')
    assert.equal(facts.gps?.longitude?.reference, 'W')
  })

  void test(`${byteOrder}: another reader understands the photos that the fixtures build`, async () => {
    const plain = await sharp({ create: { width: 6, height: 4, channels: 3, background: '#246' } })
      .jpeg()
      .toBuffer()
    const metadata = { orientation: 6, comment: 'a comment', thumbnail: plain, byteOrder }
    const photo = writePrivateMetadata(plain, { ...metadata, position: { lat: 1, lon: 2 } })
    const seen = await sharp(photo).metadata()
    assert.equal(seen.orientation, 6)
    const seenExif = seen.exif ?? Buffer.alloc(0)
    assert.ok(seenExif.includes('a comment') && seenExif.includes(plain))
    assert.equal(readExif(seenExif.subarray('Exif\0\0'.length)).orientation, 6)
    assert.deepEqual(await sharp(photo).raw().toBuffer(), await sharp(plain).raw().toBuffer())
  })

  void test(`${byteOrder}: numbers of any numeric type are read`, () => {
    const latitudes: readonly (readonly [type: number, value: TiffEntry['values'][number], text: string])[] =
      [
        [tiffTypes.byte, 50, '50/1'],
        [tiffTypes.signedByte, -5, '-5/1'],
        [tiffTypes.short, 500, '500/1'],
        [tiffTypes.signedShort, -500, '-500/1'],
        [tiffTypes.long, 4_294_967_295, '4294967295/1'],
        [tiffTypes.signedLong, -70_000, '-70000/1'],
        [tiffTypes.offset, 50, '50/1'],
        [tiffTypes.rational, [4_294_967_295, 2], '4294967295/2'],
        [tiffTypes.signedRational, [-1, -2], '1/2'],
        [tiffTypes.signedRational, [1, -2], '-1/2'],
        [tiffTypes.double, 1e300, `${BigInt(1e300)}/1`],
        [tiffTypes.double, Number.NaN, '0/0'],
        [tiffTypes.float, Number.POSITIVE_INFINITY, '0/0'],
      ]
    for (const [type, value, text] of latitudes) {
      const entry = { tag: tags.latitude, type, values: [value] }
      assert.deepEqual(readLatitude(entry, byteOrder), [text], `type ${type}`)
    }
    const quarter = `${2n ** 42n}/${2n ** 44n}`
    for (const type of [tiffTypes.float, tiffTypes.double]) {
      const entry = { tag: tags.latitude, type, values: [0.25, 0.25] }
      assert.deepEqual(readLatitude(entry, byteOrder), [quarter, quarter])
    }
  })

  void test(`${byteOrder}: a pointer or orientation of another integer type is read, and of no other type`, () => {
    for (const type of [tiffTypes.byte, tiffTypes.short, tiffTypes.long, tiffTypes.offset]) {
      const main = [{ tag: tags.orientation, type, values: [8] }]
      assert.equal(readExif(buildTiff({ byteOrder, main })).orientation, 8, `type ${type}`)
    }
    for (const type of [
      tiffTypes.ascii,
      tiffTypes.signedLong,
      tiffTypes.rational,
      tiffTypes.float,
      0,
      14,
      65_535,
    ]) {
      const main = [{ tag: tags.orientation, type, values: [8] }]
      assert.deepEqual(readExif(buildTiff({ byteOrder, main })), {}, `type ${type}`)
    }
  })
}

void test('an orientation outside 1 to 8 is treated as absent', () => {
  for (const value of [0, 9, 255, 65_535]) {
    assert.deepEqual(readExif(buildTiff({ main: [short(tags.orientation, value)] })), {})
  }
  const empty = { tag: tags.orientation, type: tiffTypes.short, values: [6], count: 0 }
  assert.deepEqual(readExif(buildTiff({ main: [empty] })), {})
})

void test('numbers given as text are read when separated by blanks, and not with commas or signs', () => {
  const readTyped = (text: string): readonly string[] =>
    readLatitude({ tag: tags.latitude, type: tiffTypes.ascii, values: [...Buffer.from(`${text}\0`)] })
  assert.deepEqual(readTyped('50 17 58.5'), ['50/1', '17/1', '585/10'])
  assert.deepEqual(readTyped(' 50.25 '), ['5025/100'])
  for (const text of ['', '50,29', '-50.25', '5e1', '1 2 3 4', 'fifty', '50.', '.5', 'NaN']) {
    assert.deepEqual(readTyped(text), [], text)
  }
})

void test('of more than three numbers the first three are used, and none if the bytes end before them', () => {
  const four = rationals(tags.latitude, [1, 1], [2, 1], [3, 1], [4, 1])
  assert.deepEqual(readLatitude(four), ['1/1', '2/1', '3/1'])
  assert.deepEqual(readLatitude({ ...four, count: 4_294_967_295 }), ['1/1', '2/1', '3/1'])
  const whole = buildTiff({ gps: [rationals(tags.latitude, [1, 1], [2, 1], [3, 1])] })
  assert.equal(readExif(whole).gps?.latitude?.parts.length, 3)
  assert.equal(readExif(whole.subarray(0, -1)).gps?.latitude, undefined)
})

void test('the first entry of a tag is used', () => {
  const main = [short(tags.orientation, 3), short(tags.orientation, 6)]
  assert.equal(readExif(buildTiff({ main })).orientation, 3)
})

void test('offsets that loop, or point outside or into the header, are ignored', () => {
  for (const offset of [0, 2, 4, 7, 8, 9, 10, 100, 65_535, 4_294_967_287, 4_294_967_295]) {
    const main = [short(tags.orientation, 6), long(tags.gpsDirectory, offset)]
    const facts = readExif(buildTiff({ main }))
    assert.equal(facts.orientation, 6)
    assert.equal(facts.gps?.latitude, undefined)
    const start = buildTiff({ main })
    start.writeUInt32LE(offset, 4)
    assert.equal(readExif(start).gps?.latitude, undefined)
    const value = { ...rationals(tags.latitude, [1, 1], [2, 1], [3, 1]), offset }
    assert.equal(readExif(buildTiff({ gps: [value] })).gps?.longitude, undefined)
  }
  const loop = buildTiff({ main: [short(tags.orientation, 6)] })
  loop.writeUInt32LE(8, loop.length - 4)
  assert.equal(readExif(loop).orientation, 6, 'the next directory is the same one')
})

void test('a directory that claims 65,535 entries is read as far as the bytes go', () => {
  const tiff = buildTiff({ main: [short(tags.orientation, 6)], gps: gpsEntries(1, 2) })
  tiff.writeUInt16LE(65_535, 8)
  assert.equal(readExif(tiff).orientation, 6)
  assert.equal(readExif(tiff).gps?.latitude?.reference, 'N')
})

void test('only the first 8,192 entries of a directory are read', () => {
  const filler = Array.from({ length: 65_535 }, () => short(tags.thumbnailLength, 1))
  const orientationAt = (index: number): number | undefined =>
    readExif(buildTiff({ main: filler.with(index, short(tags.orientation, 6)) })).orientation
  assert.equal(orientationAt(8_191), 6)
  assert.equal(orientationAt(8_192), undefined)
})

void test('the second directory and the thumbnail are ignored', () => {
  const thumbnail = buildPrivateExif({ position: { lat: 50, lon: 14 }, orientation: 8 })
  assert.deepEqual(readExif(buildPrivateExif({ thumbnail })), {})
})

void test('bytes that are not a TIFF give nothing', () => {
  const tiff = buildTiff({ main: [short(tags.orientation, 6)] })
  const wrong = [
    '',
    'II*\0',
    'IM*\0\b\0\0\0',
    'II+\0\b\0\0\0',
    'Exif\0\0II*\0\b\0\0\0',
    'MM*\0\0\0\0\b',
    'II\0*\b\0\0\0',
  ]
  for (const head of wrong) {
    const bytes = Buffer.concat([Buffer.from(head, 'latin1'), tiff.subarray(head === '' ? tiff.length : 8)])
    assert.deepEqual(readExif(bytes), {}, JSON.stringify(head))
  }
})

void test('both letters of the byte order must agree', () => {
  for (const at of [0, 1]) {
    for (const byteOrder of byteOrders) {
      const tiff = buildTiff({ byteOrder, main: [short(tags.orientation, 6)] })
      tiff.write(byteOrder === 'II' ? 'M' : 'I', at, 'latin1')
      assert.deepEqual(readExif(tiff), {})
    }
  }
})

void test('a view into a larger buffer is read within its own bounds', () => {
  const tiff = buildTiff({ main: [short(tags.orientation, 6)], gps: gpsEntries(50.25, 14.5) })
  const around = Buffer.concat([Buffer.from('xyz'), tiff, Buffer.from('xyz')])
  assert.deepEqual(readExif(around.subarray(3, 3 + tiff.length)), readExif(tiff))
})

void test('any bytes give a result', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom('', 'II*\0', 'MM\0*'), (bytes, head) => {
      const facts = readExif(Buffer.concat([Buffer.from(head, 'latin1'), bytes]))
      assert.ok(facts.orientation === undefined || (facts.orientation >= 1 && facts.orientation <= 8))
    }),
    { numRuns: 2_000 },
  )
})

void test('a valid block with any bytes overwritten or cut off gives a result', () => {
  const thumbnail = new Uint8Array(40)
  const position = { lat: 50.2996028, lon: -119.5298833 }
  fc.assert(
    fc.property(
      fc.constantFrom(...byteOrders),
      fc.array(fc.tuple(fc.nat(300), fc.constantFrom(0, 1, 2, 4, 8, 12, 127, 255)), { maxLength: 8 }),
      fc.nat(400),
      (byteOrder, changes, length) => {
        const tiff = buildPrivateExif({
          position,
          orientation: 6,
          comment: 'a comment',
          thumbnail,
          byteOrder,
        })
        for (const [at, value] of changes) tiff[at % tiff.length] = value
        readExif(tiff.subarray(0, length))
      },
    ),
    { numRuns: 2_000 },
  )
})

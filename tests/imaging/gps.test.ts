// The position rule for EXIF and XMP, and the orientation rule.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orientationFrom, positionFrom } from '../../src/shared/formats/gps.ts'
import { buildPrivateExif, buildTiff, gpsEntries, short } from '../helpers/exif-fixtures.ts'
import { buildXmp, tags, tiffTypes } from '../helpers/exif-fixtures.ts'
import type { TiffEntry } from '../helpers/exif-fixtures.ts'
import { buildGps, exif, found, north, position, xmp, type Parts } from '../helpers/gps-cases.ts'

void test('degrees, minutes and seconds give 7 decimals in either byte order', () => {
  assert.deepEqual(position({ byteOrder: 'II' }), found)
  assert.deepEqual(position({ byteOrder: 'MM' }), found)
  assert.deepEqual(position({ latRef: 'S', lonRef: 'W' }), { lat: '-50.2996028', lon: '-14.8202944' })
})

void test('decimal degrees in one rational and decimal minutes in two are valid', () => {
  assert.deepEqual(position({ lat: [[502_996_028, 10_000_000]], lon: [[14, 1]] }), {
    lat: '50.2996028',
    lon: '14',
  })
  const minutes: Parts = [
    [14, 1],
    [49_2177, 10_000],
  ]
  assert.deepEqual(position({ lon: minutes }), { lat: '50.2996028', lon: '14.820295' })
})

void test('the reference is read by its first letter in either case, after blanks', () => {
  for (const latRef of ['N', 'n', 'North', 'northern', ' N', '  n ', 'N\0S']) {
    assert.deepEqual(position({ latRef }), found, latRef)
  }
  assert.deepEqual(position({ latRef: 's', lonRef: 'west' }), { lat: '-50.2996028', lon: '-14.8202944' })
})

void test('a missing reference, or one for the other axis, gives no position: no hemisphere is guessed', () => {
  for (const reference of [undefined, '', ' ', '\0N', '0', '+', '-N', 'X', '?']) {
    assert.equal(position({ latRef: reference }), undefined, `latitude ${reference}`)
    assert.equal(position({ lonRef: reference }), undefined, `longitude ${reference}`)
  }
  assert.equal(position({ latRef: 'E' }), undefined)
  assert.equal(position({ lonRef: 'N' }), undefined)
  const bytes: TiffEntry = { tag: tags.latitudeReference, type: tiffTypes.byte, values: [0x53] }
  const rest = gpsEntries(50, 14).slice(1)
  assert.deepEqual(positionFrom([exif(buildTiff({ gps: [bytes, ...rest] }))]), { lat: '-50', lon: '14' })
  const number = short(tags.latitudeReference, 0x4e)
  assert.equal(positionFrom([exif(buildTiff({ gps: [number, ...rest] }))]), undefined)
})

void test('a single coordinate gives no position', () => {
  assert.equal(positionFrom([exif(buildTiff({ gps: gpsEntries(50, 14).slice(0, 2) }))]), undefined)
  assert.equal(positionFrom([exif(buildTiff({ gps: gpsEntries(50, 14).slice(2) }))]), undefined)
})

void test('a blank GPS block gives no position: degrees of n/0 are not a number', () => {
  const blank: Parts = Array.from({ length: 3 }, () => [0, 0])
  assert.equal(position({ lat: blank, lon: blank }), undefined)
  assert.equal(position({ lat: blank, lon: blank, latRef: '', lonRef: '' }), undefined)
  assert.equal(position({ lat: blank }), undefined)
  assert.equal(position({ lat: [[50, 0]] }), undefined)
})

void test('minutes or seconds of n/0 count as 0', () => {
  const withoutSeconds: Parts = [
    [50, 1],
    [30, 1],
    [7, 0],
  ]
  const withoutMinutes: Parts = [
    [14, 1],
    [9, 0],
    [36, 1],
  ]
  assert.deepEqual(position({ lat: withoutSeconds, lon: withoutMinutes }), { lat: '50.5', lon: '14.01' })
})

void test('a part of 0/0 gives no position, and XMP derived from it is not used', () => {
  const blankSeconds: Parts = [
    [48, 1],
    [5_332_358, 100_000],
    [0, 0],
  ]
  const block = exif(buildGps({ lat: blankSeconds }))
  assert.equal(positionFrom([block]), undefined)
  assert.equal(positionFrom([block, xmp(buildXmp('48,53.323582N', '21,2.59507E'))]), undefined)
})

void test('values out of range give no position; the limits are valid', () => {
  assert.equal(position({ lat: [[91, 1]] }), undefined)
  assert.equal(position({ lat: [[900_000_001, 10_000_000]] }), undefined)
  assert.equal(
    position({ lat: [[4_294_967_295, 47_721_858]] }),
    undefined,
    '90.00000001 is not rounded to fit',
  )
  assert.equal(position({ lon: [[181, 1]] }), undefined)
  assert.equal(position({ lon: [[4_294_967_295, 1]] }), undefined)
  const beyond: Parts = [
    [90, 1],
    [0, 1],
    [1, 1],
  ]
  assert.equal(position({ lat: beyond }), undefined)
  assert.deepEqual(position({ lat: [[90, 1]], lon: [[180, 1]], latRef: 'S' }), { lat: '-90', lon: '180' })
  assert.deepEqual(position({ lat: [[50, 1]], lon: [[180, 1]], lonRef: 'W' }), { lat: '50', lon: '-180' })
})

void test('minutes and seconds may be 60, as rounding writes them, but not more', () => {
  const rounded: Parts = [
    [50, 1],
    [59, 1],
    [60, 1],
  ]
  assert.deepEqual(position({ lat: rounded }), { ...found, lat: '51' })
  for (const part of [1, 2]) {
    const tooMuch = rounded.with(part, [601, 10])
    assert.equal(position({ lat: tooMuch }), undefined)
  }
})

void test('0,0 is unknown, but a single zero coordinate is a place', () => {
  assert.equal(position({ lat: [[0, 1]], lon: [[0, 1]] }), undefined)
  assert.equal(position({ lat: [[0, 1]], lon: [[0, 1]], latRef: 'S', lonRef: 'W' }), undefined)
  const nearly: Parts = [[1, 100_000_000]]
  assert.equal(position({ lat: nearly, lon: nearly }), undefined, 'also when only its text is 0,0')
  assert.deepEqual(position({ lat: [[0, 1]] }), { ...found, lat: '0' })
  assert.deepEqual(position({ lat: [[0, 1]], latRef: 'S' }), { ...found, lat: '0' }, 'never -0')
  assert.deepEqual(position({ lat: nearly, latRef: 'S' }), { ...found, lat: '0' }, 'never -0')
  assert.deepEqual(position({ lon: [[0, 1]], lonRef: 'W' }), { ...found, lon: '0' })
})

void test('a coordinate is plain text, rounded to the nearest, without trailing zeros', () => {
  const texts: readonly (readonly [number, number, string])[] = [
    [1, 10_000_000, '0.0000001'],
    [15, 100_000_000, '0.0000002'],
    [14, 100_000_000, '0.0000001'],
    [1, 3, '0.3333333'],
    [2, 3, '0.6666667'],
    [101, 10, '10.1'],
    [89_999_999, 1_000_000, '89.999999'],
    [2_249_999_999, 25_000_000, '90'],
    [10, 1, '10'],
  ]
  for (const [numerator, denominator, text] of texts) {
    assert.equal(position({ lat: [[numerator, denominator]] })?.lat, text)
  }
})

void test('signed rationals are read; a negative part gives no position, since its sign is ambiguous', () => {
  const type = tiffTypes.signedRational
  assert.deepEqual(position({ type }), found)
  assert.equal(position({ type, lat: [[-50, 1]] }), undefined)
  assert.equal(position({ type, lat: [[-50, 1]], latRef: 'S' }), undefined)
  assert.equal(position({ type, lat: north.with(1, [-17, 1]) }), undefined)
  assert.deepEqual(position({ type, lat: [[-50, -1]] }), { ...found, lat: '50' })
})

void test('degrees stored as another number type are read if they are plausible', () => {
  const build = (type: number, values: TiffEntry['values']): Buffer => {
    const gps = gpsEntries(50, 14)
    return buildTiff({ gps: gps.with(1, { tag: tags.latitude, type, values }) })
  }
  const latitude = (type: number, ...values: readonly number[]): string | undefined =>
    positionFrom([exif(build(type, values))])?.lat
  assert.equal(latitude(tiffTypes.long, 50, 17, 58), '50.2994444')
  assert.equal(latitude(tiffTypes.short, 50, 30), '50.5')
  assert.equal(latitude(tiffTypes.double, 50.2996028), '50.2996028')
  assert.equal(latitude(tiffTypes.float, 50.5), '50.5')
  assert.equal(latitude(tiffTypes.double, Number.NaN), undefined)
  assert.equal(latitude(tiffTypes.double, Number.POSITIVE_INFINITY), undefined)
  assert.equal(latitude(tiffTypes.double, 1e300), undefined)
  assert.equal(latitude(tiffTypes.double, -0, 30), '0.5')
  assert.equal(latitude(tiffTypes.ascii, ...Buffer.from('50 17 58.57\0')), '50.2996028')
  assert.equal(latitude(tiffTypes.undefined, ...Buffer.alloc(24)), undefined)
})

void test('a later EXIF block is used if the first has no position', () => {
  const without = buildTiff({ main: [short(tags.orientation, 6)] })
  const blank = buildGps({ lat: [[0, 0]], lon: [[0, 0]] })
  assert.deepEqual(positionFrom([exif(without), exif(blank), exif(buildGps({}))]), found)
  assert.deepEqual(positionFrom([exif(buildGps({})), exif(buildGps({ latRef: 'S' }))]), found)
  const latitudeOnly = buildTiff({ gps: gpsEntries(50, 14).slice(0, 2) })
  const longitudeOnly = buildTiff({ gps: gpsEntries(50, 14).slice(2) })
  assert.equal(positionFrom([exif(latitudeOnly), exif(longitudeOnly)]), undefined, 'halves are never joined')
})

void test('EXIF takes precedence over XMP in any order; XMP is used if EXIF has no position', () => {
  const packet = xmp(buildXmp('1,30N', '2,30E'))
  assert.deepEqual(positionFrom([packet, exif(buildGps({}))]), found)
  assert.deepEqual(positionFrom([exif(buildGps({})), packet]), found)
  assert.deepEqual(positionFrom([packet]), { lat: '1.5', lon: '2.5' })
  assert.deepEqual(positionFrom([exif(buildGps({ latRef: undefined })), packet]), { lat: '1.5', lon: '2.5' })
})

void test('nothing, garbage and unrelated blocks give no position', () => {
  assert.equal(positionFrom([]), undefined)
  assert.equal(positionFrom([exif(Buffer.from('garbage')), xmp('garbage')]), undefined)
  assert.equal(positionFrom([{ kind: 'xmp', bytes: buildGps({}) }]), undefined)
  const thumbnail = buildPrivateExif({ position: { lat: 50, lon: 14 } })
  assert.equal(positionFrom([exif(buildPrivateExif({ thumbnail, comment: 'no position' }))]), undefined)
})

void test('the orientation is that of the first EXIF block with a valid one, else 1', () => {
  const turned = (value: number) => exif(buildTiff({ main: [short(tags.orientation, value)] }))
  assert.equal(orientationFrom([]), 1)
  assert.equal(orientationFrom([turned(0)]), 1)
  assert.equal(orientationFrom([turned(9)]), 1)
  assert.equal(orientationFrom([xmp(buildXmp('1,30N', '2,30E'))]), 1)
  for (const value of [1, 2, 3, 4, 5, 6, 7, 8]) assert.equal(orientationFrom([turned(value)]), value)
  assert.equal(orientationFrom([exif(Buffer.alloc(9)), turned(9), turned(6), turned(3)]), 6)
})

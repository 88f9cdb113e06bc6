// Time, direction, altitude and accuracy of a photo: what is read of odd metadata, and what of none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { captureFrom, type Capture } from '../../../src/shared/formats/capture.ts'
import type { MetadataBlock } from '../../../src/shared/formats/metadata-block.ts'
import { ascii, buildTiff, rationals, short, tags, tiffTypes } from '../../helpers/exif-fixtures.ts'
import type { TiffDirectories, TiffEntry } from '../../helpers/exif-fixtures.ts'

const block = (directories: TiffDirectories): MetadataBlock => ({
  kind: 'exif',
  bytes: buildTiff(directories),
})

const read = (...directories: readonly TiffDirectories[]): Capture => captureFrom(directories.map(block))

const taken = (text: string, ...more: readonly TiffEntry[]): TiffDirectories => ({
  exif: [ascii(tags.takenAt, text), ...more],
})

const byte = (tag: number, value: number, type: number = tiffTypes.byte): TiffEntry => ({
  tag,
  type,
  values: [value],
})

const none: Capture = {}

for (const byteOrder of ['II', 'MM'] as const) {
  void test(`${byteOrder}: everything that a phone writes`, () => {
    const capture = read({
      byteOrder,
      exif: [
        ascii(tags.takenAt, '2026:05:14 09:08:07'),
        ascii(tags.digitisedAt, '2020:01:01 00:00:00'),
        ascii(tags.offset, '+02:00'),
        ascii(tags.subSeconds, '123'),
      ],
      gps: [
        byte(tags.altitudeReference, 0),
        rationals(tags.altitude, [123_456, 100]),
        ascii(tags.directionReference, 'T'),
        rationals(tags.direction, [2_715, 10]),
        rationals(tags.accuracy, [47_123, 10_000]),
      ],
    })
    assert.deepEqual(capture, {
      localTime: '2026-05-14T09:08:07.123',
      offsetMinutes: 120,
      direction: 271.5,
      altitude: 1_234.56,
      accuracy: 4.712,
    })
  })
}

const times: readonly (readonly [string, string | undefined])[] = [
  ['2026:05:14 09:08:07', '2026-05-14T09:08:07'],
  ['2026-05-14 09:08:07', '2026-05-14T09:08:07'],
  ['2026/05/14 09:08:07 ', '2026-05-14T09:08:07'],
  ['2026-05-14T09:08:07', '2026-05-14T09:08:07'],
  ['2026:05:14 09:08:07.5', '2026-05-14T09:08:07.500'],
  ['2024:02:29 23:59:59', '2024-02-29T23:59:59'],
  ['2026:02:29 12:00:00', undefined],
  ['2026:04:31 12:00:00', undefined],
  ['2026:13:01 12:00:00', undefined],
  ['2026:05:14 24:00:00', undefined],
  ['2026:05:14 09:60:07', undefined],
  ['2026:05:14 09:08:60', undefined],
  ['0000:00:00 00:00:00', undefined],
  ['1899:12:31 00:00:00', undefined],
  ['    :  :     :  :  ', undefined],
  ['2026:05:14', undefined],
  ['2026:05-14 09:08:07', undefined],
  ['2026:05:14 09:08:07 PM', undefined],
  ['14.05.2026 09:08:07', undefined],
  ['', undefined],
  ['\u00ff'.repeat(19), undefined],
]

for (const [text, localTime] of times) {
  void test(`the time "${text}" is ${localTime ?? 'none'}`, () => {
    assert.deepEqual(read(taken(text)), localTime === undefined ? none : { localTime })
  })
}

const offsets: readonly (readonly [string, number | undefined])[] = [
  ['+02:00', 120],
  ['-03:30', -210],
  ['+05:45', 345],
  ['+0200', 120],
  ['Z', 0],
  ['-00:00', 0],
  ['+14:00', 840],
  ['-12:00', -720],
  ['+14:01', undefined],
  ['-12:30', undefined],
  ['+02:60', undefined],
  ['+99:99', undefined],
  ['   :  ', undefined],
  ['02:00', undefined],
  ['CEST', undefined],
  ['', undefined],
]

for (const [text, offsetMinutes] of offsets) {
  void test(`the offset "${text}" is ${offsetMinutes ?? 'not stated'}, and the time stays`, () => {
    const localTime = '2026-05-14T09:08:07'
    const capture = read(taken('2026:05:14 09:08:07', ascii(tags.offset, text)))
    assert.deepEqual(capture, offsetMinutes === undefined ? { localTime } : { localTime, offsetMinutes })
  })
}

void test('fractions of a second are read as milliseconds, whatever their length; invalid ones are ignored', () => {
  const fractions = { 5: '.500', '05': '.050', '123456': '.123', '0': '', '12 ': '.120', '  ': '', x7: '' }
  for (const [text, ending] of Object.entries(fractions)) {
    const { localTime } = read(taken('2026:05:14 09:08:07', ascii(tags.subSeconds, text)))
    assert.equal(localTime, `2026-05-14T09:08:07${ending}`, text)
  }
})

void test('the digitising time is not used', () => {
  assert.deepEqual(read({ exif: [ascii(tags.digitisedAt, '2026:05:14 09:08:07')] }), none)
  assert.deepEqual(read({ main: [ascii(0x0132, '2026:05:14 09:08:07')] }), none)
  assert.deepEqual(read(taken('garbage', ascii(tags.digitisedAt, '2026:05:14 09:08:07'))), none)
})

void test('the first block with a value is used; an offset belongs to the time of its block', () => {
  const capture = read(
    { gps: [byte(tags.altitudeReference, 0), rationals(tags.altitude, [7, 0])] },
    { exif: [ascii(tags.takenAt, '0000:00:00 00:00:00'), ascii(tags.offset, '+09:00')] },
    taken('2026:05:14 09:08:07'),
    {
      ...taken('2027:01:01 00:00:00', ascii(tags.offset, '+01:00')),
      gps: [rationals(tags.altitude, [7, 1])],
    },
  )
  assert.deepEqual(capture, { localTime: '2026-05-14T09:08:07', altitude: 7 })
})

void test('an altitude below sea level is negative, however the reference is stored', () => {
  const altitudeWith = (...reference: readonly TiffEntry[]): number | undefined =>
    read({ gps: [...reference, rationals(tags.altitude, [4_305, 10])] }).altitude
  assert.equal(altitudeWith(), 430.5)
  assert.equal(altitudeWith(byte(tags.altitudeReference, 0)), 430.5)
  assert.equal(altitudeWith(byte(tags.altitudeReference, 2)), 430.5)
  assert.equal(altitudeWith(byte(tags.altitudeReference, 1)), -430.5)
  assert.equal(altitudeWith(byte(tags.altitudeReference, 3)), -430.5)
  assert.equal(altitudeWith(byte(tags.altitudeReference, 1, tiffTypes.undefined)), -430.5)
  assert.equal(altitudeWith(short(tags.altitudeReference, 1)), -430.5)
  assert.equal(altitudeWith(ascii(tags.altitudeReference, '1')), -430.5)
  assert.equal(altitudeWith(ascii(tags.altitudeReference, '0')), 430.5)
  const signed = { tag: tags.altitude, type: tiffTypes.signedRational, values: [[-20, 1]] } as const
  assert.equal(read({ gps: [signed] }).altitude, -20)
  assert.equal(read({ gps: [signed, byte(tags.altitudeReference, 1)] }).altitude, -20)
  assert.equal(read({ gps: [byte(tags.altitudeReference, 1), rationals(tags.altitude, [0, 1])] }).altitude, 0)
})

void test('a direction is relative to true north; an invalid one is ignored', () => {
  const directionOf = (reference: string | undefined, value: readonly [number, number]): number | undefined =>
    read({
      gps: [
        ...(reference === undefined ? [] : [ascii(tags.directionReference, reference)]),
        rationals(tags.direction, value),
      ],
    }).direction
  assert.equal(directionOf('T', [0, 1]), 0)
  assert.equal(directionOf('t', [35_999, 100]), 359.99)
  assert.equal(directionOf(undefined, [90, 1]), 90)
  assert.equal(directionOf('T', [361, 1]), undefined)
  assert.equal(directionOf('T', [90, 0]), undefined)
  assert.equal(directionOf('X', [90, 1]), undefined)
})

void test('invalid or impossible numbers are left out', () => {
  const double = (tag: number, value: number): TiffEntry => ({ tag, type: tiffTypes.double, values: [value] })
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e300, -1e300, -20_000]) {
    const gps = [double(tags.altitude, value), double(tags.direction, value), double(tags.accuracy, value)]
    assert.deepEqual(read({ gps }), none, String(value))
  }
  const outside: TiffEntry = { ...rationals(tags.accuracy, [5, 1]), offset: 60_000 }
  assert.deepEqual(read({ gps: [outside] }), none)
  assert.deepEqual(captureFrom([{ kind: 'xmp', bytes: Buffer.from('<x/>') }]), none)
})

void test('no bytes cause an error', () => {
  const header = fc.constantFrom('II*\0\b\0\0\0', 'MM\0*\0\0\0\b')
  const bytes = fc
    .tuple(header, fc.uint8Array({ maxLength: 200 }))
    .map(([head, rest]) => Buffer.concat([Buffer.from(head, 'latin1'), rest]))
  fc.assert(fc.property(bytes, (tiff) => void captureFrom([{ kind: 'exif', bytes: tiff }])))
  const whole = buildTiff({
    exif: [ascii(tags.takenAt, '2026:05:14 09:08:07')],
    gps: [rationals(tags.altitude, [7, 1])],
  })
  for (let end = 0; end <= whole.length; end += 1)
    captureFrom([{ kind: 'exif', bytes: whole.subarray(0, end) }])
})

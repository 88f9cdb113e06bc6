// The kinds: how each value is read, from either format, and what it refuses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trailImageDetails } from '../../../src/shared/classic/classic-shapes.ts'
import { blankAsSpace, coordinate, id, plainText, timestamp } from '../../../src/shared/classic/kinds.ts'
import { cpuMs, faultOf, valueOf } from '../contract-helpers.ts'

const digits28 = '1.234567890123456789012345678'

const coordinates: readonly (readonly [sent: unknown, stored: string | undefined])[] = [
  ['45.5231', '45.5231'],
  ['45.523100', '45.523100'],
  ['-122.6765', '-122.6765'],
  [' \r\n45.5\t', '45.5'],
  ['+5.50', '5.50'],
  ['.5', '0.5'],
  ['-.5', '-0.5'],
  ['5.', '5'],
  ['007.10', '7.10'],
  ['-0', '0'],
  ['-0.00', '0.00'],
  ['0', '0'],
  ['0.0E0', '0'],
  [`-0.${'0'.repeat(29)}`, '0'],
  [`0.${'0'.repeat(28)}`, `0.${'0'.repeat(28)}`],
  [digits28, digits28],
  [`0.${'1'.repeat(28)}`, `0.${'1'.repeat(28)}`],
  [`${'0'.repeat(100)}1`, '1'],
  ['180', '180'],
  ['-180.000', '-180.000'],
  [45.5, '45.5'],
  [-122, '-122'],
  [0, '0'],
  [-0, '0'],
  [1e-7, '0.0000001'],
  [-1.234_567_890_123_45e-20, '-0.0000000000000000000123456789'],
  [3.69e-183, '0'],
  [-1.25e-10, '-0.000000000125'],
  ['', undefined],
  [' ', undefined],
  ['\n\t ', undefined],
]

for (const [sent, stored] of coordinates) {
  void test(`a coordinate sent as ${JSON.stringify(sent)} is stored as ${stored}`, () => {
    assert.equal(valueOf(coordinate(180).read(sent, 'lon')), stored)
  })
}

const wrongCoordinates: readonly (readonly [sent: unknown, detail: string])[] = [
  ['north', 'lon must be a plain decimal number, such as 45.5231.'],
  ['1e-7', 'lon must be a plain decimal number, such as 45.5231.'],
  ['4.5E1', 'lon must be a plain decimal number, such as 45.5231.'],
  ['NaN', 'lon must be a plain decimal number, such as 45.5231.'],
  ['0x10', 'lon must be a plain decimal number, such as 45.5231.'],
  ['1,5', 'lon must be a plain decimal number, such as 45.5231.'],
  ['1.2.3', 'lon must be a plain decimal number, such as 45.5231.'],
  ['--1', 'lon must be a plain decimal number, such as 45.5231.'],
  ['.', 'lon must be a plain decimal number, such as 45.5231.'],
  ['+', 'lon must be a plain decimal number, such as 45.5231.'],
  ['e5', 'lon must be a plain decimal number, such as 45.5231.'],
  ['45.5\u{b0}', 'lon must be a plain decimal number, such as 45.5231.'],
  ['180.0000000000000000000000001', 'lon must be between -180 and 180.'],
  ['-181', 'lon must be between -180 and 180.'],
  ['9'.repeat(400), 'lon must be between -180 and 180.'],
  [180.5, 'lon must be between -180 and 180.'],
  [Infinity, 'lon must be between -180 and 180.'],
  [1e300, 'lon must be between -180 and 180.'],
  [`${digits28}9`, 'lon may have at most 28 digits.'],
  [true, 'lon must be a number.'],
  [[1], 'lon must be a number.'],
  [{}, 'lon must be a number.'],
]

for (const [sent, detail] of wrongCoordinates) {
  void test(`a coordinate sent as ${JSON.stringify(sent).slice(0, 40)} is refused`, () => {
    const fault = faultOf(coordinate(180).read(sent, 'lon'))
    assert.deepEqual(fault, { code: 'invalid-field', detail })
  })
}

void test('a coordinate of 64 KiB is checked quickly, whatever it consists of', () => {
  const ms = cpuMs(() => {
    for (const part of ['1', ' ', '0', '.', '1.', 'e', '+']) {
      for (const end of ['', 'x']) coordinate(90).read(part.repeat(65_536) + end, 'lat')
    }
  })
  assert.ok(ms < 200, `${ms} ms`)
})

void test('text whose empty form is a space is empty in both forms, and keeps all other whitespace', () => {
  const kind = blankAsSpace(256)
  for (const sent of ['', ' ']) assert.equal(valueOf(kind.read(sent, 'title')), '')
  for (const sent of ['  ', '\n', ' a ', '\u{a0}']) assert.equal(valueOf(kind.read(sent, 'title')), sent)
  assert.equal(kind.writeXml(''), ' ')
  assert.equal(kind.writeJson(''), '" "')
})

void test('256 code points are accepted, 257 are refused and never truncated', () => {
  const kind = blankAsSpace(256)
  for (const character of ['a', 'é', 'Ж', '\u{1f3d4}']) {
    const longest = character.repeat(256)
    assert.equal(valueOf(kind.read(longest, 'title')), longest)
    const fault = faultOf(kind.read(`${longest}${character}`, 'title'))
    const detail = 'title may have at most 256 characters; this one has 257.'
    assert.deepEqual(fault, { code: 'invalid-field', detail })
  }
  assert.equal(trailImageDetails.fields.title.kind.maxCharacters, 256)
  assert.equal(trailImageDetails.fields.caption.kind.maxCharacters, 256)
})

void test('text must be a string', () => {
  for (const sent of [5, true, {}, ['a']]) {
    assert.equal(faultOf(blankAsSpace(256).read(sent, 'caption')).detail, 'caption must be a string.')
    assert.equal(faultOf(plainText.read(sent, 'trailName')).detail, 'trailName must be a string.')
  }
})

const ids: readonly (readonly [sent: unknown, value: number | undefined])[] = [
  [4711, 4711],
  ['4711', 4711],
  [' 4711\n', 4711],
  ['+007', 7],
  ['-0', 0],
  [0, 0],
  [-5, -5],
  ['9007199254740991', 9_007_199_254_740_991],
  ['', undefined],
  [' ', undefined],
]

void test('an id is a whole number, as a number or its digits; blank means no id', () => {
  for (const [sent, value] of ids) assert.equal(valueOf(id.read(sent, 'imageID')), value)
})

void test('an id above 2^53−1, or not a whole number, is refused', () => {
  const wrong = [1.5, '1.5', '1e3', '0x1', 'abc', '9007199254740992', 2 ** 53, Infinity, NaN, true, {}, [1]]
  for (const sent of wrong) {
    const { detail } = faultOf(id.read(sent, 'imageID'))
    assert.equal(detail, 'imageID must be a whole number of at most 9007199254740991.')
  }
})

void test('a timestamp is read from either date form, and only if it is a valid date', () => {
  const leapDay = Date.UTC(2024, 1, 29, 23, 59, 59)
  for (const sent of ['2024-02-29 23:59:59Z', '2024-02-29T23:59:59', '2024-02-29T23:59:59Z']) {
    assert.equal(valueOf(timestamp.read(sent, 'postDate')), leapDay)
  }
  assert.equal(timestamp.writeJson(leapDay + 999), '"2024-02-29 23:59:59Z"')
  assert.equal(timestamp.writeXml(leapDay + 999), '2024-02-29T23:59:59')
  for (const sent of ['2023-02-29 00:00:00Z', '2024-01-01 24:00:00Z', '2024-01-01', 'now', '', 5]) {
    assert.match(faultOf(timestamp.read(sent, 'postDate')).detail, /^postDate must be a timestamp/)
  }
})

void test('the fields are in the order of the contract, in both formats', () => {
  const names = (fields: readonly { readonly name: string }[]) => fields.map((field) => field.name).join(' ')
  const { jsonFields, xmlFields, writableFields } = trailImageDetails
  assert.equal(
    names(jsonFields),
    'caption detailUrl displayName imageID lat lon mimeType postDate submitterAcctID title trailID trailName',
  )
  assert.equal(
    names(xmlFields),
    'addUser caption detailUrl displayName email imageID lat lon mimeType postDate submitterAcctID title trailID trailName',
  )
  assert.equal(names(writableFields), 'caption lat lon title')
})

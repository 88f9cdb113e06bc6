// The kinds of a route, by themselves: lengths, gpx and the day (contract C10, C11, C12, C34).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { americanDay, gpxText, miles, milesText, maxMiles } from '../../../src/shared/classic/route-kinds.ts'
import { assertFault, valueOf } from '../contract-helpers.ts'

const read = (sent: unknown): string | undefined => valueOf(miles.read(sent, 'length'))

void test('C11: up to 15 digits are kept as sent, and are returned the same', () => {
  const digits = fc
    .tuple(fc.nat({ max: 999_999 }), fc.stringMatching(/^(\d{1,9})?$/))
    .map(([whole, fraction]) => (fraction === '' ? String(whole) : `${whole}.${fraction}`))
  fc.assert(
    fc.property(digits, (text) => {
      fc.pre(Number(text) > 0)
      assert.equal(read(text), text)
      assert.equal(read(` ${text}\n`), text)
      assert.equal(read(read(text)), text)
      assert.equal(miles.writeJson(text), text)
      assert.equal(miles.writeXml(text), text)
    }),
  )
})

void test('C11: any accepted number is valid JSON and an XML decimal, correct to 15 digits, and stable', () => {
  const numbers = fc.double({ min: 1e-9, max: maxMiles, noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(numbers, (value) => {
      for (const sent of [value, String(value), value.toExponential(), value.toPrecision(17)]) {
        const text = read(sent) ?? ''
        assert.match(text, /^(0|[1-9]\d*)(\.\d+)?$/)
        assert.equal(Number(text), Number(value.toPrecision(15)), `${sent} → ${text}`)
        assert.equal(JSON.parse(miles.writeJson(text)), Number(text))
        assert.equal(read(text), text)
      }
    }),
  )
})

void test('C34: nothing, blanks and every zero leave the length unset; so does a number too small to write', () => {
  const silent = [
    '',
    ' ',
    '\t\r\n ',
    0,
    -0,
    '0',
    '-0',
    '+0.0',
    '0.000',
    '.0',
    '0.',
    '0e9',
    '-0E-9',
    '1e-99',
    1e-300,
  ]
  for (const sent of [...silent, `0.${'0'.repeat(60)}1`]) assert.equal(read(sent), undefined, String(sent))
  assert.equal(read('1e-30'), `0.${'0'.repeat(29)}1`)
})

void test('C34: a length that is not a number, negative, or over 1,000,000 is refused in one sentence', () => {
  const wrong = [-1, '-1', '-1e-9', Number.NaN, Infinity, -Infinity, 'NaN', 'Infinity', '1e400', 1_000_001]
  const words = [
    '1000000.0000001',
    '1e7',
    'five',
    '1,5',
    '0x1',
    '1 2',
    '+-1',
    '.',
    '-',
    'e5',
    '1e',
    '١',
    '1n',
    '1_0',
  ]
  for (const sent of [...wrong, ...words, true, false, [], ['1'], {}, 1n, '9'.repeat(400)]) {
    assertFault(
      miles.read(sent, 'length'),
      'invalid-field',
      'length must be a number of miles from 0 to 1000000.',
    )
  }
  assert.equal(read('1000000'), '1000000')
  assert.equal(read(1_000_000), '1000000')
})

void test('C11: miles are written with 15 digits at most, without an exponent', () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, '0'],
    [1, '1'],
    [100, '100'],
    [12.5, '12.5'],
    [0.1 + 0.2, '0.3'],
    [2 / 3, '0.666666666666667'],
    [200_000 / 3, '66666.6666666667'],
    [1e-7, '0.0000001'],
    [1.234_567_890_123_45e-7, '0.000000123456789012345'],
    [999_999.999_999_999_9, '1000000'],
    [4_700_000_000, '4700000000'],
    [69.170_724_7, '69.1707247'],
  ]
  for (const [value, text] of cases) assert.equal(milesText(value), text)
})

void test('C12: a gpx is any text, including the empty one, and nothing else', () => {
  for (const text of ['', ' ', '<gpx/>', '\r\n', '\u{feff}']) {
    assert.equal(valueOf(gpxText.read(text, 'gpx')), text)
    assert.equal(gpxText.writeXml(text), text)
    assert.equal(JSON.parse(gpxText.writeJson(text)), text)
  }
  assert.equal(gpxText.writeJson('a/"b"'), '"a/\\"b\\""')
  for (const sent of [5, true, [], {}]) {
    assertFault(gpxText.read(sent, 'gpx'), 'invalid-field', 'gpx must be a string: a GPX document, or "".')
  }
})

void test('C10: dateCreated is MM/DD/YY in UTC in JSON, and a timestamp to the second in XML', () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [Date.UTC(2026, 0, 2, 0, 0, 0), '"01/02/26"', '2026-01-02T00:00:00'],
    [Date.UTC(2026, 11, 31, 23, 59, 59, 999), '"12/31/26"', '2026-12-31T23:59:59'],
    [Date.UTC(2000, 1, 29, 13), '"02/29/00"', '2000-02-29T13:00:00'],
    [Date.UTC(1999, 9, 10, 1, 2, 3), '"10/10/99"', '1999-10-10T01:02:03'],
    [0, '"01/01/70"', '1970-01-01T00:00:00'],
  ]
  for (const [at, json, xml] of cases) {
    assert.equal(americanDay.writeJson(at), json)
    assert.equal(americanDay.writeXml(at), xml)
  }
})

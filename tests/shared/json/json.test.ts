// Reading JSON: strict, bounded, and every refusal names its line and column.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { findJsonProblem } from '../../../src/shared/json/json-scan.ts'
import { readJson } from '../../../src/shared/json/json.ts'
import {
  assertFault,
  bytesOf,
  faultOf,
  forbiddenInXml,
  joined,
  quickestMs,
  valueOf,
} from '../contract-helpers.ts'

const refused: readonly (readonly [text: string, detail: string])[] = [
  ['', 'Not JSON: a value was expected (line 1, column 1).'],
  ['{', 'Not JSON: a name in double quotes or } was expected (line 1, column 2).'],
  ['[', 'Not JSON: a value or ] was expected (line 1, column 2).'],
  ['{"title": "a",\n "caption": }', 'Not JSON: a value was expected (line 2, column 13).'],
  ['{"a":1,}', 'Not JSON: a name in double quotes was expected (line 1, column 8).'],
  ['{"a" 1}', 'Not JSON: a colon was expected (line 1, column 6).'],
  ['[1\r\n2]', 'Not JSON: a comma or the closing bracket was expected (line 2, column 1).'],
  ['[1}', 'Not JSON: a comma or the closing bracket was expected (line 1, column 3).'],
  ['[}', 'Not JSON: a value or ] was expected (line 1, column 2).'],
  ['true false', 'Not JSON: the end of the body was expected (line 1, column 6).'],
  ["{'a':1}", 'Not JSON: a name in double quotes or } was expected (line 1, column 2).'],
  ['[01]', 'Not JSON: a value or ] was expected (line 1, column 2).'],
  ['["\u{1f3d4}\u{1f3d4}\\x"]', 'Not JSON: unknown escape sequence (line 1, column 5).'],
  ['["a\nb"]', 'Not JSON: U+000A must be escaped in a string (line 1, column 4).'],
  ['["\u{1f}"]', 'Not JSON: U+001F must be escaped in a string (line 1, column 3).'],
  ['["a', 'Not JSON: unterminated string (line 1, column 2).'],
  ['{"a":"\\u0000"}', 'The character U+0000 is not allowed (line 1, column 7).'],
  ['{"\\u001F":1}', 'The character U+001F is not allowed (line 1, column 3).'],
  ['["\\b"]', 'The character U+0008 is not allowed (line 1, column 3).'],
  ['["\\f"]', 'The character U+000C is not allowed (line 1, column 3).'],
  ['["\u{ffff}"]', 'The character U+FFFF is not allowed (line 1, column 3).'],
  ['["\\ufffe"]', 'The character U+FFFE is not allowed (line 1, column 3).'],
  ['["\\ud800"]', 'U+D800 is an unpaired surrogate (line 1, column 3).'],
  ['["\\udc00\\ud800"]', 'U+DC00 is an unpaired surrogate (line 1, column 3).'],
  ['["\\ud800\u{1f3d4}"]', 'U+D800 is an unpaired surrogate (line 1, column 3).'],
]

for (const [text, detail] of refused) {
  void test(`JSON ${JSON.stringify(text)} is refused`, () => {
    assertFault(readJson(bytesOf(text)), 'malformed-body', detail)
  })
}

void test('everything JSON allows is accepted: escaped pairs and slashes, tab, LF and CR, a byte-order mark', () => {
  assert.equal(
    valueOf(readJson(bytesOf('"\\ud83c\\udfd4 \\/ / \\t\\n\\r \u{7f}\u{85}\u{2028}\u{1ffff}"'))),
    '\u{1f3d4} / / \t\n\r \u{7f}\u{85}\u{2028}\u{1ffff}',
  )
  assert.deepEqual(valueOf(readJson(joined([0xef, 0xbb, 0xbf], bytesOf(' {"a":[1e2]} ')))), { a: [100] })
  assert.deepEqual(valueOf(readJson(bytesOf('{"a":1,"a":2}'))), { a: 2 })
})

void test('a second byte-order mark and invalid UTF-8 are refused at their position', () => {
  assertFault(
    readJson(bytesOf('\u{feff}\u{feff}{}')),
    'malformed-body',
    /a value was expected \(line 1, column 1\)/,
  )
  const invalid: readonly (readonly number[])[] = [
    [0xff],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xe2, 0x82],
    [0xf5, 0x80, 0x80, 0x80],
  ]
  for (const bytes of invalid) {
    const body = joined(bytesOf('{\n"\u{fffd}é\u{1f3d4}":"'), bytes, bytesOf('"}'))
    assertFault(readJson(body), 'malformed-body', 'The bytes are not valid UTF-8 (line 2, column 8).')
  }
})

void test('64 levels are read, 65 are refused where the 65th opens', () => {
  const nested = (depth: number) => bytesOf('[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2))
  assert.ok(readJson(nested(64)).ok)
  assertFault(readJson(nested(66)), 'malformed-body', 'Nesting is deeper than 64 (line 1, column 193).')
  assertFault(
    readJson(bytesOf('['.repeat(1_000_000))),
    'malformed-body',
    'Nesting is deeper than 64 (line 1, column 65).',
  )
})

void test('no name in a body affects the prototype of objects', () => {
  const read = valueOf(
    readJson(bytesOf('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')),
  )
  assert.equal(Reflect.get({}, 'polluted'), undefined)
  assert.equal(Object.getPrototypeOf(read), Object.prototype)
})

/**
 * The contract's own words for what is read: JSON.parse takes it, and no string in it holds what XML 1.0
 * forbids.
 */
const isReadable = (text: string): boolean => {
  let holdsForbidden = false
  try {
    JSON.parse(text, (name: string, value: unknown) => {
      if (forbiddenInXml.test(name) || (typeof value === 'string' && forbiddenInXml.test(value)))
        holdsForbidden = true
      return value
    })
  } catch {
    return false
  }
  return !holdsForbidden
}

const plainCharacters = fc.string({ unit: fc.constantFrom('a', 'é', ' ', '/', '"', '\\', '\n', '\u{1f3d4}') })
const plainJson = fc.jsonValue({ stringUnit: 'grapheme-ascii', maxDepth: 5 })

void test('the scan accepts exactly what JSON.parse accepts, except characters that XML forbids', () => {
  const chunks = fc.constantFrom(...'{ } [ ] , : "a" 1 -0.5e+3 true null " \\ u0041 0 . e'.split(' '), ' ')
  fc.assert(
    fc.property(fc.array(chunks, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      assert.equal(findJsonProblem(text) === undefined, isReadable(text), text)
    }),
    { numRuns: 4_000 },
  )
  fc.assert(
    fc.property(
      plainJson,
      fc.nat(),
      fc.constantFrom('', ',', '"', '}', ']', '\\', '0', ' ', '-'),
      (value, at, chunk) => {
        const text = JSON.stringify(value, undefined, at % 3)
        assert.equal(findJsonProblem(text), undefined, text)
        const index = at % (text.length + 1)
        const broken = text.slice(0, index) + chunk + text.slice(index + 1)
        assert.equal(findJsonProblem(broken) === undefined, isReadable(broken), broken)
      },
    ),
    { numRuns: 2_000 },
  )
})

void test('strings are read back as written', () => {
  fc.assert(
    fc.property(plainCharacters, (text) => {
      assert.equal(valueOf(readJson(bytesOf(JSON.stringify(text)))), text)
    }),
  )
})

void test('the worst case of 64 KiB is read or refused within 50 ms', () => {
  const fill = (chunk: string) => chunk.repeat(Math.floor(65_536 / chunk.length))
  const bodies = [
    fill('['),
    fill('"'),
    fill('\\'),
    `"${fill('\\\\')}`,
    `[${fill('0,')}x`,
    `"${fill('\\u0041')}`,
    fill(' '),
    fill('-'),
    `[${'1'.repeat(65_000)}x`,
    `{${fill('"a":1,')}`,
    `"${fill('\n')}`,
  ]
  for (const body of bodies) {
    const bytes = bytesOf(body)
    assert.match(faultOf(readJson(bytes)).detail, /line \d+, column \d+/)
    const ms = quickestMs(() => void readJson(bytes))
    assert.ok(ms < 50, `${body.slice(0, 12)}… took ${ms} ms`)
  }
  const invalid = joined(new Uint8Array(65_535).fill(0x20), [0xff])
  assert.ok(quickestMs(() => void readJson(invalid)) < 50)
})

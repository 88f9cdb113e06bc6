// Long text in chunks equals the original, wherever it is split.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeShapes } from '../../../src/shared/classic/classic-shapes.ts'
import { readJson } from '../../../src/shared/json/json.ts'
import { jsonTexts } from '../../../src/shared/json/json-texts.ts'
import { aheadCharacters, textOfChunks, viewOf } from '../../../src/shared/text/long-text.ts'
import { placeOf, placing } from '../../../src/shared/classic/reading.ts'
import { atOnce } from '../../../src/shared/yielding.ts'
import { assertFault, bytesOf, faultOf, valueOf } from '../contract-helpers.ts'

void test('chunks behave as one text: every character, every slice and every position', () => {
  const whole = 'a\r\n\u{1f3d4}b\nc\u{1f3d4}'
  for (let first = 1; first < whole.length - 1; first += 1)
    for (let second = first + 1; second < whole.length; second += 1) {
      const text = textOfChunks([whole.slice(0, first), whole.slice(first, second), whole.slice(second)])
      assert.equal(text.length, whole.length)
      for (let from = whole.length; from >= 0; from -= 1) {
        assert.equal(text.charCodeAt(from), whole.charCodeAt(from))
        for (let until = from; until <= whole.length; until += 1)
          assert.equal(text.slice(from, until), whole.slice(from, until))
        assert.deepEqual(atOnce(placing(text, from)), placeOf(whole, from))
      }
    }
})

void test('a view shows the text at any position, with enough of what follows', () => {
  const whole = Array.from({ length: 120_000 }, (_, index) => `${index}\n`).join('')
  const view = viewOf(textOfChunks([whole.slice(0, 300_001), whole.slice(300_001)]))
  const ahead = new RegExp(`[\\d\\n]{${aheadCharacters}}`, 'y')
  for (let index = 0; index < whole.length - aheadCharacters; index += 777) {
    assert.equal(view.charAt(index), whole.charAt(index))
    assert.equal(view.endOf(ahead, index), index + aheadCharacters)
    assert.equal(view.matchAt(/\d*\n/y, index)?.[0], whole.slice(index, whole.indexOf('\n', index) + 1))
  }
})

void test('a long body is read as by JSON.parse, wherever its chunks and views end', () => {
  const space = ' '.repeat(40_000)
  const member = (index: number): string =>
    [
      `{"n":${index}.5e1,\n"t":[true,null,"\\ud83c\\udfd4 山 \\"${index}"]}`,
      `"\u{1f3d4}${'é\\n'.repeat(index % 90)}"`,
      `-${index}`,
      index % 1_000 === 0 ? `[${space}{"a"${space}:${space}"${'x'.repeat(50_000)}"${space}}${space}]` : '[]',
    ].join(index % 3 === 0 ? ' , ' : ',')
  for (const shift of [0, 1, 5]) {
    const body = `${' '.repeat(shift)}[${Array.from({ length: 12_000 }, (_, index) => member(index)).join(',')}]`
    assert.deepEqual(valueOf(readJson(bytesOf(body))), JSON.parse(body))
  }
})

void test('a name or a number of more than 16,384 characters is refused where it begins', () => {
  const long = 'a'.repeat(16_383)
  assert.deepEqual(valueOf(readJson(bytesOf(`{"${long}":1}`))), { [long]: 1 })
  const detail = 'has more than 16384 characters (line 1, column 2).'
  assertFault(readJson(bytesOf(`{"${long}aa":1}`)), 'malformed-body', `A name ${detail}`)
  assert.deepEqual(valueOf(readJson(bytesOf(`[0.${'1'.repeat(16_382)}]`))), [1 / 9])
  assertFault(readJson(bytesOf(`[0.${'1'.repeat(17_000)}]`)), 'malformed-body', `A number ${detail}`)
})

void test('a parsed value is written as by JSON.stringify, in short chunks', () => {
  const value: unknown = JSON.parse(
    `{"a":[${'[1.5,null],'.repeat(9_000)}{}],"\\"":{"b":"\u{1f3d4}","__proto__":[]}}`,
  )
  const chunks = [...jsonTexts(value)]
  assert.equal(chunks.join(''), JSON.stringify(value))
  assert.ok(chunks.length > 4)
})

void test('the characters of a text longer than a million are not counted exactly', () => {
  const { name } = routeShapes.short.fields
  const reported = (characters: number): string =>
    faultOf(name.kind.read('x'.repeat(characters), 'name')).detail
  assert.equal(reported(1_000_000), 'name may have at most 1000 characters; this one has 1000000.')
  assert.equal(reported(1_000_001), 'name may have at most 1000 characters; this one has more than 500000.')
})

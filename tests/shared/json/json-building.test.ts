// Long JSON is put together of parts, and comes out as JSON.parse has it: order of names, repeated ones and __proto__ included.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJson } from '../../../src/shared/json/json.ts'
import { createRandom } from '../../helpers/containers-fixtures.ts'

const random = createRandom(20)
const below = (max: number): number => Math.floor(random() * max)
const blank = (): string => ['', ' ', '\n', '\t \r\n'][below(4)] ?? ''

function stringOf(length: number): string {
  const chunks = ['a', '\\n', '\\u20ac', '€', '🥾', ',', '}', ']', ':', '\\"']
  let text = ''
  while (text.length < length) text += chunks[below(chunks.length)]
  return `"${text}"`
}

function valueOf(depth: number): string {
  const kind = below(depth > 5 ? 4 : 7)
  if (kind === 0) return stringOf(below(20))
  if (kind === 1) return stringOf(below(20) === 0 ? 40_000 : 5)
  if (kind === 2) return ['true', 'false', 'null', '-1.5e3', '0'][below(5)] ?? '0'
  if (kind === 3) return String(below(1_000_000))
  const count = below(10) === 0 ? 6_000 : below(6)
  const member = (): string => {
    const value = count > 100 ? String(below(1_000)) : valueOf(depth + 1)
    const name = ['"__proto__"', '"a"', `"${below(50)}"`, `"n${below(9_000)}"`][below(4)] ?? '"b"'
    return kind === 4
      ? `${blank()}${value}${blank()}`
      : `${blank()}${name}${blank()}:${blank()}${value}${blank()}`
  }
  const members = Array.from({ length: count }, member).join()
  return kind === 4 ? `[${members}]` : `{${members}}`
}

void test('issue 20: JSON with long parts of any kind is read as JSON.parse does', () => {
  let longest = 0
  for (let round = 0; round < 300; round += 1) {
    const text = `${blank()}[${valueOf(0)},${valueOf(0)},{"last":${valueOf(0)}}]${blank()}`
    longest = Math.max(longest, text.length)
    const reading = readJson(Buffer.from(text))
    assert.ok(reading.ok, JSON.stringify(reading))
    const expected: unknown = JSON.parse(text)
    assert.deepEqual(reading.value, expected)
    // Order and names that are no prototype, too.
    assert.equal(JSON.stringify(reading.value), JSON.stringify(expected))
  }
  assert.ok(longest > 100_000, String(longest))
})

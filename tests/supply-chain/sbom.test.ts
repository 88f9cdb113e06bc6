// The committed bill of materials matches the lockfile (trust 63). And proves that it can fail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  sbomText,
  sbomViolations,
  withoutChance,
  type Component,
  type Sbom,
} from '../../scripts/sbom-parts.ts'
import { packagesOf, readJson, readLockfile, readManifest } from './project.ts'

void test('trust 63: the bill of materials lists what is shipped, with hash and licence', async () => {
  const sbom = (await readJson('docs/supply-chain/sbom.cdx.json')) as Sbom
  const locked = packagesOf(await readLockfile())
  assert.ok(sbom.components.length > 100, 'it was read')
  assert.deepEqual(sbomViolations(sbom, await readManifest(), locked), [], 'run npm run sbom')
})

const project = { name: 'project', version: '0.0.1' }
const hash = 'ab'.repeat(64)
const alpha: Component = {
  'bom-ref': 'alpha@1.2.3',
  type: 'library',
  name: 'alpha',
  version: '1.2.3',
  hashes: [{ alg: 'SHA-512', content: hash }],
  licenses: [{ license: { id: 'MIT' } }],
}
const locked = {
  name: 'alpha',
  entry: {
    version: '1.2.3',
    integrity: `sha512-${Buffer.from(hash, 'hex').toString('base64')}`,
    license: 'MIT',
  },
}
const sound: Sbom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { 'bom-ref': 'project@0.0.1', type: 'application', ...project } },
  components: [alpha],
  dependencies: [
    { ref: 'alpha@1.2.3', dependsOn: [] },
    { ref: 'project@0.0.1', dependsOn: ['alpha@1.2.3'] },
  ],
}

void test('a matching list has no violations, and development packages are ignored', () => {
  const development = { name: 'beta', entry: { version: '1.0.0', dev: true } }
  assert.deepEqual(sbomViolations(sound, project, [locked, development]), [])
})

const entry = locked.entry
const seeded: readonly [string, Parameters<typeof sbomViolations>, RegExp][] = [
  [
    'a new package',
    [sound, project, [locked, { name: 'beta', entry: { version: '1.0.0' } }]],
    /lacks beta 1\.0\.0/,
  ],
  ['a package that is gone', [sound, project, []], /lists alpha 1\.2\.3/],
  [
    'another version',
    [sound, project, [{ name: 'alpha', entry: { ...entry, version: '1.2.4' } }]],
    /lacks alpha 1\.2\.4/,
  ],
  [
    'other bytes',
    [sound, project, [{ name: 'alpha', entry: { ...entry, integrity: 'sha512-AAAA' } }]],
    /lacks alpha/,
  ],
  [
    'another licence',
    [sound, project, [{ name: 'alpha', entry: { ...entry, license: 'ISC' } }]],
    /lacks alpha 1\.2\.3 .*ISC/,
  ],
  ['another release', [sound, { ...project, version: '0.0.2' }, [locked]], /is of project 0\.0\.1/],
  [
    'a dependency that is not listed',
    [{ ...sound, dependencies: [{ ref: 'project@0.0.1', dependsOn: ['beta@1'] }] }, project, [locked]],
    /speaks of beta@1/,
  ],
  [
    'a component without its place',
    [{ ...sound, dependencies: [] }, project, [locked]],
    /does not say what alpha/,
  ],
  ['a package twice', [{ ...sound, components: [alpha, alpha] }, project, [locked]], /alpha@1\.2\.3 twice/],
  [
    'a serial number',
    [{ ...sound, serialNumber: 'urn:uuid:1' } as Sbom, project, [locked]],
    /has serialNumber/,
  ],
]

for (const [what, given, expected] of seeded) {
  void test(`the check of the bill of materials finds ${what}`, () => {
    assert.match(sbomViolations(...given).join('\n'), expected)
  })
}

void test('two runs of npm, of different versions and in different folders, give the same text', () => {
  const run = (folder: string, tool: string, order: 1 | -1) => ({
    ...sound,
    serialNumber: `urn:uuid:${folder}`,
    metadata: {
      timestamp: folder,
      tools: [{ name: tool }],
      component: { ...sound.metadata.component, name: folder },
    },
    components: [{ ...alpha, properties: [{ name: tool }] }, ...(order === 1 ? [alpha] : [])],
    dependencies: [...sound.dependencies, ...sound.dependencies].sort((a, b) =>
      a.ref < b.ref ? -order : order,
    ),
  })
  const first = sbomText(withoutChance(run('here', 'npm 10', 1), project, [locked]))
  assert.equal(first, sbomText(withoutChance(run('there', 'npm 11', -1), project, [locked])))
  assert.deepEqual(JSON.parse(first), sound)
})

void test('development-only packages are left out, and those used for both stay', () => {
  const beta = { ...alpha, 'bom-ref': 'beta@1.0.0', name: 'beta', version: '1.0.0' }
  const all: Sbom = {
    ...sound,
    components: [alpha, beta],
    dependencies: [
      { ref: 'alpha@1.2.3', dependsOn: [] },
      { ref: 'beta@1.0.0', dependsOn: ['alpha@1.2.3'] },
      { ref: 'project@0.0.1', dependsOn: ['alpha@1.2.3', 'beta@1.0.0'] },
    ],
  }
  const development = { name: 'beta', entry: { version: '1.0.0', dev: true } }
  assert.deepEqual(withoutChance(all, project, [locked, development]), sound)
})

// Installing runs nobody else's code (trust 63). And shows that it can fail.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { installScriptViolations, npmSettingViolations } from './install-script-rules.ts'
import { readInstalled, readLockfile, readManifest, root, type Installed, type Manifest } from './project.ts'

void test('trust 63: no package runs a script when it is installed', async () => {
  const [manifest, lockfile] = [await readManifest(), await readLockfile()]
  assert.deepEqual(installScriptViolations(manifest, lockfile, await readInstalled(lockfile)), [])
})

void test('trust 63: npm is configured to run no install scripts and to write no registry addresses', async () => {
  assert.deepEqual(npmSettingViolations(await readFile(path.join(root, '.npmrc'), 'utf8')), [])
})

const project: Manifest = { name: 'project', version: '0.0.1' }
const alpha: Installed = { place: 'node_modules/alpha', license: 'MIT', scripts: {}, hasNativeBuild: false }
const lockOf = (hasInstallScript: boolean) => ({
  lockfileVersion: 3,
  packages: { '': {}, 'node_modules/alpha': { version: '1.2.3', hasInstallScript } },
})

void test('packages without install scripts, or allowed to have them, are not violations', () => {
  const tests = { ...alpha, scripts: { test: 'node --test', prepare: 'build' } }
  assert.deepEqual(installScriptViolations(project, lockOf(false), [tests]), [])
  assert.deepEqual(
    installScriptViolations({ ...project, allowScripts: { alpha: true } }, lockOf(true), [alpha]),
    [],
  )
})

const seeded: readonly [string, Parameters<typeof installScriptViolations>, RegExp][] = [
  ['what the lockfile says', [project, lockOf(true), []], /alpha runs a script/],
  [
    'what only the package says',
    [project, lockOf(false), [{ ...alpha, scripts: { postinstall: 'node steal.js' } }]],
    /alpha runs a script/,
  ],
  [
    'a native build without a script',
    [project, lockOf(false), [{ ...alpha, hasNativeBuild: true }]],
    /alpha runs a script/,
  ],
  [
    'one that is denied',
    [{ ...project, allowScripts: { alpha: false } }, lockOf(true), []],
    /alpha runs a script/,
  ],
  [
    'an allowance that nothing needs',
    [{ ...project, allowScripts: { alpha: true } }, lockOf(false), [alpha]],
    /alpha may run a script when it is installed and has none/,
  ],
]

for (const [what, given, expected] of seeded) {
  void test(`the install script check finds ${what}`, () => {
    assert.match(installScriptViolations(...given).join('\n'), expected)
  })
}

void test('the check of .npmrc finds missing and unexpected lines', () => {
  const sound = 'fund=false\nignore-scripts=true\nomit-lockfile-registry-resolved=true\n'
  assert.deepEqual(npmSettingViolations(sound), [])
  assert.match(
    npmSettingViolations(sound.replace('ignore-scripts=true', 'ignore-scripts=false')).join('\n'),
    /lacks ignore-scripts/,
  )
  for (const line of [
    'registry=https://registry.example/',
    '@scope:registry=https://registry.example/',
    '//registry.example/:_authToken=x',
    'strict-ssl=false',
  ])
    assert.deepEqual(npmSettingViolations(`${sound}${line}\n`), [`.npmrc has ${line}`])
})

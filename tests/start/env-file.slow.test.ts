// A settings file that is not there, in every way in which the command is started. Node has an option of the same name, for
// which it searches all arguments up to "--", before it runs any script (decision 0129).
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import packageFile from '../../package.json' with { type: 'json' }
import { newFolder } from '../helpers/folders.ts'

const root = path.resolve(import.meta.dirname, '../..')
const entry = path.join(root, packageFile.bin.waymark)
const skip = process.platform === 'win32' && 'needs a shell'

function run(program: string, args: readonly string[], dataDir: string) {
  const { PATH } = process.env
  const env = { PATH: `${path.dirname(process.execPath)}:${PATH}`, DATA_DIR: dataDir, WEB_APP: 'off' }
  const { status, stderr, stdout } = spawnSync(program, args, { cwd: root, env, encoding: 'utf8' })
  return { status, stderr, stdout }
}

const refusal = { status: 1, stdout: '', stderr: 'There is no settings file MISSING.\n' }

void test('a missing settings file gives one sentence from Waymark and exit code 1', { skip }, async (t) => {
  const folder = await newFolder(t)
  const linked = path.join(folder, 'waymark') // as npm links the command
  symlinkSync(entry, linked)
  const installed = path.join(folder, 'installed') // as the package does, and the image
  symlinkSync(path.join(root, 'bin/waymark'), installed)
  const ways: readonly (readonly [string, readonly string[]])[] = [
    [linked, []],
    [installed, []],
    [process.execPath, ['--', entry]],
  ]
  for (const [program, words] of ways)
    for (const args of [
      ['--env-file', 'MISSING', 'doctor'],
      ['doctor', '--env-file', 'MISSING'],
      ['serve', '--env-file=MISSING'],
    ])
      assert.deepEqual(
        run(program, [...words, ...args], folder),
        refusal,
        [program, ...words, ...args].join(' '),
      )
})

void test('npm start, the image and the npm link start Node with "--"', { skip }, async (t) => {
  assert.match(packageFile.scripts.start, /^node -- bin\/waymark\.cjs serve$/)
  const { status, stderr } = run(
    'npm',
    ['start', '--silent', '--', '--env-file', 'MISSING'],
    await newFolder(t),
  )
  assert.deepEqual([status, stderr], [1, refusal.stderr])
})

void test('without "--" Node takes the option itself; once that ends, the note in docs/cli.md is obsolete', async (t) => {
  const { status, stderr } = run(
    process.execPath,
    [entry, '--env-file', 'MISSING', 'doctor'],
    await newFolder(t),
  )
  assert.equal(status, 9)
  assert.match(stderr, /MISSING: not found\n$/)
})

// The same commit gives the same package, byte for byte: built in two checkouts, the second later, with another path,
// umask, time zone and locale, and after an earlier build.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import packageFile from '../../package.json' with { type: 'json' }
import { whyMissing } from '../helpers/tools.ts'
import { root } from './files.ts'

const run = promisify(execFile)
const { version } = packageFile
const skip =
  process.platform === 'linux' && process.arch === 'x64'
    ? whyMissing('git', 'tar', 'gzip', 'dpkg-deb', 'cp')
    : 'needs Linux, x86-64'
const files = [`waymark_${version}_amd64.deb`, `waymark-${version}-linux-x64.tar.gz`]

const git = (folder: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@trails.example', ...words], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })

/** Commits everything in this checkout, committed or not. */
async function checkOut(folder: string): Promise<void> {
  git(root, 'clone', '--quiet', '--no-hardlinks', '--depth', '1', `file://${root}`, folder)
  const changed = git(root, 'ls-files', '-z', '--modified', '--others', '--deleted', '--exclude-standard')
  for (const name of new Set(changed.split('\0').filter(Boolean))) {
    const bytes = await readFile(path.join(root, name)).catch(() => undefined)
    if (bytes === undefined) await rm(path.join(folder, name), { force: true })
    else {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
      await writeFile(path.join(folder, name), bytes)
    }
  }
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'all there is')
}

/** As `npm ci` would have brought them: vite notes where modules are, as seen from the checkout. */
const copyModules = (folder: string): void =>
  void execFileSync('cp', ['-a', path.join(root, 'node_modules'), path.join(folder, 'node_modules')])

async function build(folder: string, environment: Readonly<Record<string, string>>): Promise<Buffer[]> {
  const words = ['-c', `umask ${environment['UMASK']}; exec "$0" scripts/package.ts`, process.execPath]
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment }
  await run('sh', words, { cwd: folder, env, maxBuffer: 2 ** 24 })
  return Promise.all(files.map((file) => readFile(path.join(folder, 'dist/package', file))))
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

void test('two builds of one commit have the same bytes', { skip, timeout: 900_000 }, async (t) => {
  const parent = await mkdtemp(path.join(tmpdir(), 'waymark-package-'))
  t.after(() => rm(parent, { recursive: true, force: true }))
  const one = path.join(parent, 'one')
  await checkOut(one)
  copyModules(one)
  const first = await build(one, { UMASK: '022', LANG: 'C', TZ: 'UTC' })

  const other = path.join(parent, 'a longer name', 'other')
  git(parent, 'clone', '--quiet', one, other)
  copyModules(other)
  await mkdir(path.join(other, 'dist/web/app'), { recursive: true })
  await writeFile(path.join(other, 'dist/web/app/older-build.js'), '0')
  await writeFile(path.join(other, 'dist/web/.stamp.json'), '{"digest":"0","files":["older-build.js"]}')
  await chmod(path.join(other, 'package.json'), 0o600)
  const second = await build(other, { UMASK: '077', LANG: 'en_US.UTF-8', TZ: 'Pacific/Auckland' })
  assert.deepEqual(second.map(digestOf), first.map(digestOf))

  // They contain no build times or owners.
  const listed = execFileSync('dpkg-deb', ['--contents', path.join(other, 'dist/package', files[0] ?? '')], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    env: { ...process.env, TZ: 'UTC' },
  })
  const committed = new Date(Number(git(one, 'log', '-1', '--format=%ct')) * 1_000)
  const minute = committed.toISOString().slice(0, 16).replace('T', ' ')
  const strange = listed
    .trim()
    .split('\n')
    .filter((line) => !/^\S+ root\/root /.test(line) || !line.includes(` ${minute} `))
  assert.deepEqual(strange.slice(0, 5), [])
  assert.ok(!listed.includes('older-build'))
})

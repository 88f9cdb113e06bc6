// The entries on a Node too old for Waymark: the one that npm ci brought takes over, and without it there is one sentence.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../faults/harness/server.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')

/** The Node of this machine: the one that npm runs on, or without npm the one on the PATH. An old one, on a machine with an old one. */
const ownNode = process.env['npm_node_execpath'] ?? 'node'

async function isOld(): Promise<boolean> {
  const { stdout } = await run(ownNode, ['--print', 'process.versions.node'])
  return Number(stdout.split('.')[0]) < 24
}

test('an old Node hands over to the one installed by npm ci', async (t) => {
  if (!(await isOld())) return t.skip('the Node of this machine is not an old one')
  const { stdout } = await run(ownNode, [path.join(root, 'bin/node.cjs'), '--print', 'process.versions.node'])
  assert.ok(Number(stdout.split('.')[0]) >= 24)
  const version = await run(ownNode, [path.join(root, 'bin/waymark.cjs'), '--version'])
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
  const wrong = run(ownNode, [path.join(root, 'bin/waymark.cjs'), 'no-such-command'])
  await assert.rejects(wrong, { code: 1 }, 'the exit code comes through')
})

test('without that one, an old Node is reported in one sentence', async (t) => {
  if (!(await isOld())) return t.skip('the Node of this machine is not an old one')
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-old-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await cp(path.join(root, 'bin'), path.join(folder, 'bin'), { recursive: true })
  for (const args of [
    ['bin/waymark.cjs', 'serve'],
    ['bin/node.cjs', '--test'],
  ]) {
    await assert.rejects(
      run(ownNode, args, { cwd: folder }),
      (error: Error & { code?: number; stderr?: string }) => {
        assert.equal(error.code, 1)
        assert.match(
          error.stderr ?? '',
          /^Waymark needs Node 24 or newer and this is [\d.]+: run "npm ci" once, [^\n]+\.\n$/,
        )
        return true
      },
    )
  }
})

test('a library missing for the installed Node is named in one sentence, not in the loader’s words', async (t) => {
  if (!(await isOld())) return t.skip('the Node of this machine is not an old one')
  if (process.platform !== 'linux') return t.skip('needs the loader of Linux')
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-old-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await cp(path.join(root, 'bin'), path.join(folder, 'bin'), { recursive: true })
  const brought = path.join(folder, `node_modules/node-linux-${process.arch}/bin/node`)
  await mkdir(path.dirname(brought), { recursive: true })

  const says = async (expected: string): Promise<void> => {
    for (const args of [
      ['bin/waymark.cjs', 'serve'],
      ['bin/waymark.cjs', '--version'],
      ['bin/node.cjs', '--test'],
    ]) {
      const failed = run(ownNode, args, { cwd: folder })
      await assert.rejects(failed, (error: Error & { code?: number; stderr?: string }) => {
        assert.equal(
          error.stderr,
          `Waymark runs on the Node that "npm ci" brings, which needs ${expected}.\n`,
        )
        assert.equal(error.code, 1)
        return true
      })
    }
  }

  // This machine has libatomic, so a copy of Node looks for another library: these are the words of the real loader.
  const node = await readFile(process.execPath)
  const name = node.indexOf('libatomic.so.1\0')
  assert.ok(name > 0, 'the Node that npm ci brings no longer needs libatomic')
  node.write('libabsent.so.1', name)
  await writeFile(brought, node, { mode: 0o755 })
  const words = await run(brought, ['--version']).catch(({ code, stderr }) => ({
    code,
    stderr: String(stderr),
  }))
  assert.match(words.stderr, /error while loading shared libraries: libabsent\.so\.1: cannot open/)
  await says('libabsent.so.1, and this system does not have it: install the package that has it')

  const loader = words.stderr.replace('libabsent', 'libatomic').trim()
  await writeFile(brought, `#!/bin/sh\necho '${loader}' >&2\nexit 127\n`)
  const packages = 'run "apt-get install libatomic1" (Debian, Ubuntu) or "dnf install libatomic" (Fedora)'
  await says(`libatomic.so.1, and this system does not have it: ${packages}`)
})

/** A server behind the launcher, once it listens. */
async function startBehindLauncher(t: TestContext) {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-old-'))
  const settings = { DATA_DIR: folder, PORT: '0', PUBLIC_URL: 'http://waymark.example', WEB_APP: 'off' }
  const launcher = spawn(ownNode, [path.join(root, 'bin/waymark.cjs'), 'serve'], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => rm(folder, { recursive: true, force: true }))
  t.after(() => launcher.kill('SIGKILL'))
  for await (const line of createInterface({ input: launcher.stderr })) {
    const url = /listens on (\S+)/.exec(line)?.[1]
    if (url !== undefined) return { launcher, url }
  }
  throw new Error('the server ended before it listened')
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`the launcher forwards ${signal}, and exits as the server exits`, async (t) => {
    if (!(await isOld())) return t.skip('the Node of this machine is not an old one')
    const { launcher } = await startBehindLauncher(t)
    launcher.kill(signal)
    assert.deepEqual(await once(launcher, 'exit'), [0, null])
  })
}

test('a server ends when its launcher is killed', async (t) => {
  if (!(await isOld())) return t.skip('the Node of this machine is not an old one')
  const { launcher, url } = await startBehindLauncher(t)
  launcher.kill('SIGKILL')
  await once(launcher, 'exit')
  const isUp = () => fetch(`${url}/health/live`).then(Boolean, () => false)
  await until(async () => !(await isUp()), 'the server to end')
})

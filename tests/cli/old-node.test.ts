// The entries on a Node too old for Waymark: the one that npm ci brought takes over, and without it there is one sentence.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')

/** The Node that npm itself runs on: an old one, on a machine with an old one. */
const npmNode = process.env['npm_node_execpath']

async function isOld(): Promise<boolean> {
  if (npmNode === undefined) return false
  const { stdout } = await run(npmNode, ['--print', 'process.versions.node'])
  return Number(stdout.split('.')[0]) < 24
}

test('an old Node hands over to the one that npm ci brought', async (t) => {
  if (npmNode === undefined || !(await isOld())) return t.skip('the Node of this machine is not an old one')
  const { stdout } = await run(npmNode, [path.join(root, 'bin/node.cjs'), '--print', 'process.versions.node'])
  assert.ok(Number(stdout.split('.')[0]) >= 24)
  const version = await run(npmNode, [path.join(root, 'bin/waymark.cjs'), '--version'])
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
  const wrong = run(npmNode, [path.join(root, 'bin/waymark.cjs'), 'no-such-command'])
  await assert.rejects(wrong, { code: 1 }, 'the exit code comes through')
})

test('without that one, an old Node is told so in one sentence', async (t) => {
  if (npmNode === undefined || !(await isOld())) return t.skip('the Node of this machine is not an old one')
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-old-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await cp(path.join(root, 'bin'), path.join(folder, 'bin'), { recursive: true })
  for (const args of [
    ['bin/waymark.cjs', 'serve'],
    ['bin/node.cjs', '--test'],
  ]) {
    await assert.rejects(
      run(npmNode, args, { cwd: folder }),
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

// However a server is started, V8 has the flag that spares it garbage collections; where it cannot, the log says what is lost.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { heapFlag } from '../../src/settings/heap-flag.ts'
import { startServer } from '../faults/harness/server.ts'
import { newFolder } from '../helpers/folders.ts'
import { processesOf } from '../hostile/service.ts'

const root = path.resolve(import.meta.dirname, '../..')
const skip = existsSync('/proc/self/cmdline') ? false : 'this system does not tell processes in /proc'

const argumentsOf = (pid: number): string[] => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')

/** A server started by these arguments of Node: what its process was told, and its log. */
async function startWith(t: TestContext, program: readonly string[]) {
  const server = await startServer({ dataDir: await newFolder(t), program })
  t.after(() => server.end('SIGKILL'))
  // A launcher that stays has the server as its child.
  const pid = processesOf(server.pid).at(-1) ?? 0
  return {
    launched: server.pid,
    pid,
    reported: argumentsOf(pid),
    end: () => server.end('SIGTERM'),
    said: server.said,
  }
}

void test(
  'waymark serve replaces itself with a process that has the flag, which stops cleanly',
  { skip },
  async (t) => {
    const { launched, pid, reported, end, said } = await startWith(t, [
      path.join(root, 'bin/waymark.cjs'),
      'serve',
    ])
    assert.ok(reported.includes(heapFlag), reported.join(' '))
    assert.equal(pid, launched)
    assert.deepEqual(await end(), { code: 0, signal: null })
    assert.doesNotMatch(said.stdout, /--external-memory/)
  },
)

void test('other Node options are kept', { skip }, async (t) => {
  const own = '--max-old-space-size=500'
  const { reported } = await startWith(t, [own, path.join(root, 'bin/waymark.cjs'), 'serve'])
  assert.deepEqual(
    reported.filter((argument) => argument.startsWith('--')),
    [heapFlag, '--no-allocation-site-pretenuring', own, '--'], // and all that is ours comes after it
  )
})

void test('bin/node.cjs starts Node with it', { skip }, async (t) => {
  const args = ['bin/node.cjs', 'bin/waymark.cjs'].map((file) => path.join(root, file))
  const { reported } = await startWith(t, [...args, 'serve'])
  assert.ok(reported.includes(heapFlag), reported.join(' '))
})

void test('a server without it logs once what is lost', { skip }, async (t) => {
  const program = `import(${JSON.stringify(path.join(root, 'cli/cli.ts'))}).then((cli) => cli.main(['serve']))`
  const { reported, end, said } = await startWith(t, ['--eval', program])
  assert.ok(!reported.includes(heapFlag))
  await end()
  assert.equal(said.stdout.match(/Node was started without --external-memory-/g)?.length, 1)
})

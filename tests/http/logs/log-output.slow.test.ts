// A process's log is complete after a normal exit, and an unreadable log does not affect the server (trust 40).
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { newFolder } from '../../helpers/folders.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const batchedLog = path.join(root, 'src/http/logs/batched-log.ts')

/** A program with `log` on stdout, and its own report on stderr. */
const program = (body: string): string[] => [
  '--input-type=module',
  '--eval',
  `import { createBatchedLog } from ${JSON.stringify(batchedLog)}
  const log = createBatchedLog(process.stdout)
  process.once('exit', log.flush)
  ${body}`,
]

void test('trust 40: the last lines are written, however the process exits', async () => {
  const ends = {
    'process.exit(3)': 3,
    "throw new Error('uncaught')": 1,
    "await Promise.reject(new Error('unhandled'))": 1,
    'process.exitCode = 4': 4,
    "setTimeout(() => { log.write('later\\n'); process.exit(5) }, 1)": 5,
  }
  const runs = Object.entries(ends).map(async ([end, code]) => {
    const run = promisify(execFile)(process.execPath, program(`log.write('a\\n'); log.write('b\\n'); ${end}`))
    const failure = (await run.catch((error: unknown) => error)) as { code?: number; stdout: string }
    assert.equal(failure.code, code, end)
    assert.equal(failure.stdout, end.includes('later') ? 'a\nb\nlater\n' : 'a\nb\n', end)
  })
  await Promise.all(runs)
})

const working = `
  for (let turn = 0; turn < 20; turn += 1) {
    log.write('x'.repeat(100) + '\\n')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  process.stderr.write('alive')`

void test('trust 40: a closed log pipe, or a full disk, does not end the process', async (t) => {
  const gone = spawn(process.execPath, program(working), { stdio: ['ignore', 'pipe', 'pipe'] })
  gone.stdout.destroy()
  const reported: Buffer[] = []
  gone.stderr.on('data', (bytes: Buffer) => reported.push(bytes))
  const full =
    process.platform === 'linux'
      ? spawn(process.execPath, program(working), { stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] })
      : undefined
  if (full === undefined) t.diagnostic('no /dev/full here')
  full?.stderr?.on('data', (bytes: Buffer) => reported.push(bytes))
  const ends = await Promise.all([gone, full].map(async (child) => (child ? once(child, 'close') : [0])))
  assert.deepEqual(
    ends.map(([code]) => code as number),
    [0, 0],
  )
  assert.equal(Buffer.concat(reported).toString(), full ? 'alivealive' : 'alive')
})

/** A server whose log goes to `stdout`, until it has received `requests` requests. */
async function serveWithLog(t: TestContext, stdout: 'pipe' | number) {
  const child = spawn(process.execPath, [path.join(root, 'bin/waymark.cjs'), 'serve'], {
    stdio: ['ignore', stdout, 'pipe'],
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: await newFolder(t),
      PORT: '0',
      PUBLIC_URL: 'http://waymark.example',
      WEB_APP: 'off',
    },
  })
  const ended = once(child, 'close') as Promise<[number | null]>
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const { stderr } = child
  assert.ok(stderr)
  let reported = ''
  while (!reported.includes('listens on')) {
    const [bytes] = (await once(stderr, 'data')) as [Buffer]
    reported += bytes.toString()
  }
  stderr.resume()
  const url = /listens on (\S+)/.exec(reported)?.[1] ?? ''
  const ask = async (requests: number): Promise<void> => {
    for (let request = 0; request < requests; request += 1) {
      const answer = await fetch(`${url}/health/live`)
      assert.equal(answer.status, 200)
      await answer.arrayBuffer()
    }
  }
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    return (await ended)[0]
  }
  return { child, ask, stop }
}

void test('trust 40: a stopped server has logged every request', async (t) => {
  const { child, ask, stop } = await serveWithLog(t, 'pipe')
  const chunks: string[] = []
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk))
  await ask(200)
  assert.equal(await stop(), 0)
  const lines = chunks.join('').trimEnd().split('\n')
  const reported = lines.map((line) => JSON.parse(line) as { msg: string; reqId?: string; time: number })
  const requests = reported.filter(({ msg }) => msg === 'request')
  assert.equal(new Set(requests.map(({ reqId }) => reqId)).size, 200)
  const times = reported.map(({ time }) => time)
  assert.deepEqual(
    times,
    [...times].sort((one, other) => one - other),
  )
})

void test('trust 40: a server whose log is no longer read, or whose disk is full, keeps working and stops properly', async (t) => {
  const { child, ask, stop } = await serveWithLog(t, 'pipe')
  child.stdout?.destroy()
  await ask(50)
  assert.equal(await stop(), 0)
  if (process.platform !== 'linux') return t.diagnostic('no /dev/full here')
  const full = await serveWithLog(t, openSync('/dev/full', 'w'))
  await full.ask(50)
  assert.equal(await full.stop(), 0)
})

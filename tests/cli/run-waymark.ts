// Runs the real command as a child process, the way a shell would, and starts a real server where one is wanted.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

const entry = path.resolve(import.meta.dirname, '../../bin/waymark.cjs')

/** Spares each of many short processes the compiling: half of its time. */
const compileCache = path.join(tmpdir(), 'waymark-test-compile-cache')

export interface Ran {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly dataDir: string
  /** Further settings. */
  readonly settings?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
  /** The user (and group) that runs it, where the tests run as root. */
  readonly uid?: number
}

/** The child itself, for a test that treats it otherwise than a shell would. */
export function startChild(args: readonly string[], { dataDir, settings = {}, uid }: RunOptions) {
  // Nothing of this process's own settings gets in.
  const own = {
    DATA_DIR: dataDir,
    XDG_STATE_HOME: path.join(dataDir, 'state'),
    NODE_COMPILE_CACHE: compileCache,
    WEB_APP: 'off', // no test here waits for a build
  }
  const env = { PATH: process.env['PATH'], ...own, ...settings }
  const user = uid === undefined ? {} : { uid, gid: uid }
  return spawn(process.execPath, [entry, ...args], { env, stdio: 'pipe', ...user })
}

export async function run(args: readonly string[], options: RunOptions): Promise<Ran> {
  const child = startChild(args, options)
  child.stdin.end(options.stdin ?? '')
  const [stdout, stderr, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  const [exitCode] = exit as [number | null]
  assert.ok(exitCode !== null, `killed by a signal: ${stderr}`)
  return { exitCode, stdout, stderr }
}

/** Runs with --json, and gives the one document there must be on stdout. */
export async function runJson(args: readonly string[], options: RunOptions) {
  const { exitCode, stdout, stderr } = await run([...args, '--json'], options)
  return { exitCode, document: JSON.parse(stdout) as unknown, stderr }
}

/** The document of a command that must do its work. */
export async function done(args: readonly string[], options: RunOptions): Promise<unknown> {
  const { exitCode, document, stderr } = await runJson(args, options)
  assert.deepEqual([exitCode, stderr], [0, ''])
  return document
}

/** A failure must be one sentence on stderr: one line, begun and ended like one, and nothing of a stack. */
export function assertOneSentence(stderr: string): void {
  assert.match(stderr, /^[^\n]+[.]\n$/)
  assert.doesNotMatch(stderr, /\bat .*:\d+:\d+|node:internal|Error:/)
}

function linesOf(child: ChildProcess) {
  assert.ok(child.stderr)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  return () => said
}

/** Starts `waymark serve` on a free port and waits until it listens. It is stopped when the test ends. */
export async function startServer(t: TestContext, options: RunOptions) {
  const settings = { PORT: '0', PUBLIC_URL: 'http://waymark.example', ...options.settings }
  const child = startChild(['serve'], { ...options, settings })
  const stopped = once(child, 'close') as Promise<[number | null]>
  const said = linesOf(child)
  child.stdout.resume()
  t.after(async () => {
    child.kill('SIGKILL')
    await stopped
  })
  let found: RegExpExecArray | null = null
  while (!found) {
    await Promise.race([once(child.stderr, 'data'), stopped])
    found = /listens on (http:\S+)/.exec(said())
    assert.ok(found || child.exitCode === null, `the server stopped: ${said()}`)
  }
  return {
    url: found[1] ?? '',
    pid: child.pid ?? assert.fail('the server has no pid'),
    /** Ends it as a power cut would, as far as processes go. */
    kill: async (): Promise<void> => {
      child.kill('SIGKILL')
      await stopped
    },
    /** Asks it to stop and gives its exit code. */
    stop: async (): Promise<number | null> => {
      child.kill('SIGTERM')
      return (await stopped)[0]
    },
  }
}

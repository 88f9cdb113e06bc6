// Runs the real command as a child process, and starts real servers.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

const entry = path.resolve(import.meta.dirname, '../../bin/waymark.cjs')

/** Saves many short processes half of their time. */
const compileCache = path.join(tmpdir(), 'waymark-test-compile-cache')

export interface Ran {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly dataDir: string
  /** Additional settings. */
  readonly settings?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
  /** User and group id of the process, if the tests run as root. */
  readonly uid?: number
}

/** The child process itself, for tests with special needs. */
export function startChild(args: readonly string[], { dataDir, settings = {}, uid }: RunOptions) {
  // Excludes the settings of this process.
  const own = {
    DATA_DIR: dataDir,
    XDG_STATE_HOME: path.join(dataDir, 'state'),
    NODE_COMPILE_CACHE: compileCache,
    WEB_APP: 'off', // never builds the app
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

/** Runs with --json, and returns the single document on stdout. */
export async function runJson(args: readonly string[], options: RunOptions) {
  const { exitCode, stdout, stderr } = await run([...args, '--json'], options)
  return { exitCode, document: JSON.parse(stdout) as unknown, stderr }
}

/** The document of a command that must succeed. */
export async function done(args: readonly string[], options: RunOptions): Promise<unknown> {
  const { exitCode, document, stderr } = await runJson(args, options)
  assert.deepEqual([exitCode, stderr], [0, ''])
  return document
}

/** A failure must be one sentence on a single line of stderr, without a stack trace. */
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
    /** Kills the process with SIGKILL. */
    kill: async (): Promise<void> => {
      child.kill('SIGKILL')
      await stopped
    },
    /** Stops it and returns its exit code. */
    stop: async (): Promise<number | null> => {
      child.kill('SIGTERM')
      return (await stopped)[0]
    },
  }
}

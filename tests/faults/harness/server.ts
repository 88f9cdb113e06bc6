// Starts a real Waymark process that a test can kill, and records its output.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const root = path.resolve(import.meta.dirname, '../../..')
/** Node arguments for `waymark`. */
export const command: readonly string[] = [path.join(root, 'bin/waymark.cjs')]

/** Saves many short processes half of their time. */
const compileCache = path.join(tmpdir(), 'waymark-test-compile-cache')
const patienceMs = 60_000
const loggedCharacters = 500_000

export interface ServerOptions {
  readonly dataDir: string
  readonly settings?: Readonly<Record<string, string>>
  /** Node arguments; by default those of the real command. A faulty variant has its own program. */
  readonly program?: readonly string[]
  /** A command that runs the rest of its command line, such as `prlimit --fsize=1000000`. */
  readonly under?: readonly string[]
}

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
}

export interface Server {
  readonly pid: number
  readonly url: string
  readonly said: { readonly stdout: string; readonly stderr: string }
  /** What it has printed at any time; `said` is limited to the end. */
  readonly progress: { readonly hasSwept: boolean }
  readonly ended: Promise<Ended>
  isRunning(): boolean
  /** Sends the signal and waits for the end of the process. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Ended>
}

/** Polls, with a generous limit. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  maxMs = patienceMs,
): Promise<void> {
  const end = performance.now() + maxMs
  while (!(await condition())) {
    assert.ok(performance.now() < end, `waited in vain for ${what}`)
    await pause(5)
  }
}

/** Settings without limits that could disturb a load. */
export const unlimited = {
  PORT: '0',
  PUBLIC_URL: 'http://waymark.example',
  RATE_LIMIT_FACTOR: '1000000',
  QUOTA_PENDING_IMAGES: '0',
  QUOTA_BYTES: '0',
  IMAGE_QUEUE: '1000',
  DISK_FREE_WARNING_MB: '0',
}

/** Runs one of our programs in a process, without the settings of this process. */
export function startProgram(args: readonly string[], { dataDir, settings = {}, under = [] }: ServerOptions) {
  const own = { DATA_DIR: dataDir, NODE_COMPILE_CACHE: compileCache, WEB_APP: 'off' }
  const env = { PATH: process.env['PATH'], ...own, ...settings }
  const [first = '', ...rest] = [...under, process.execPath, ...args]
  const child = spawn(first, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  const progress = { hasSwept: false }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      const all = said[name] + chunk
      progress.hasSwept ||= all.includes('"garbage collected"')
      said[name] = all.slice(-loggedCharacters)
    })
  }
  const closed = once(child, 'close') as Promise<[number | null, string | null]>
  const ended = closed.then(([code, signal]): Ended => ({ code, signal }))
  return { child, said, progress, ended }
}

/** Runs a command to its end. */
export async function runWaymark(args: readonly string[], options: ServerOptions) {
  const { said, ended } = startProgram([...(options.program ?? command), ...args], options)
  return { ...(await ended), ...said }
}

/** Starts a server without waiting. `url` is set once `listening` resolves to true. */
export function launchServer(options: ServerOptions) {
  const settings = { ...unlimited, ...options.settings }
  const { child, said, progress, ended } = startProgram(options.program ?? [...command, 'serve'], {
    ...options,
    settings,
  })
  const heard = () => /listens on (http:\S+)/.exec(said.stderr)?.[1]
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  const server: Server = {
    pid: child.pid ?? 0,
    get url() {
      return heard() ?? ''
    },
    said,
    progress,
    ended,
    isRunning,
    end: async (signal) => {
      child.kill(signal)
      return ended
    },
  }
  /** False if it ended before it listened. */
  const listening = async (): Promise<boolean> => {
    await until(() => heard() !== undefined || !isRunning(), 'the server to listen')
    if (heard() === undefined) await ended
    return heard() !== undefined
  }
  return { server, listening }
}

/** Starts a server and waits until it listens. The caller must always stop it. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { server, listening } = launchServer(options)
  if (!(await listening())) throw new Error(`the server did not start: ${server.said.stderr}`)
  return server
}

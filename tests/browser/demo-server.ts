// A demo in its own folder, or an installation with only accounts, in a separate server process on loopback.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { lastingPort } from '../helpers/ports.ts'
import type { Onlooker } from './app-pages.ts'

const entry = path.resolve(import.meta.dirname, '../../bin/waymark.cjs')
const readyWithinMs = 120_000

export interface DemoServer {
  readonly url: string
  /** Email address and password of an account with the role. */
  readonly signIns: Readonly<Record<Exclude<Onlooker, 'visitor'>, { email: string; password: string }>>
  /** Empty for an installation with only accounts. */
  readonly apiKey: string
  close(): Promise<void>
}

function signInOf(said: string, role: string): { email: string; password: string } {
  const found = new RegExp(`^  ${role} +(\\S+@\\S+) +(\\S+)$`, 'm').exec(said)
  if (!found) throw new Error(`the demo told no account of a ${role}`)
  return { email: found[1] ?? '', password: found[2] ?? '' }
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv, stdin: string): Promise<void> {
  const child = spawn(process.execPath, [entry, ...args], { env, stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end(stdin)
  const [exitCode] = (await once(child, 'exit')) as [number | null]
  if (exitCode !== 0) throw new Error(`waymark ${args.join(' ')} ended with ${exitCode}`)
}

type SignIns = DemoServer['signIns']

/** One account of each role, and nothing else. */
async function addPeople(env: NodeJS.ProcessEnv): Promise<SignIns> {
  const password = randomBytes(12).toString('base64url')
  const of = async (role: keyof SignIns) => {
    const email = `${role}@trails.example`
    const args = ['accounts', 'create', '--email', email, '--name', role, '--role', role, '--password-stdin']
    await run(args, env, `${password}\n`)
    return { email, password }
  }
  return { member: await of('member'), reviewer: await of('reviewer'), admin: await of('admin') }
}

/** @throws if the server is not ready within two minutes. */
async function start(isDemo: boolean): Promise<DemoServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-demo-'))
  const port = await lastingPort()
  const url = `http://127.0.0.1:${port}`
  const settings = { DATA_DIR: folder, PORT: String(port), PUBLIC_URL: url, RATE_LIMIT_FACTOR: '100' }
  const env = { ...process.env, ...settings }
  const people = isDemo ? undefined : await addPeople(env)
  const child = spawn(process.execPath, [entry, 'serve', ...(isDemo ? ['--demo'] : [])], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })

  async function close(): Promise<void> {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }

  async function becomeReady(): Promise<void> {
    const until = Date.now() + readyWithinMs
    while (Date.now() < until) {
      if (child.exitCode !== null) throw new Error(`the server ended: ${said}`)
      const isReady = await fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isReady && (!isDemo || said.includes('client secret'))) return
      await setTimeout(100)
    }
    throw new Error(`the server was not ready in time: ${said}`)
  }

  try {
    await becomeReady()
    const signIns = people ?? {
      member: signInOf(said, 'member'),
      reviewer: signInOf(said, 'reviewer'),
      admin: signInOf(said, 'admin'),
    }
    return { url, apiKey: /API key +(\S+)/.exec(said)?.[1] ?? '', signIns, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The full demo. */
export const startDemo = (): Promise<DemoServer> => start(true)

/** An installation on its first day, without uploads. */
export const startEmpty = (): Promise<DemoServer> => start(false)

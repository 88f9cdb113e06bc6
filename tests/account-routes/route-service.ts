// A server process with routes of several people, and access to its memory and event loop.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { createAccounts } from '../../src/accounts/accounts.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { hashPassword } from '../../src/auth/passwords.ts'
import { scopes } from '../../src/auth/scopes.ts'
import { tokenOf, withInstallation } from '../faults/harness/installation.ts'
import { command, startServer, until, type Server } from '../faults/harness/server.ts'
import { parentOfFolders } from '../helpers/folders.ts'
import { send } from '../helpers/wire.ts'
import { processesOf } from '../hostile/service.ts'
import type { Held } from './loop-probe.ts'

export interface Walker {
  readonly accountId: number
  readonly token: string
}

export interface Asking {
  readonly method?: string
  readonly path: string
  readonly walker?: Walker
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly milliseconds: number
}

export interface RouteServiceOptions {
  readonly walkers?: number
  /** Role of every person. */
  readonly role?: 'member' | 'admin'
  readonly under?: readonly string[]
  readonly settings?: Readonly<Record<string, string>>
  /** Modules loaded before the server; a faulty variant has one more. */
  readonly preloads?: readonly string[]
  /** Options of Node itself, such as a memory limit. */
  readonly nodeOptions?: readonly string[]
}

export interface RouteService {
  readonly server: Server
  readonly dataDir: string
  readonly walkers: readonly Walker[]
  /** Pid of the server itself, also under a wrapper. */
  readonly pid: () => number
  readonly ask: (asking: Asking) => Promise<Answer>
  /** How long the event loop was blocked since the last call. */
  readonly held: () => Promise<Held>
  readonly end: () => Promise<void>
}

const probe = path.join(import.meta.dirname, 'loop-probe.ts')

/**
 * Creates a person and a client.
 * @returns the client's credentials for HTTP Basic.
 */
const addWalker = (
  dataDir: string,
  number: number,
  role: 'member' | 'admin',
): Promise<{ accountId: number; authorization: string }> =>
  withInstallation(dataDir, async ({ database: { db }, system }) => {
    const accountId = await createAccounts({ db, system, hashPassword }).create({
      email: `walker${number}@trails.example`,
      displayName: `Walker ${number}`,
      role,
      id: undefined,
      password: undefined,
    })
    const { clientId, clientSecret = '' } = await registerClient(db, {
      accountId,
      name: 'routes',
      scope: scopes.join(' '),
      now: system.now(),
      isPublic: false,
      redirectUris: [],
    })
    const pair = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    return { accountId, authorization: `Basic ${pair}` }
  })

export async function startRouteService(options: RouteServiceOptions = {}): Promise<RouteService> {
  const {
    walkers: count = 1,
    role = 'member',
    under = [],
    settings = {},
    preloads = [],
    nodeOptions = [],
  } = options
  // In memory, since waiting for the disk would count as holding the event loop.
  const folder = await mkdtemp(path.join(parentOfFolders(), 'waymark-routes-'))
  const dataDir = path.join(folder, 'data')
  const heldFile = path.join(folder, 'held')
  const people: { accountId: number; authorization: string }[] = []
  for (let number = 0; number < count; number += 1) people.push(await addWalker(dataDir, number, role))
  const imports = [probe, ...preloads].flatMap((file) => ['--import', file])
  const program = [`--title=${heldFile}`, ...nodeOptions, ...imports, ...command, 'serve']
  const server = await startServer({ dataDir, settings, under, program })
  const walkers: Walker[] = []
  for (const { accountId, authorization } of people) {
    walkers.push({ accountId, token: await tokenOf(server.url, authorization) })
  }
  // Only its title is left of its command line; a wrapper may be another process, or none.
  const isServer = (one: number): boolean =>
    readIfThere(`/proc/${one}/cmdline`).replaceAll('\0', '') === heldFile
  const pid = (): number => processesOf(server.pid).find(isServer) ?? server.pid

  return {
    server,
    dataDir,
    walkers,
    pid,
    ask: async ({ method = 'GET', path: address, walker = walkers[0], type, headers, body }) => {
      const begun = performance.now()
      const answer = await send(server.url, {
        method,
        path: address,
        headers: {
          ...(walker && { authorization: `Bearer ${walker.token}` }),
          ...(type !== undefined && { 'content-type': type }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      })
      const text = await answer.text()
      const milliseconds = performance.now() - begun
      return { status: answer.status, headers: answer.headers, text, milliseconds }
    },
    held: async () => {
      rmSync(heldFile, { force: true })
      process.kill(pid(), 'SIGUSR2')
      let text = ''
      await until(() => {
        text = readIfThere(heldFile)
        return text !== ''
      }, 'the probe to tell')
      return JSON.parse(text) as Held
    },
    end: async () => {
      // Deepest first, since killing a tracer would leave its server running.
      for (const one of processesOf(server.pid).toReversed()) endProcess(one)
      await server.end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // has exited
  }
}

/** Resets the kernel's peak memory of the process; `peakOf` then counts from now. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

const fieldOf = (pid: number, field: string): number => {
  const [, kilobytes] =
    new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  assert.ok(kilobytes !== undefined, `the kernel tells no ${field}`)
  return (Number(kilobytes) * 1024) / 1e6
}

/** Resident memory in megabytes (10^6). */
export const residentOf = (pid: number): number => fieldOf(pid, 'VmRSS')
/** Peak memory according to the kernel, so nothing is missed between two samples. */
export const peakOf = (pid: number): number => fieldOf(pid, 'VmHWM')

// A server process fed with hostile files: its responses, what it serves, and its memory.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { prepare, tokenOf, trailId } from '../faults/harness/installation.ts'
import { startServer, type Server, type ServerOptions } from '../faults/harness/server.ts'
import { send } from '../helpers/wire.ts'

export interface Answered {
  readonly status: number
  readonly text: string
  readonly milliseconds: number
}

/** A token lives for 15 minutes. */
const tokenForMs = 300_000

/** Settings, and the command under which the server runs. */
export type ServiceOptions = Omit<ServerOptions, 'dataDir' | 'program'>

export interface Service {
  readonly server: Server
  readonly token: string
  readonly dataDir: string
  post(bytes: Uint8Array, contentType?: string): Promise<Answered>
  view(imageId: number, query: string): Promise<Response>
  end(): Promise<void>
}

export async function startService({ settings = {}, under = [] }: ServiceOptions = {}): Promise<Service> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-hostile-'))
  const dataDir = path.join(folder, 'data')
  const authorization = await prepare(dataDir)
  const server = await startServer({ dataDir, settings, under })
  const token = await tokenOf(server.url, authorization)
  let current = { token, since: performance.now() }
  /** A long run outlives its first token. */
  async function bearer(): Promise<{ authorization: string }> {
    if (performance.now() - current.since > tokenForMs) {
      current = { token: await tokenOf(server.url, authorization), since: performance.now() }
    }
    return { authorization: `Bearer ${current.token}` }
  }
  return {
    server,
    token,
    dataDir,
    post: async (body, contentType = 'application/octet-stream') => {
      const begun = performance.now()
      const headers = { ...(await bearer()), 'content-type': contentType }
      const request = { method: 'POST', path: `/Trails/${trailId}/Images`, headers, body }
      const answer = await send(server.url, request)
      const text = await answer.text()
      return { status: answer.status, text, milliseconds: performance.now() - begun }
    },
    view: async (imageId, query) =>
      send(server.url, { path: `/ImageHandler?id=${imageId}&t=${query}`, headers: await bearer() }),
    end: async () => {
      // Deepest first, since killing a tracer would leave its server running.
      for (const pid of processesOf(server.pid).toReversed()) endProcess(pid)
      await server.end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // has exited
  }
}

/** The skip reason if the memory of another process cannot be read. */
export function whyNoMemory(): string | undefined {
  try {
    readFileSync('/proc/self/smaps_rollup')
    return undefined
  } catch {
    return 'this system does not tell the memory of a process in /proc'
  }
}

/** The process and all its descendants. */
export function processesOf(pid: number): number[] {
  try {
    const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    return [pid, ...started.filter((one) => one.trim() !== '').flatMap((one) => processesOf(Number(one)))]
  } catch {
    return [] // has exited
  }
}

function megabytesIn(file: string, field: string): number {
  try {
    const [, kilobytes = '0'] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'utf8')) ?? []
    return Number(kilobytes) / 1024
  } catch {
    return 0 // has exited
  }
}

export interface Memory {
  /** Shared pages count for each process. */
  readonly resident: number
  /** Shared pages count once. */
  readonly proportional: number
}

/** Megabytes of the process and its children. */
export function memoryOf(pid: number): Memory {
  let [resident, proportional] = [0, 0]
  for (const one of processesOf(pid)) {
    resident += megabytesIn(`/proc/${one}/status`, 'VmRSS')
    proportional += megabytesIn(`/proc/${one}/smaps_rollup`, 'Pss')
  }
  return { resident, proportional }
}

/** Samples a server's memory until stopped, and returns the maximum. Each sample costs 2 ms. */
export function watchMemory(pid: number, everyMs: number): () => Memory {
  let max = memoryOf(pid)
  const look = (): void => {
    const now = memoryOf(pid)
    max = {
      resident: Math.max(max.resident, now.resident),
      proportional: Math.max(max.proportional, now.proportional),
    }
  }
  const timer = setInterval(look, everyMs)
  return () => {
    clearInterval(timer)
    look()
    return max
  }
}

// Many connections that a server has to close, and the cost of closing them.
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'

export interface SlowKind {
  readonly name: string
  /** Sent immediately. */
  readonly start: string
  /** Sent repeatedly until the server closes the connection; undefined for nothing. */
  readonly chunk?: string
  /** A client that does not read never notices the end. */
  readonly isReading: boolean
}

export interface Crowd {
  /** Duration of each closed connection in milliseconds. */
  readonly lifetimes: readonly number[]
  /** By response status; 0 without a response. */
  readonly statuses: ReadonlyMap<number, number>
  /** Closes the remaining connections. */
  leave(): void
}

const chunkEveryMs = 1_000
/** The size of the accept queue. */
const batch = 200

function slowClient(
  url: string,
  kind: SlowKind,
  onEnd: (lifetimeMs: number, said: string) => void,
): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let said = ''
  let timer: NodeJS.Timeout | undefined
  socket.on('error', () => undefined)
  if (kind.isReading) socket.on('data', (chunk) => (said += chunk.toString('latin1')))
  return new Promise((resolve) => {
    socket.once('connect', () => {
      const openedAt = performance.now()
      const { chunk } = kind
      socket.write(kind.start)
      if (chunk !== undefined) {
        timer = setInterval(() => socket.writable && socket.write(chunk), chunkEveryMs)
      }
      socket.once('close', () => {
        clearInterval(timer)
        onEnd(performance.now() - openedAt, said)
      })
      resolve(socket)
    })
    socket.once('close', () => resolve(socket))
  })
}

/** Resolves once all are connected. */
export async function openCrowd(url: string, kind: SlowKind, size: number): Promise<Crowd> {
  const lifetimes: number[] = []
  const statuses = new Map<number, number>()
  const sockets: Socket[] = []
  const onEnd = (lifetimeMs: number, said: string): void => {
    lifetimes.push(lifetimeMs)
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? 0)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  while (sockets.length < size) {
    const next = Math.min(batch, size - sockets.length)
    const opened = Array.from({ length: next }, () => slowClient(url, kind, onEnd))
    sockets.push(...(await Promise.all(opened)))
  }
  return {
    lifetimes,
    statuses,
    leave: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Why this many connections cannot be opened here, in one line; false if they can. */
export function whyTooFewFiles(connections: number): string | false {
  const max = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  const needed = connections + 300
  if (max === 'unlimited' || Number(max) >= needed) return false
  return `${connections} connections need "ulimit -n ${needed}", and here it is ${max}`
}

/** Resident memory of a process, in bytes. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return 1_024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}

/**
 * Samples the memory until stopped.
 * @returns a function that returns the maximum.
 */
export function watchMemory(pid: number): () => Promise<number> {
  let max = 0
  const look = async (): Promise<void> => {
    max = Math.max(max, await memoryOf(pid).catch(() => 0))
  }
  const timer = setInterval(() => void look(), 100)
  return async () => {
    clearInterval(timer)
    await look()
    return max
  }
}

export interface Latencies {
  readonly requests: number
  /** Responses other than 200. */
  readonly failed: number
  readonly medianMs: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** A client that sends one request after another until stopped. */
export function startFastClient(ask: () => Promise<boolean>): () => Promise<Latencies> {
  const times: number[] = []
  let failed = 0
  const over = new AbortController()
  async function run(): Promise<void> {
    while (!over.signal.aborted) {
      const at = performance.now()
      if (!(await ask().catch(() => false))) failed += 1
      times.push(performance.now() - at)
    }
  }
  const running = run()
  return async () => {
    over.abort()
    await running
    const sorted = times.toSorted((one, other) => one - other)
    const quantile = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? 0
    return {
      requests: times.length,
      failed,
      medianMs: quantile(0.5),
      p99Ms: quantile(0.99),
      maxMs: quantile(1),
    }
  }
}

// Many connections at once that a server has to get rid of, and what it costs it while it does.
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'

export interface SlowKind {
  readonly name: string
  /** Sent at once. */
  readonly start: string
  /** Sent again and again until the server closes; undefined for nothing. */
  readonly chunk?: string
  /** A client that reads nothing learns of no end. */
  readonly isReading: boolean
}

export interface Crowd {
  /** Milliseconds from its connection to its end, of those that have ended. */
  readonly lifetimes: readonly number[]
  /** By the status of the answer; 0 for none. */
  readonly statuses: ReadonlyMap<number, number>
  /** Gives up on those that are still there. */
  leave(): void
}

const chunkEveryMs = 1_000
/** As many at once as a listening socket lets wait. */
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

/** Why so many connections cannot be opened here, in one line; false where they can. */
export function whyTooFewFiles(connections: number): string | false {
  const most = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  const needed = connections + 300
  if (most === 'unlimited' || Number(most) >= needed) return false
  return `${connections} connections need "ulimit -n ${needed}", and here it is ${most}`
}

/** Resident memory of a process, in bytes. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return 1_024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}

/** Looks at the memory until it is stopped. @returns what gives the most that was seen. */
export function watchMemory(pid: number): () => Promise<number> {
  let most = 0
  const look = async (): Promise<void> => {
    most = Math.max(most, await memoryOf(pid).catch(() => 0))
  }
  const timer = setInterval(() => void look(), 100)
  return async () => {
    clearInterval(timer)
    await look()
    return most
  }
}

export interface Latencies {
  readonly requests: number
  /** Requests that were not answered 200. */
  readonly failed: number
  readonly medianMs: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** A client that asks one thing after the other, until it is stopped. */
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

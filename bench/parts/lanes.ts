// Writing clients, each with its own connection to one of several nodes and its own requests.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender, Slice } from './bench.ts'
import { measureCpu } from './cpu.ts'
import { openConnection } from './load-connection.ts'

export interface Lane {
  readonly port: number
  /** The next request, including its head. */
  readonly next: () => Buffer
  readonly status: number
}

/** Too many writes were waiting. Nothing was written, and the request may be retried. */
const busyStatus = 503
const busyPauseMs = 100

export interface LanesTarget {
  readonly name: string
  readonly lanes: readonly Lane[]
  /** Processes whose CPU is counted, with all descendants and threads. */
  readonly pids: readonly number[]
  /** Pause between a response and the next request; none by default. */
  readonly pauseMs?: number
  /** A sentence if a server has ended. */
  readonly death: () => string | undefined
  /**
   * Called with the number of writes of a slice that were refused because too many were waiting. They do not count as
   * done.
   */
  readonly onRefused?: (count: number) => void
}

export interface RequestParts {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export function requestBytes({ method, path, headers, body }: RequestParts, port: number): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Content-Length: ${body.length}`]
  for (const [name, value] of Object.entries({ Accept: '*/*', ...headers })) lines.push(`${name}: ${value}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

/** Runs one lane until its last response. Its first one is not counted, since it opens the connection. */
function runLane({ port, next, status }: Lane, pauseMs: number) {
  const latenciesMs: number[] = []
  let refused = 0
  let answered: (status: number) => void = () => undefined
  let failed: (error: Error) => void = () => undefined
  const connection = openConnection({
    port,
    onFailure: (error) => failed(error),
    onAnswer: (answer) => {
      if (answer.status === status || answer.status === busyStatus) answered(answer.status)
      else failed(new Error(`a write was answered ${answer.status}, and ${status} is right`))
    },
  })
  const ask = (): Promise<number> =>
    new Promise((resolve, reject) => {
      answered = resolve
      failed = reject
      connection.ask(next())
    })
  return {
    latenciesMs,
    refused: () => refused,
    open: async (): Promise<void> => {
      await connection.connected()
      await ask()
    },
    run: async (endAt: number): Promise<void> => {
      while (performance.now() < endAt) {
        const askedAt = performance.now()
        if ((await ask()) === busyStatus) {
          refused += 1
          await sleep(busyPauseMs)
          continue
        }
        latenciesMs.push(performance.now() - askedAt)
        if (pauseMs > 0) await sleep(pauseMs)
      }
    },
    close: connection.close,
  }
}

/** @throws Error of one sentence if a write is refused or a server ends. */
export async function runLanes(target: LanesTarget, ms: number): Promise<Slice> {
  const { name, lanes, pids, pauseMs = 0, death, onRefused } = target
  const running = lanes.map((lane) => runLane(lane, pauseMs))
  try {
    await Promise.all(running.map((lane) => lane.open()))
    const cpu = measureCpu(pids)
    const begunAt = performance.now()
    await Promise.all(running.map((lane) => lane.run(begunAt + ms)))
    const latenciesMs = running.flatMap((lane) => lane.latenciesMs)
    onRefused?.(running.reduce((sum, lane) => sum + lane.refused(), 0))
    return { done: latenciesMs.length, wallMs: performance.now() - begunAt, cpuUs: cpu(), latenciesMs }
  } catch (error) {
    throw new Error(`${name}: ${death() ?? (error instanceof Error ? error.message : String(error))}.`, {
      cause: error,
    })
  } finally {
    for (const lane of running) lane.close()
  }
}

/** A contender of these lanes, already warmed up. */
export async function laneContender(target: LanesTarget, warmUpMs: number): Promise<Contender> {
  await runLanes(target, warmUpMs)
  return { name: target.name, slice: (ms) => runLanes(target, ms) }
}

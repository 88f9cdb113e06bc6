// HTTP keep-alive load from a separate process. Every response is checked before the measurement, and counted during it.
import { fork } from 'node:child_process'
import { once as nextOf } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender, Ground, Slice } from './bench.ts'
import { watchChild } from './child.ts'
import { measureCpu } from './cpu.ts'
import type { Checked, Order, Paced, Ran } from './load-worker.ts'

/** A request (GET by default) and its expected response. */
export interface Ask {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** 200 by default. */
  readonly status?: number
  /** Length of the body as received; by default that of the first response. */
  readonly bytes?: number
  /** The length may change between responses. */
  readonly isOfAnyLength?: boolean
  /** Hash of the body as received, hex; by default, the body may be anything. */
  readonly sha256?: string
}

export interface HttpTarget {
  readonly name: string
  readonly port: number
  /** Its processes, with all descendants and threads. */
  readonly pids: readonly number[]
  /** Sent in turn, repeatedly. */
  readonly asks: readonly Ask[]
  /** 32 by default; use 8 for bodies of megabytes. */
  readonly connections?: number
  /** 1.5 s by default, in which V8 compiles most of the code; always short in a quick run. */
  readonly warmUpMs?: number
  /** A sentence if the server has ended. */
  readonly death?: () => string | undefined
}

function requestOf({ path: address, method = 'GET', headers = {}, body }: Ask, port: number): string {
  const lines = [`${method} ${address} HTTP/1.1`, `Host: 127.0.0.1:${port}`]
  for (const [name, value] of Object.entries({ 'User-Agent': 'waymark-bench', Accept: '*/*', ...headers }))
    lines.push(`${name}: ${value}`)
  if (body) lines.push(`Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return Buffer.concat([head, body ?? Buffer.alloc(0)]).toString('base64')
}

function judge(name: string, ask: Ask, answer: Checked): void {
  const of = `${name}: ${ask.method ?? 'GET'} ${ask.path.split('?')[0]} was answered`
  const { status = 200, bytes, sha256 } = ask
  if (answer.status !== status) throw new Error(`${of} ${answer.status}, and ${status} is right.`)
  if (bytes !== undefined && answer.bytes !== bytes)
    throw new Error(`${of} with ${answer.bytes} bytes, and ${bytes} are right.`)
  if (sha256 !== undefined && answer.sha256 !== sha256)
    throw new Error(`${of} with other bytes than were put there.`)
}

/** The end of a server is noticed slightly later than that of its connections. */
const untilDeathIsKnownMs = 200

async function failureOf({ name, death }: HttpTarget, what: string): Promise<Error> {
  await sleep(untilDeathIsKnownMs)
  return new Error(death?.() ?? `${name}: ${what}.`)
}

/** Starts the generator's process. It runs one slice at a time. */
export function startLoad({ isQuick = false }: { readonly isQuick?: boolean } = {}) {
  const tryWarmUpMs = 50
  const firstWarmUpMs = 10_000
  /** Ports of servers that have been warmed up. */
  const warmed = new Set<number>()
  const child = fork(path.join(import.meta.dirname, 'load-worker.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const watched = watchChild(child, 'the load generator', () => '')
  /** The generator's own cost per response, latest for each contender. */
  const costsUs = new Map<string, number>()

  async function order<Result>(target: HttpTarget, what: Order): Promise<Result> {
    const ended = new AbortController()
    child.send(what)
    const [message] = (await Promise.race([
      nextOf(child, 'message', { signal: ended.signal }),
      nextOf(child, 'exit', { signal: ended.signal }).then(() => [{ failure: 'the load generator ended' }]),
    ])) as [{ result: Result } | { failure: string }]
    ended.abort()
    if ('failure' in message) throw await failureOf(target, message.failure)
    return message.result
  }

  async function turnTo(target: HttpTarget, known: readonly Checked[] | undefined): Promise<void> {
    const { asks, port } = target
    const requests = asks.map((ask, index) => ({
      sent: requestOf(ask, port),
      status: ask.status ?? 200,
      bytes: ask.isOfAnyLength ? undefined : known?.[index]?.bytes,
    }))
    await order(target, { kind: 'target', port, requests })
  }

  /**
   * Sends every request once.
   * @throws Error of one sentence if status, length or hash differ.
   */
  async function check(target: HttpTarget): Promise<Checked[]> {
    await turnTo(target, undefined)
    const answers = await order<Checked[]>(target, { kind: 'check' })
    for (const [index, answer] of answers.entries()) judge(target.name, target.asks[index] as Ask, answer)
    return answers
  }

  /**
   * Sends every request once without a check before, for requests that behave differently the second time. Needs at least
   * as many requests as connections.
   * @param opening sent first by each connection, and not counted.
   */
  async function once(target: HttpTarget, opening: Ask): Promise<Slice> {
    const { connections = 32, pids } = target
    const asks = [...Array.from({ length: connections }, () => opening), ...target.asks]
    await turnTo({ ...target, asks }, undefined)
    await order(target, { kind: 'open', connections })
    const cpu = measureCpu(pids)
    const { done, wallMs } = await order<Ran>(target, { kind: 'once' })
    const cpuUs = cpu()
    await order(target, { kind: 'close' })
    return { done, wallMs, cpuUs }
  }

  /** A server as a contender: checked and warmed up. */
  async function contender(target: HttpTarget): Promise<Contender> {
    const { name, port, connections = 32, pids, warmUpMs = 1_500 } = target
    const known = await check(target)

    async function opened<Result>(work: () => Promise<Result>): Promise<Result> {
      await turnTo(target, known)
      await order(target, { kind: 'open', connections })
      const result = await work()
      await order(target, { kind: 'close' })
      return result
    }

    const slice = (ms: number): Promise<Slice> =>
      opened(async () => {
        const cpu = measureCpu(pids)
        const { done, wallMs, ownCpuUs } = await order<Ran>(target, { kind: 'run', ms })
        costsUs.set(name, ownCpuUs / done)
        return { done, wallMs, cpuUs: cpu() }
      })
    // Code that all requests share takes V8 longest to compile, but only once.
    const isFirst = !warmed.has(port)
    warmed.add(port)
    await slice(isQuick ? tryWarmUpMs : isFirst ? firstWarmUpMs : warmUpMs)
    return {
      name,
      slice,
      pace: (perSecond, ms) =>
        opened(async () => (await order<Paced>(target, { kind: 'pace', perSecond, ms })).latenciesMs),
    }
  }

  return {
    check,
    contender,
    once,
    /** Prints the generator's own cost, which no figure includes. */
    noteCosts: ({ note }: Pick<Ground, 'note'>): void => {
      const costs = [...costsUs].map(([name, us]) => `${us.toFixed(0)} µs (${name})`)
      note(`The load generator took, for each answer: ${costs.join(', ')}.`)
    },
    close: watched.close,
  }
}

export type Load = ReturnType<typeof startLoad>

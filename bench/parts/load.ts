// Keep-alive HTTP load from a process of its own: every answer is checked before anything is timed, and counted while it is.
import { fork } from 'node:child_process'
import { once as nextOf } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender, Ground, Slice } from './bench.ts'
import { watchChild } from './child.ts'
import { measureCpu } from './cpu.ts'
import type { Checked, Order, Paced, Ran } from './load-worker.ts'

/** A GET, or whatever else, and what has to come back. */
export interface Ask {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** 200 without it. */
  readonly status?: number
  /** Length of the body as it comes. Where it is left out, whatever the first answer had. */
  readonly bytes?: number
  /** Of an answer that may be shorter or longer the next time. */
  readonly isOfAnyLength?: boolean
  /** Of the body as it comes, hex. Where it is left out, the body may be anything. */
  readonly sha256?: string
}

export interface HttpTarget {
  readonly name: string
  readonly port: number
  /** Its processes, with all their children and threads. */
  readonly pids: readonly number[]
  /** Asked in turn, over and over. */
  readonly asks: readonly Ask[]
  /** 32 without it; use 8 for bodies of megabytes. */
  readonly connections?: number
  /** A second and a half without it, in which V8 compiles most of what it will; in a try it is always short. */
  readonly warmUpMs?: number
  /** Says where the server has ended, in a sentence. */
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

/** That a server has ended is known a moment after its connections have. */
const untilDeathIsKnownMs = 200

async function failureOf({ name, death }: HttpTarget, what: string): Promise<Error> {
  await sleep(untilDeathIsKnownMs)
  return new Error(death?.() ?? `${name}: ${what}.`)
}

/** Starts the process that asks. Give it one slice at a time. */
export function startLoad({ isQuick = false }: { readonly isQuick?: boolean } = {}) {
  const tryWarmUpMs = 50
  const firstWarmUpMs = 10_000
  /** Ports of servers that were asked before. */
  const warmed = new Set<number>()
  const child = fork(path.join(import.meta.dirname, 'load-worker.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const watched = watchChild(child, 'the load generator', () => '')
  /** What one answer has cost this generator, the latest figure for each contender. */
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

  /** Asks everything once. @throws Error of one sentence where status, length or hash is another than it has to be. */
  async function check(target: HttpTarget): Promise<Checked[]> {
    await turnTo(target, undefined)
    const answers = await order<Checked[]>(target, { kind: 'check' })
    for (const [index, answer] of answers.entries()) judge(target.name, target.asks[index] as Ask, answer)
    return answers
  }

  /**
   * Asks everything once, with no asking before: for what is another thing when it is asked again. At least as many as
   * connections.
   * @param opening what each connection asks first, before anything counts.
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

  /** A server as a contender: its answers are checked and it is warm when this returns. */
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
    // What all requests of a server share is compiled once, and takes V8 longer than what one of them does.
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
    /** Says what the asking itself has cost, which is in none of the figures. */
    noteCosts: ({ note }: Pick<Ground, 'note'>): void => {
      const costs = [...costsUs].map(([name, us]) => `${us.toFixed(0)} µs (${name})`)
      note(`The load generator took, for each answer: ${costs.join(', ')}.`)
    },
    close: watched.close,
  }
}

export type Load = ReturnType<typeof startLoad>

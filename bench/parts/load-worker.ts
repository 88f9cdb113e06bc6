// The load generator's process. load.ts tells it by messages what to request, from where and for how long.
import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { openConnection, type Answer, type Connection } from './load-connection.ts'

/** One request and its expected response. */
export interface Request {
  /** The complete raw request, base64. */
  readonly sent: string
  readonly status: number
  /** undefined: any length. */
  readonly bytes?: number | undefined
}

export interface Checked extends Answer {
  /** Of the body as received, hex. */
  readonly sha256: string
}

export interface Ran {
  readonly done: number
  readonly wallMs: number
  readonly bodyBytes: number
  /** CPU of this process in the meantime. */
  readonly ownCpuUs: number
}

export interface Paced {
  /** From the time a request was due, so that queueing counts in full. */
  readonly latenciesMs: readonly number[]
  readonly wallMs: number
}

export type Order =
  | { readonly kind: 'target'; readonly port: number; readonly requests: readonly Request[] }
  | { readonly kind: 'check' }
  | { readonly kind: 'open'; readonly connections: number }
  | { readonly kind: 'run'; readonly ms: number }
  | { readonly kind: 'once' }
  | { readonly kind: 'pace'; readonly perSecond: number; readonly ms: number }
  | { readonly kind: 'close' }

interface Prepared {
  readonly sent: Buffer
  readonly status: number
  readonly bytes: number | undefined
}

/** State of a connection: the request in flight, and when it was due. */
interface Lane {
  readonly connection: Connection
  asked: number
  dueAt: number
}

let port = 0
let requests: readonly Prepared[] = []
let lanes: Lane[] = []
let next = 0
/** Called after each expected response. */
let onDone: (lane: Lane) => void = () => undefined
let onFailure: (error: Error) => void = () => undefined

function ask(lane: Lane, dueAt: number): void {
  lane.asked = next
  lane.dueAt = dueAt
  const request = requests[next] as Prepared
  next = next + 1 === requests.length ? 0 : next + 1
  lane.connection.ask(request.sent)
}

function openLane(): Lane {
  const lane: Lane = {
    asked: 0,
    dueAt: 0,
    connection: openConnection({
      port,
      onFailure: (error) => onFailure(error),
      onAnswer: ({ status, bytes }) => {
        const wanted = requests[lane.asked]
        if (status === wanted?.status && bytes === (wanted.bytes ?? bytes)) return onDone(lane)
        const both = `${status} with ${bytes} bytes instead of ${wanted?.status} with ${wanted?.bytes ?? 'any'}`
        onFailure(new Error(`request ${lane.asked} was answered ${both}`))
      },
    }),
  }
  return lane
}

/** Runs until `begin` calls its first argument. Fails if any connection does. */
function untilEnd<Result>(begin: (end: (result: Result) => void) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    onFailure = reject
    begin(resolve)
  })
}

async function open(connections: number): Promise<void> {
  await untilEnd<void>((end) => {
    lanes = Array.from({ length: connections }, openLane)
    let left = lanes.length
    onDone = () => {
      left -= 1
      if (left === 0) end()
    }
    const askOnce = async (lane: Lane): Promise<void> => {
      await lane.connection.connected()
      ask(lane, 0)
    }
    for (const lane of lanes) void askOnce(lane)
  })
}

/**
 * Keeps this process awake. Otherwise each response of a server with a different pace would wake it up, which the kernel
 * charges to the server, and which in a virtual machine costs more than the response.
 * @returns a function that lets it sleep again.
 */
function stayAwake(): () => void {
  let isWanted = true
  const again = (): void => {
    if (isWanted) setImmediate(again)
  }
  again()
  return () => {
    isWanted = false
  }
}

/** Cycles through the requests as long as `isMoreWanted`, called after each response, returns true. */
function run(isMoreWanted: () => boolean): Promise<Ran> {
  const cpu = process.cpuUsage()
  const begunAt = performance.now()
  const sleepAgain = stayAwake()
  let done = 0
  let bodyBytes = 0
  return untilEnd((end) => {
    let flying = lanes.length
    onDone = (lane) => {
      done += 1
      bodyBytes += requests[lane.asked]?.bytes ?? 0
      if (isMoreWanted()) return ask(lane, 0)
      flying -= 1
      if (flying > 0) return
      const { user, system } = process.cpuUsage(cpu)
      sleepAgain()
      end({ done, bodyBytes, wallMs: performance.now() - begunAt, ownCpuUs: user + system })
    }
    for (const lane of lanes) ask(lane, 0)
  })
}

function runFor(ms: number): Promise<Ran> {
  const endAt = performance.now() + ms
  return run(() => performance.now() < endAt)
}

/** To the end of the requests; each connection has already sent one. */
const runOnce = (): Promise<Ran> => run(() => next !== 0)

function pace(perSecond: number, ms: number): Promise<Paced> {
  const latenciesMs: number[] = []
  const begunAt = performance.now()
  const count = Math.max(1, Math.floor((perSecond * ms) / 1_000))
  const dueOf = (index: number): number => begunAt + (index * 1_000) / perSecond
  return untilEnd((end) => {
    const idle = [...lanes]
    let begun = 0
    onDone = (lane) => {
      latenciesMs.push(performance.now() - lane.dueAt)
      idle.push(lane)
      if (latenciesMs.length === count) end({ latenciesMs, wallMs: performance.now() - begunAt })
    }
    const begin = async (): Promise<void> => {
      while (begun < count) {
        while (begun < count && dueOf(begun) <= performance.now()) {
          const lane = idle.shift()
          if (lane === undefined) break // all connections are busy: due requests wait, and the wait counts
          ask(lane, dueOf(begun))
          begun += 1
        }
        await turn() // a timer may be a whole millisecond late
      }
    }
    void begin()
  })
}

/** Sends each request once, one after another, over a separate connection. */
async function check(): Promise<Checked[]> {
  const checked: Checked[] = []
  for (const { sent } of requests) {
    const hash = createHash('sha256')
    const answer = await new Promise<Answer>((resolve, reject) => {
      const connection = openConnection({
        port,
        onBody: (piece) => void hash.update(piece),
        onFailure: reject,
        onAnswer: (found) => {
          connection.close()
          resolve(found)
        },
      })
      connection.ask(sent)
    })
    checked.push({ ...answer, sha256: hash.digest('hex') })
  }
  return checked
}

function close(): void {
  for (const { connection } of lanes) connection.close()
  lanes = []
}

async function obey(order: Order): Promise<unknown> {
  if (order.kind === 'check') return check()
  if (order.kind === 'open') return open(order.connections)
  if (order.kind === 'run') return runFor(order.ms)
  if (order.kind === 'once') return runOnce()
  if (order.kind === 'pace') return pace(order.perSecond, order.ms)
  close()
  if (order.kind === 'target') {
    port = order.port
    requests = order.requests.map(({ sent, status, bytes }) => ({
      sent: Buffer.from(sent, 'base64'),
      status,
      bytes,
    }))
    next = 0
  }
  return undefined
}

process.on('message', (order: Order) => {
  const answerIt = async (): Promise<void> => {
    try {
      process.send?.({ result: (await obey(order)) ?? null })
    } catch (error) {
      close()
      process.send?.({ failure: error instanceof Error ? error.message : String(error) })
    }
  }
  void answerIt()
})
process.on('disconnect', () => process.exit())

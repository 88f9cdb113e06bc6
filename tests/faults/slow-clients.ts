// Thousands of slow senders and stalled readers at once (trust 16, 17). By hand: node tests/faults/slow-clients.ts
// --clients 6000 --readers 1000
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import {
  memoryOf,
  openCrowd,
  startFastClient,
  watchMemory,
  whyTooFewFiles,
  type Crowd,
  type Latencies,
  type SlowKind,
} from './harness/crowd.ts'
import { prepare, tokenOf } from './harness/installation.ts'
import { upload } from './harness/load.ts'
import { startServer, until, type Server } from './harness/server.ts'
import { slowSenders, type Timeouts } from './harness/slow-senders.ts'
import { count, finish, summaryOf } from './harness/summary.ts'

export const standardTimeouts: Timeouts = {
  headersSeconds: 10,
  requestSeconds: 30,
  uploadSeconds: 120,
  idleSeconds: 60,
}

export interface SlowOptions {
  /** Clients that send their headers byte by byte. */
  readonly clients: number
  /** Clients of each kind that sends a body byte by byte: details, uploads, and one that is not read. */
  readonly bodies: number
  /** Clients that request a large image and do not read it. */
  readonly readers: number
  readonly timeouts: Timeouts
  /** Time of the fast client alone, once to warm up and once to be measured. */
  readonly aloneMs: number
  /** Tolerance for the end of a connection: the parser checks every 2 s, and machines may be busy. */
  readonly lateMs: number
}

export interface KindReport {
  readonly name: string
  readonly opened: number
  readonly closed: number
  /** Longest duration in milliseconds, and its limit. */
  readonly maxMs: number
  readonly limitMs: number
  readonly statuses: ReadonlyMap<number, number>
}

export interface SlowReport {
  readonly kinds: readonly KindReport[]
  readonly idle: Latencies
  readonly whileSending: Latencies
  readonly whileReading: Latencies
  /** Growth of the server's memory in bytes. */
  readonly sendersGrowth: number
  readonly readersGrowth: number
  /** Connections to the server, including that of the check, once all should be closed. */
  readonly connectionsLeft: number
}

/** Those of the fast client and of the metrics. */
const ownConnections = 5

async function sampleOf(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

/**
 * Whether the kernel has stopped buffering for the readers.
 * @param fastBytes bytes received by the fast client, which can be megabytes per second.
 */
async function isStill(url: string, fastBytes: () => number): Promise<boolean> {
  const sentToOthers = async () => (await sampleOf(url, 'http_sent_bytes_total')) - fastBytes()
  const before = await sentToOthers()
  await pause(1_000)
  return (await sentToOthers()) - before < 1e6
}

/** About 7.5 MB, more than a socket buffers. */
async function largePicture(): Promise<Buffer> {
  const raw = { width: 2_000, height: 1_250, channels: 3 } as const
  return sharp(randomBytes(raw.width * raw.height * 3), { raw })
    .png({ compressionLevel: 1 })
    .toBuffer()
}

/** @param stopping registers what has started; after an error, it would otherwise keep the process alive. */
async function torment(
  server: Server,
  token: string,
  options: SlowOptions,
  stopping: (() => Promise<unknown>)[],
): Promise<SlowReport> {
  const { clients, bodies, readers, timeouts, aloneMs, lateMs } = options
  const { url, pid } = server
  const stored = await upload({ url, token, bytes: await largePicture() })
  if (stored.status !== 201) throw new Error(`the upload was answered ${stored.status}: ${stored.body}`)
  const image = stored.body
  let fastBytes = 0
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const view = http.get(`${url}/ImageHandler?id=${image}&t=sm`, { agent }, (answer) => {
        fastBytes += Number(answer.headers['content-length'])
        answer.resume().once('end', () => resolve(answer.statusCode === 200))
      })
      view.once('error', reject)
    })

  function begun<T>(stop: () => Promise<T>): () => Promise<T> {
    stopping.push(stop)
    return stop
  }

  async function idleFor(milliseconds: number): Promise<Latencies> {
    const stop = begun(startFastClient(ask))
    await pause(milliseconds)
    return stop()
  }
  await idleFor(aloneMs) // until the server's code is compiled
  const idle = await idleFor(aloneMs)

  const kinds = slowSenders(timeouts, token, image)
  const before = await memoryOf(pid)
  const senders: { kind: SlowKind; seconds: number; size: number; crowd: Crowd }[] = []
  const stopMemory = begun(watchMemory(pid))
  const stopFast = begun(startFastClient(ask))
  for (const [kind, seconds] of kinds) {
    const size = kind.name === 'headers' ? clients : bodies
    senders.push({ kind, seconds, size, crowd: await openCrowd(url, kind, size) })
  }
  const maxMs = Math.max(...senders.map(({ seconds }) => seconds)) * 1_000 + 3 * lateMs
  const isOver = () => senders.every(({ crowd, size }) => crowd.lifetimes.length === size)
  await until(isOver, 'all to be closed', maxMs).catch(() => undefined)
  const whileSending = await stopFast()
  const sendersGrowth = (await stopMemory()) - before
  for (const { crowd } of senders) crowd.leave()

  const beforeReaders = await memoryOf(pid)
  const stopReadersMemory = begun(watchMemory(pid))
  const stopBeside = begun(startFastClient(ask))
  const view = `GET /ImageHandler?id=${image} HTTP/1.1\r\nHost: a\r\n\r\n`
  const paused = await openCrowd(url, { name: 'readers', start: view, isReading: false }, readers)
  await until(() => isStill(url, () => fastBytes), 'the kernel to be full')
  const stillSince = performance.now()
  // Node grants one more period if the kernel accepted part of a write; and if the kernel was short of memory, it accepts
  // more from others once the first are gone.
  const readersLimitMs = 3 * timeouts.idleSeconds * 1_000 + lateMs
  const areGone = async () => (await sampleOf(url, 'http_connections')) <= ownConnections
  await until(areGone, 'the readers to be cut off', readersLimitMs + 3 * lateMs).catch(() => undefined)
  const readersMs = performance.now() - stillSince
  const whileReading = await stopBeside()
  const readersGrowth = (await stopReadersMemory()) - beforeReaders
  const connectionsLeft = await sampleOf(url, 'http_connections')
  paused.leave()
  agent.destroy()

  const readersReport: KindReport = {
    name: 'readers',
    opened: readers,
    closed: readers - Math.max(0, connectionsLeft - ownConnections),
    maxMs: readersMs,
    limitMs: readersLimitMs,
    statuses: new Map(),
  }
  const senderReports = senders.map(({ kind, seconds, size, crowd }) => ({
    name: kind.name,
    opened: size,
    closed: crowd.lifetimes.length,
    maxMs: Math.max(0, ...crowd.lifetimes),
    limitMs: seconds * 1_000 + lateMs,
    statuses: crowd.statuses,
  }))
  return {
    kinds: [...senderReports, readersReport],
    idle,
    whileSending,
    whileReading,
    sendersGrowth,
    readersGrowth,
    connectionsLeft,
  }
}

/** Uses its own server with these timeouts. */
export async function runSlowClients(dataDir: string, options: SlowOptions): Promise<SlowReport> {
  const { headersSeconds, requestSeconds, uploadSeconds, idleSeconds } = options.timeouts
  const authorization = await prepare(dataDir)
  const settings = {
    HEADERS_TIMEOUT: String(headersSeconds),
    REQUEST_TIMEOUT: String(requestSeconds),
    UPLOAD_TIMEOUT: String(uploadSeconds),
    IDLE_TIMEOUT: String(idleSeconds),
  }
  const server = await startServer({ dataDir, settings })
  const stopping: (() => Promise<unknown>)[] = []
  try {
    return await torment(server, await tokenOf(server.url, authorization), options, stopping)
  } finally {
    await Promise.all(stopping.map((stop) => stop()))
    await server.end('SIGTERM')
  }
}

export const maxSendersGrowth = 150e6
export const maxReadersGrowth = 100e6

/** Violations, one sentence each. */
export function faultsOf(report: SlowReport): string[] {
  const faults: string[] = []
  for (const { name, opened, closed, maxMs, limitMs } of report.kinds) {
    if (closed < opened) faults.push(`${name}: ${opened - closed} of ${opened} were not closed`)
    if (maxMs > limitMs) faults.push(`${name}: one lived ${Math.round(maxMs)} ms, more than ${limitMs}`)
  }
  for (const [name, { failed }] of Object.entries({
    sending: report.whileSending,
    reading: report.whileReading,
  })) {
    if (failed > 0) faults.push(`the fast client was refused ${failed} times while others were ${name}`)
  }
  if (report.sendersGrowth > maxSendersGrowth)
    faults.push(`slow senders cost ${inMegabytes(report.sendersGrowth)}`)
  if (report.readersGrowth > maxReadersGrowth)
    faults.push(`slow readers cost ${inMegabytes(report.readersGrowth)}`)
  return faults
}

const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

function inWords({ requests, failed, medianMs, p99Ms, maxMs }: Latencies): string {
  const times = [medianMs, p99Ms, maxMs].map((milliseconds) => milliseconds.toFixed(1)).join(' / ')
  return `${count(requests)} requests, ${failed} failed, median / p99 / most ${times} ms`
}

function linesOf(report: SlowReport): string[] {
  const kinds = report.kinds.map(({ name, opened, closed, maxMs, statuses }) => {
    const answers = [...statuses].map(([status, times]) => `${count(times)} × ${status}`).join(', ')
    const closing = `${count(closed)} of ${count(opened)} closed, the last after ${(maxMs / 1_000).toFixed(1)} s`
    return [`slow ${name}`, answers === '' ? closing : `${closing} (${answers})`] as const
  })
  return summaryOf('slow clients and readers that have stopped (trust 16, 17)', {
    ...Object.fromEntries(kinds),
    'memory of the server, slow senders': `+${inMegabytes(report.sendersGrowth)}`,
    'memory of the server, slow readers': `+${inMegabytes(report.readersGrowth)}`,
    'a fast client alone': inWords(report.idle),
    'beside slow senders': inWords(report.whileSending),
    'beside slow readers': inWords(report.whileReading),
  })
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      clients: { type: 'string', default: '6000' },
      bodies: { type: 'string', default: '500' },
      readers: { type: 'string', default: '1000' },
      'late-seconds': { type: 'string', default: '4' },
      folder: { type: 'string', default: tmpdir() },
    },
  })
  const [clients, bodies, readers] = [Number(values.clients), Number(values.bodies), Number(values.readers)]
  const why = whyTooFewFiles(clients + 3 * bodies)
  if (why !== false) {
    process.stderr.write(`${why}.\n`)
    process.exitCode = 2
    return
  }
  const dataDir = await mkdtemp(path.join(values.folder, 'waymark-slow-'))
  const begun = performance.now()
  try {
    const report = await runSlowClients(dataDir, {
      clients,
      bodies,
      readers,
      timeouts: standardTimeouts,
      aloneMs: 5_000,
      lateMs: Number(values['late-seconds']) * 1_000,
    })
    await finish({ lines: linesOf(report), faults: faultsOf(report), folder: dataDir, begun })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (import.meta.main) await main()

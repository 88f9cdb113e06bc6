// SIGTERM with a hundred uploads in flight (trust 7). By hand: node tests/faults/sigterm.ts --uploads 1000 --rounds 10
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { prepare, tokenOf, trailId } from './harness/installation.ts'
import { startLoad, type Acknowledged } from './harness/load.ts'
import { sha256Of, smallPng } from './harness/pictures.ts'
import { startServer, until, type Server } from './harness/server.ts'
import { count, finish, summaryOf } from './harness/summary.ts'
import { countLeftovers, findLost, findProblemsInStore } from './harness/verify.ts'

export interface StopOptions {
  readonly dataDir: string
  readonly authorization: string
  /** In flight at the signal, with half of their body sent. */
  readonly uploads: number
  /** Rounds on the same data must upload different pictures. */
  readonly firstSeed: number
  readonly program?: readonly string[]
}

export interface StopReport {
  /** Responses to uploads in flight, by status; 0 for broken connections. */
  readonly inFlight: ReadonlyMap<number, number>
  /** The same for a load that continued after the signal. */
  readonly later: ReadonlyMap<number, number>
  readonly stoppedMs: number
  readonly exitCode: number | null
  /** How often /health/ready succeeded after the server had announced its stop. */
  readonly readyAfter: number
  readonly acknowledged: readonly Acknowledged[]
}

/** An upload of which the server has the first half. */
function beginUpload(url: string, token: string, seed: number) {
  const bytes = smallPng(seed)
  const request = http.request(`${url}/Trails/${trailId}/Images`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'image/png',
      'content-length': bytes.length,
    },
  })
  const half = Math.floor(bytes.length / 2)
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>
  answered.catch(() => undefined) // checked in `finish`
  request.write(bytes.subarray(0, half))
  return {
    /**
     * Sends the rest.
     * @returns the status, 0 if the connection broke, and the upload if it was acknowledged.
     */
    finish: async (): Promise<{ status: number; acknowledged?: Acknowledged }> => {
      try {
        request.end(bytes.subarray(half))
        const [answer] = await answered
        const body = await text(answer)
        if (answer.statusCode !== 201) return { status: answer.statusCode ?? 0 }
        const one = { imageId: Number(body), sha256: sha256Of(bytes), seed, answeredAt: performance.now() }
        return { status: 201, acknowledged: one }
      } catch {
        return { status: 0 }
      }
    },
  }
}

/**
 * Polls until the connection is refused.
 * @returns how often the response was a success.
 */
async function countReady(server: Server): Promise<number> {
  let ready = 0
  while (server.isRunning()) {
    const status = await fetch(`${server.url}/health/ready`).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 0) return ready
    if (status === 200) ready += 1
    await pause(1)
  }
  return ready
}

function tally(statuses: readonly number[]): Map<number, number> {
  const times = new Map<number, number>()
  for (const status of statuses) times.set(status, (times.get(status) ?? 0) + 1)
  return times
}

export async function stopUnderLoad(options: StopOptions): Promise<StopReport> {
  const { dataDir, authorization, uploads, firstSeed, program } = options
  const server = await startServer({ dataDir, ...(program && { program }) })
  try {
    const token = await tokenOf(server.url, authorization)
    const begun = Array.from({ length: uploads }, (_, index) =>
      beginUpload(server.url, token, firstSeed + index),
    )
    const temporary = path.join(dataDir, 'blobs', 'tmp')
    await until(async () => (await readdir(temporary)).length >= uploads, 'all uploads to be in flight')
    const load = startLoad({ url: server.url, token, clients: 4, firstSeed: firstSeed + uploads })
    await until(() => load.acknowledged.length > 4, 'the load to run')

    const signalledAt = performance.now()
    const ended = server.end('SIGTERM')
    await until(() => /stopping/.test(server.said.stderr) || !server.isRunning(), 'the server to stop')
    const readyAfter = await countReady(server)
    const finished = await Promise.all(begun.map(({ finish }) => finish()))
    const { code } = await ended
    const stoppedMs = Math.round(performance.now() - signalledAt)
    await load.stop()
    return {
      inFlight: tally(finished.map(({ status }) => status)),
      later: new Map([[201, load.acknowledged.length], ...load.others]),
      stoppedMs,
      exitCode: code,
      readyAfter,
      acknowledged: [...finished.flatMap(({ acknowledged }) => acknowledged ?? []), ...load.acknowledged],
    }
  } finally {
    await server.end('SIGKILL')
  }
}

/** Violations after any number of stops, one sentence each. */
export async function findFaultsOfStops(
  { dataDir, authorization }: Pick<StopOptions, 'dataDir' | 'authorization'>,
  reports: readonly StopReport[],
): Promise<string[]> {
  const acknowledged = reports.flatMap((report) => report.acknowledged)
  const faults = reports.flatMap(({ inFlight, later, exitCode, stoppedMs, readyAfter }) => [
    ...[...inFlight]
      .filter(([status]) => status !== 201 && status !== 503)
      .map(
        ([status, times]) =>
          `${times} uploads in flight were ${status === 0 ? 'cut off' : `answered ${status}`}`,
      ),
    ...[...later.keys()]
      .filter((status) => ![0, 201, 503].includes(status))
      .map((status) => `a later upload was answered ${status}`),
    ...(exitCode === 0 ? [] : [`the process ended with ${exitCode}`]),
    ...(stoppedMs <= 20_000 ? [] : [`the stop took ${stoppedMs} ms`]),
    ...(readyAfter === 0 ? [] : [`${readyAfter} times ready while stopping`]),
  ])
  const { images, temporaryFiles, rowsWithoutBlob } = await countLeftovers(dataDir)
  if (images !== acknowledged.length)
    faults.push(`${images} images are stored, and ${acknowledged.length} were acknowledged`)
  if (temporaryFiles + rowsWithoutBlob > 0)
    faults.push(`${temporaryFiles} temporary files, ${rowsWithoutBlob} images without original`)
  const server = await startServer({ dataDir })
  try {
    const token = await tokenOf(server.url, authorization)
    faults.push(...(await findLost({ dataDir, url: server.url, token }, acknowledged)))
  } finally {
    await server.end('SIGKILL')
  }
  return [...faults, ...(await findProblemsInStore(dataDir))]
}

export const tallied = (times: ReadonlyMap<number, number>): string =>
  [...times].map(([status, number]) => `${status === 0 ? 'no answer' : status} × ${number}`).join(', ')

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { uploads: { type: 'string', default: '100' }, rounds: { type: 'string', default: '10' } },
  })
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-stop-'))
  const dataDir = path.join(folder, 'data')
  const begun = performance.now()
  try {
    const authorization = await prepare(dataDir)
    const reports: StopReport[] = []
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const firstSeed = 1 + round * 1_000_000
      reports.push(
        await stopUnderLoad({ dataDir, authorization, uploads: Number(values.uploads), firstSeed }),
      )
    }
    const faults = await findFaultsOfStops({ dataDir, authorization }, reports)
    const sum = (pick: (report: StopReport) => ReadonlyMap<number, number>) =>
      tallied(
        tally(
          reports.flatMap((report) =>
            [...pick(report)].flatMap(([status, times]) => Array<number>(times).fill(status)),
          ),
        ),
      )
    const lines = summaryOf(`SIGTERM with ${values.uploads} uploads in flight (trust 7)`, {
      stops: count(reports.length),
      'uploads in flight': sum(({ inFlight }) => inFlight),
      'uploads of a load that went on': sum(({ later }) => later),
      'longest stop': `${count(Math.max(...reports.map(({ stoppedMs }) => stoppedMs)))} ms`,
      'uploads acknowledged, all there and nothing else': count(
        reports.flatMap(({ acknowledged }) => acknowledged).length,
      ),
    })
    await finish({ lines, faults, folder, begun })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await main()

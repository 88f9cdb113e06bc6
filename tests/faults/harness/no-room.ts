// Requirements while there is no space to write, and afterwards; for a full disk and a file size limit alike (trust 5,
// 6).
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { imageSizes } from '../../../src/shared/image-sizes.ts'
import { requestToken, tokenOf, trailId } from './installation.ts'
import { startLoad, upload, type Acknowledged } from './load.ts'
import { startServer, until, type Server, type ServerOptions } from './server.ts'
import { countLeftovers, findLost, findProblemsInStore } from './verify.ts'

export interface NoRoom {
  readonly dataDir: string
  readonly authorization: string
  readonly server: ServerOptions
  readonly pictureOf: (seed: number) => Uint8Array
  /** Called once uploads are refused, to use up the remaining space. */
  readonly squeeze: (server: Server) => Promise<void>
  /** Frees space while the server runs. */
  readonly relieve: (server: Server) => Promise<void>
  /** Responses to a write without space. */
  readonly refusals: readonly number[]
}

export interface NoRoomReport {
  readonly acknowledged: number
  /** Responses to uploads by status. */
  readonly answers: ReadonlyMap<number, number>
  /** From the time that space was freed to the first 201. */
  readonly recoveredMs: number
  readonly unreferencedBlobs: number
  readonly faults: readonly string[]
}

const uploadsWhileFull = 40
const clients = 4

/** One complete run. Stops the server at the end. */
export async function runNoRoom(options: NoRoom): Promise<NoRoomReport> {
  const { dataDir, authorization, pictureOf, squeeze, relieve, refusals } = options
  const faults = new Set<string>()
  const answers = new Map<number, number>()
  const all: Acknowledged[] = []
  let seed = 1
  let recoveredMs = 0
  let server = await startServer(options.server)
  let token = await tokenOf(server.url, authorization)

  /** Uploads until enough have been refused or tried. */
  async function uploadMany(isEnough: (refused: number, tried: number) => boolean): Promise<void> {
    const load = startLoad({ url: server.url, token, clients, firstSeed: seed, pictureOf })
    const refused = () => [...load.others.values()].reduce((sum, times) => sum + times, 0)
    await until(() => isEnough(refused(), load.used()), 'the load to meet what it looks for', 60_000)
    await load.stop()
    seed += load.used()
    all.push(...load.acknowledged)
    answers.set(201, (answers.get(201) ?? 0) + load.acknowledged.length)
    for (const [status, times] of load.others) {
      answers.set(status, (answers.get(status) ?? 0) + times)
      if (!refusals.includes(status))
        faults.add(`an upload without room was answered ${status}, ${times} times`)
    }
  }

  async function expect(what: string, allowed: readonly number[], answer: Promise<Response>): Promise<void> {
    const { status } = await answer
    if (!allowed.includes(status)) faults.add(`${what} was answered ${status} while there was no room`)
  }

  /** Reads still work; writes succeed or report that there is no space. */
  async function lookWhileFull(): Promise<void> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const get = (address: string) => fetch(`${server.url}${address}`, { headers })
    const { imageId } = all.at(-1) ?? { imageId: 0 }
    const place = `/Trails/${trailId}/Images/${imageId}`
    await expect('a list', [200], get(`/Trails/${trailId}/Images`))
    await expect('details', [200], get(place))
    for (const size of imageSizes)
      await expect(`size ${size}`, [200], get(`/ImageHandler?id=${imageId}&t=${size}`))
    await expect('readiness', [200], get('/health/ready'))
    const put = { method: 'PUT', headers, body: '{"title":"x"}' }
    await expect('a change of details', [200, ...refusals], fetch(`${server.url}${place}`, put))
    const post = { method: 'POST', headers, body: '{"decision":"approve"}' }
    await expect('a review', [200, ...refusals], fetch(`${server.url}/v2/images/${imageId}/review`, post))
    await expect('a token', [200, ...refusals], requestToken(server.url, authorization))
  }

  async function requireNothingPartial(): Promise<void> {
    const temporary = await readdir(path.join(dataDir, 'blobs', 'tmp'))
    if (temporary.length > 0) faults.add(`${temporary.length} temporary files were left`)
    const { rowsWithoutBlob } = await countLeftovers(dataDir)
    if (rowsWithoutBlob > 0) faults.add(`${rowsWithoutBlob} images have no original`)
  }

  async function recover(): Promise<void> {
    await relieve(server)
    const relievedAt = performance.now()
    const retry = async (): Promise<boolean> => {
      const bytes = pictureOf(seed)
      seed += 1
      return (await upload({ url: server.url, token, bytes })).status === 201
    }
    await until(retry, 'an upload after there was room again', 10_000)
    recoveredMs = Math.round(performance.now() - relievedAt)
    await uploadMany((_refused, tried) => tried >= clients)
  }

  async function lookAtAll(): Promise<void> {
    const store = { dataDir, url: server.url, token }
    for (const lost of await findLost(store, all)) faults.add(lost)
  }

  try {
    await uploadMany((refused) => refused >= clients)
    await squeeze(server)
    const before = seed
    await uploadMany((_refused, tried) => tried >= uploadsWhileFull)
    if (seed === before) faults.add('no upload was tried')
    await lookWhileFull()
    if (!server.isRunning()) faults.add('the process ended')
    await recover()
    await requireNothingPartial()
    await lookAtAll()
    await server.end('SIGKILL')
    server = await startServer({ dataDir })
    token = await tokenOf(server.url, authorization)
    await lookAtAll()
    for (const problem of await findProblemsInStore(dataDir)) faults.add(problem)
  } finally {
    await server.end('SIGKILL')
  }
  const { unreferencedBlobs } = await countLeftovers(dataDir)
  return { acknowledged: all.length, answers, recoveredMs, unreferencedBlobs, faults: [...faults] }
}

/** The figures of a run in one line. */
export const noRoomLine = ({ acknowledged, answers, recoveredMs, unreferencedBlobs }: NoRoomReport): string =>
  `${acknowledged} acknowledged, answers ${[...answers].map(([status, times]) => `${status} × ${times}`).join(', ')}, ` +
  `${unreferencedBlobs} unreferenced blobs, first 201 after ${recoveredMs} ms of room`

// Compares Waymark's responses with nginx serving the same bytes as files. Status, length and hash of both are checked.
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { get, type IncomingHttpHeaders } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Absent, Contender, Ground } from './bench.ts'
import { startLoad, type Ask, type Load } from './load.ts'
import { nginxName, startNginx } from './nginx.ts'
import { oursName, startOurs, type Ours } from './ours.ts'

const codingMs = 30_000

interface Answer {
  readonly status: number
  readonly body: Buffer
  readonly headers: IncomingHttpHeaders
}

/** Returns the raw body; fetch would decompress it. */
export function askOnce(port: number, { path: address, headers = {} }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path: address, headers }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece)).on('error', reject)
      answer.on('end', () => {
        const { statusCode: status = 0, headers: given } = answer
        resolve({ status, body: Buffer.concat(pieces), headers: given })
      })
    })
    request.on('error', reject)
  })
}

/** A list may be sent uncompressed until it has been compressed in the background. */
async function askUntilCoded(port: number, ask: Ask): Promise<Answer> {
  const wanted = ask.headers?.['Accept-Encoding'] ?? ''
  const deadline = performance.now() + codingMs
  for (;;) {
    const answer = await askOnce(port, ask)
    if (answer.status !== 200 || (answer.headers['content-encoding'] ?? '') === wanted) return answer
    if (performance.now() > deadline) throw new Error(`${oursName} never came to answer with ${wanted}.`)
    await sleep(20)
  }
}

export interface Pairing {
  /** Names nginx's files; must be unique per pairing. */
  readonly name: string
  readonly asks: readonly Ask[]
  readonly connections?: number
}

export interface Pair {
  readonly contenders: readonly (Contender | Absent)[]
  readonly meanBytes: number
}

export interface AgainstNginx {
  readonly ours: Ours
  readonly load: Load
  /** Waymark with these requests, and nginx with files of its responses. */
  pair(pairing: Pairing): Promise<Pair>
  /** Waymark with these requests, and nginx with its own location (see `lines`). */
  pairWith(asks: readonly Ask[], limit: Ask): Promise<readonly (Contender | Absent)[]>
  close(): Promise<void>
}

/**
 * Starts Waymark on the data folder, nginx, and the load generator.
 * @param lines for nginx's server block.
 */
export async function startBoth(
  ground: Ground,
  dataDir: string,
  lines: readonly string[] = [],
): Promise<AgainstNginx> {
  const load = startLoad(ground)
  const started = await startNginx({ folder: path.join(ground.folder, 'nginx'), lines })
  const nginx = 'absent' in started ? undefined : started
  const ours = await startOurs(dataDir)

  const oursWith = (asks: readonly Ask[], connections: number): Promise<Contender> =>
    load.contender({
      name: oursName,
      port: ours.port,
      pids: [ours.pid],
      death: ours.death,
      asks,
      connections,
    })

  async function nginxWith(asks: readonly Ask[], connections: number): Promise<Contender | Absent> {
    if (nginx === undefined) return started as Absent
    const { port, pid, death } = nginx
    return load.contender({ name: nginxName, port, pids: [pid], death, asks, connections })
  }

  /**
   * Saves Waymark's response as a file of nginx.
   * @returns the requests for both, with the hash.
   */
  async function copy(ask: Ask, file: string) {
    const { status, body } = await askUntilCoded(ours.port, ask)
    if (status !== 200) throw new Error(`${oursName} answered ${status} to ${ask.path.split('?')[0]}.`)
    if (nginx) await writeFile(path.join(nginx.root, file), body)
    const wanted = { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') }
    return { ours: { ...ask, ...wanted }, nginx: { path: `/${file}`, ...wanted }, bytes: body.length }
  }

  return {
    ours,
    load,
    pair: async ({ name, asks, connections = 32 }) => {
      const copied = []
      for (const [index, ask] of asks.entries()) copied.push(await copy(ask, `${name}-${index}`))
      const contenders = [
        await oursWith(
          copied.map((ask) => ask.ours),
          connections,
        ),
        await nginxWith(
          copied.map((ask) => ask.nginx),
          connections,
        ),
      ]
      return { contenders, meanBytes: copied.reduce((sum, { bytes }) => sum + bytes, 0) / copied.length }
    },
    pairWith: async (asks, limit) => [await oursWith(asks, 32), await nginxWith([limit], 32)],
    close: async () => {
      load.noteCosts(ground)
      await Promise.all([load.close(), nginx?.close(), ours.close()])
    },
  }
}

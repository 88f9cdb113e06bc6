// P4: posting a route of 200 KB of GPX, compared with the cost of the disk and of parsing alone; and a list of 50 routes.
import { open } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import path from 'node:path'
import { readGpxText } from '../../src/shared/gpx/gpx.ts'
import type { BenchPath, Case, Contender } from '../parts/bench.ts'
import { measureCpu } from '../parts/cpu.ts'
import { gpxOf } from '../parts/gpx.ts'
import { helloName, startHello } from '../parts/hello.ts'
import { startLoad } from '../parts/load.ts'
import { oursName, prepareData, startOurs } from '../parts/ours.ts'
import { addRoutes } from '../parts/route-rows.ts'

const gpxBytes = 200_000
const smallGpxBytes = 2_000
/** Routes of others: lookups in a small table would be too fast. */
const otherRoutes = 5_000
const listed = 50
const variants = 16
const limitName = 'fdatasync + parse'

/**
 * Runs `work` sequentially for this long.
 * @param work receives the number of the iteration.
 */
function oneByOne(
  name: string,
  pids: readonly number[],
  work: (turn: number) => Promise<unknown>,
): Contender {
  let turn = 0
  return {
    name,
    slice: async (ms) => {
      const latenciesMs: number[] = []
      const cpu = measureCpu(pids)
      const begun = performance.now()
      do {
        const at = performance.now()
        await work(turn)
        latenciesMs.push(performance.now() - at)
        turn += 1
      } while (performance.now() < begun + ms)
      return { done: latenciesMs.length, cpuUs: cpu(), wallMs: performance.now() - begun, latenciesMs }
    },
  }
}

interface Post {
  readonly port: number
  readonly path: string
  readonly token: string
  readonly agent: Agent
}

function post({ port, path: address, token, agent }: Post, body: Buffer): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: address, method: 'POST', agent, headers },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        answer.on('error', reject).on('end', () => {
          if (answer.statusCode === 201 && /^\d+$/.test(text)) return resolve()
          reject(new Error(`${oursName} answered ${answer.statusCode} to a route: ${text.slice(0, 200)}.`))
        })
      },
    )
    sent.on('error', reject).end(body)
  })
}

export const routesPath: BenchPath = {
  name: 'routes',
  about: 'a route of 200 KB of gpx posted, against writing the same durably and parsing it',
  prepare: async (ground) => {
    const dataDir = path.join(ground.folder, 'data')
    const { reader, writer } = await prepareData(dataDir, async (filling) => {
      const others = { count: otherRoutes, gpxBytes: smallGpxBytes }
      await addRoutes(filling, await filling.addAccount('Ann'), others)
      const person = async (name: string) => {
        const account = await filling.addAccount(name)
        return { account, token: await filling.addToken(account) }
      }
      const reader = await person('Bob')
      await addRoutes(filling, reader.account, { count: listed, gpxBytes: smallGpxBytes })
      return { reader, writer: await person('Carol') }
    })
    const gpx = Array.from({ length: variants }, (_, index) => gpxOf(gpxBytes, index))
    const bodies = gpx.map((text) =>
      Buffer.from(JSON.stringify([{ name: 'Bench', description: '', gpx: text, length: 0 }])),
    )
    const load = startLoad(ground)
    const hello = await startHello()
    const ours = await startOurs(dataDir)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const to: Post = {
      port: ours.port,
      path: `/Accounts/${writer.account}/Routes`,
      token: writer.token,
      agent,
    }

    const posting = oneByOne(oursName, [ours.pid], (turn) =>
      post(to, bodies[turn % variants] ?? Buffer.alloc(0)),
    )
    const limit = oneByOne(limitName, [process.pid], async (turn) => {
      const text = gpx[turn % variants] ?? ''
      const file = await open(path.join(ground.folder, `synced-${turn % variants}`), 'w')
      try {
        await file.write(text)
        await file.datasync()
      } finally {
        await file.close()
      }
      readGpxText(text)
    })
    const warmUpMs = ground.isQuick ? 1 : 1_000
    for (const contender of [posting, limit]) await contender.slice(warmUpMs)

    const list = {
      path: `/Accounts/${reader.account}/Routes`,
      headers: { Authorization: `Bearer ${reader.token}`, Accept: 'application/json' },
    }
    const { port, pid, death } = ours
    const cases: Case[] = [
      {
        name: 'POST of 200 KB',
        contenders: [posting, limit],
        goals: [{ what: 'POST, durable', of: oursName, to: limitName, figure: 'p50', atMost: 3 }],
        disk: { folder: ground.folder, bytes: gpxBytes },
      },
      {
        name: `list of ${listed} routes`,
        contenders: [
          await load.contender({ name: oursName, port, pids: [pid], death, asks: [list] }),
          await load.contender(hello),
        ],
        goals: [{ what: 'list of routes of 2 KB', of: oursName, to: helloName, figure: 'cpu' }],
      },
    ]
    return {
      cases,
      close: async () => {
        agent.destroy()
        load.noteCosts(ground)
        await Promise.all([load.close(), hello.close(), ours.close()])
      },
    }
  },
}

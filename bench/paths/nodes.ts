// CPU per request: PostgreSQL compared with SQLite for a list and a small write, and two nodes on one PostgreSQL compared
// with one.
import path from 'node:path'
import { startPostgres, whyNoPostgres } from '../../tests/helpers/postgres.ts'
import type { BenchPath, Contender, Ground } from '../parts/bench.ts'
import { besideWrites } from '../parts/beside-writes.ts'
import { addPhotos, copyPhotos } from '../parts/image-rows.ts'
import { startLoad, type Ask } from '../parts/load.ts'
import { prepareData, startOurs } from '../parts/ours.ts'
import { paintPhotos } from '../parts/photos.ts'
import { addRoutes } from '../parts/route-rows.ts'

const trailId = 4711
const listed = 20
const onSqlite = 'SQLite'
const onPostgres = 'PostgreSQL'
const server = "PostgreSQL's own"
const withServer = 'PostgreSQL and its server'
const both = 'two nodes'
const disturbed = 'PostgreSQL, another node writes'
/** Write rate of the other node. */
const writesEverySecond = 20
const about =
  'a warm list of 20 images, its API key checked: PostgreSQL against SQLite, and two nodes against one'

/** Enough that no key was used by the previous request. */
const keyCount = 20
/** Enough that requests in flight rarely concern the same route. */
const routeCount = 256

interface Filled {
  readonly lists: readonly Ask[]
  readonly writes: readonly Ask[]
}

const fill = (dataDir: string, environment: Readonly<Record<string, string>>): Promise<Filled> =>
  prepareData(
    dataDir,
    async (filling) => {
      const memberId = await filling.addAccount('Hannah Ridge')
      const adminId = await filling.addAccount('Ann', 'admin')
      const photos = await paintPhotos(1, { width: 800, height: 600 }, 80)
      await filling.addTrail(1, 'Aside')
      await filling.addTrail(trailId, 'Appalachian Trail')
      const [imageId = 0] = await addPhotos(filling, { trailId: 1, memberId, adminId }, photos)
      await copyPhotos(filling, { imageId, trailId, count: listed })
      const lists: Ask[] = []
      for (let index = 0; index < keyCount; index += 1)
        lists.push({
          path: `/Trails/${trailId}/Images?api_key=${await filling.addKey(memberId)}`,
          headers: { Accept: 'application/json' },
        })
      const routeIds = await addRoutes(filling, memberId, { count: routeCount, gpxBytes: 2_000 })
      const headers = {
        Authorization: `Bearer ${await filling.addToken(memberId)}`,
        'Content-Type': 'application/json',
      }
      const writes = routeIds.map((id) => ({
        path: `/Accounts/${memberId}/Routes/${id}`,
        method: 'PUT',
        headers,
        body: Buffer.from(`[{"name":"Route ${id}"}]`),
      }))
      return { lists, writes }
    },
    environment,
  )

/** Half of each slice for each. The CPU of the idle one counts too. */
const halves = (one: Contender, other: Contender): Contender => ({
  name: both,
  slice: async (ms) => {
    const first = await one.slice(ms / 2)
    const second = await other.slice(ms / 2)
    return {
      done: first.done + second.done,
      cpuUs: first.cpuUs + second.cpuUs,
      wallMs: first.wallMs + second.wallMs,
    }
  },
})

async function prepare(ground: Ground) {
  const why = whyNoPostgres()
  if (why !== false) {
    const absent = [onSqlite, onPostgres].map((name) => ({ name, absent: why }))
    const goals = [{ what: 'list', of: onPostgres, to: onSqlite, figure: 'cpu', atMost: 1.5 }] as const
    return { cases: [{ name: `list of ${listed}`, contenders: absent, goals }], close: async () => undefined }
  }
  const postgres = await startPostgres()
  try {
    const folders = ['sqlite', 'node-1', 'node-2'].map((name) => path.join(ground.folder, name))
    const [sqliteDir = '', firstDir = '', secondDir = ''] = folders
    const shared = {
      DATABASE_URL: await postgres.createDatabase(),
      SECRET_FILE: path.join(ground.folder, 'secret'),
    }
    const inSqlite = await fill(sqliteDir, {})
    const { lists: asks, writes } = await fill(firstDir, shared)
    const sqlite = await startOurs(sqliteDir)
    const first = await startOurs(firstDir, shared)
    const second = await startOurs(secondDir, shared)
    const load = startLoad(ground)
    const { port, pid, death } = first
    const pids = [pid, second.pid]
    const ofSqlite = await load.contender({
      name: onSqlite,
      port: sqlite.port,
      pids: [sqlite.pid],
      death: sqlite.death,
      asks: inSqlite.lists,
    })
    const ofPostgres = await load.contender({ name: onPostgres, port, pids: [pid], death, asks })
    const ofServer = await load.contender({ name: server, port, pids: [postgres.pid()], death, asks })
    const half = await load.contender({ name: 'first half', port, pids, death, asks })
    const other = await load.contender({
      name: 'other half',
      port: second.port,
      pids,
      death: second.death,
      asks,
    })
    const alone = await load.contender({
      name: 'second node',
      port: second.port,
      pids: [second.pid],
      death: second.death,
      asks,
    })
    const writing = { port, death, asks: writes }
    const writesOfSqlite = await load.contender({
      name: onSqlite,
      port: sqlite.port,
      pids: [sqlite.pid],
      death: sqlite.death,
      asks: inSqlite.writes,
    })
    const writesOfPostgres = await load.contender({ name: onPostgres, pids: [pid], ...writing })
    const writesOfAll = await load.contender({ name: withServer, pids: [pid, postgres.pid()], ...writing })
    return {
      cases: [
        {
          name: `list of ${listed}`,
          contenders: [ofSqlite, ofPostgres, ofServer],
          goals: [
            { what: 'list', of: onPostgres, to: onSqlite, figure: 'cpu', atMost: 1.5 },
            { what: 'beside it, the server', of: server, to: onSqlite, figure: 'cpu' },
          ] as const,
        },
        {
          name: 'two nodes, half each',
          contenders: [ofPostgres, alone, halves(half, other)], // each node is also warmed up alone
          goals: [{ what: 'list', of: both, to: onPostgres, figure: 'cpu', atMost: 1.15 }] as const,
        },
        {
          name: `the same while another node keeps ${writesEverySecond} routes a second`,
          contenders: [
            ofPostgres,
            besideWrites(ofPostgres, {
              name: disturbed,
              port: second.port,
              asks: writes,
              everySecond: writesEverySecond,
            }),
          ],
          goals: [{ what: 'list', of: disturbed, to: onPostgres, figure: 'cpu' }] as const,
        },
        {
          name: 'a route renamed, durably, by 32 clients',
          contenders: [writesOfSqlite, writesOfPostgres, writesOfAll],
          goals: [
            { what: 'rate', of: onPostgres, to: onSqlite, figure: 'rate' },
            { what: 'the node', of: onPostgres, to: onSqlite, figure: 'cpu' },
            { what: 'with the server', of: withServer, to: onSqlite, figure: 'cpu' },
          ] as const,
          disk: { folder: ground.folder, bytes: 2_000 },
        },
      ],
      close: async () => {
        load.noteCosts(ground)
        await Promise.all([load.close(), sqlite.close(), first.close(), second.close()])
        await postgres.end()
      },
    }
  } catch (error) {
    await postgres.end()
    throw error
  }
}

export const nodesPath: BenchPath = { name: 'nodes', about, prepare }

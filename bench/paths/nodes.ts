// The list of a trail on PostgreSQL against SQLite, and two nodes on one PostgreSQL against one: CPU for each request.
import path from 'node:path'
import { startPostgres, whyNoPostgres } from '../../tests/helpers/postgres.ts'
import type { BenchPath, Contender, Ground } from '../parts/bench.ts'
import { addPhotos, copyPhotos } from '../parts/image-rows.ts'
import { startLoad } from '../parts/load.ts'
import { prepareData, startOurs } from '../parts/ours.ts'
import { paintPhotos } from '../parts/photos.ts'

const trailId = 4711
const listed = 20
const onSqlite = 'SQLite'
const onPostgres = 'PostgreSQL'
const server = "PostgreSQL's own"
const both = 'two nodes'
const about =
  'a warm list of 20 images, its API key checked: PostgreSQL against SQLite, and two nodes against one'

/** So many that none is the one that was asked with just before. */
const keyCount = 20

const fill = (dataDir: string, environment: Readonly<Record<string, string>>): Promise<string[]> =>
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
      const keys: string[] = []
      for (let index = 0; index < keyCount; index += 1) keys.push(await filling.addKey(memberId))
      return keys
    },
    environment,
  )

/** Half of each slice to either; what the idle one takes meanwhile counts too. */
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
    const sqliteKeys = await fill(sqliteDir, {})
    const keys = await fill(firstDir, shared)
    const sqlite = await startOurs(sqliteDir)
    const first = await startOurs(firstDir, shared)
    const second = await startOurs(secondDir, shared)
    const load = startLoad(ground)
    const asksWith = (all: readonly string[]) =>
      all.map((key) => ({
        path: `/Trails/${trailId}/Images?api_key=${key}`,
        headers: { Accept: 'application/json' },
      }))
    const asks = asksWith(keys)
    const { port, pid, death } = first
    const pids = [pid, second.pid]
    const ofSqlite = await load.contender({
      name: onSqlite,
      port: sqlite.port,
      pids: [sqlite.pid],
      death: sqlite.death,
      asks: asksWith(sqliteKeys),
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
          contenders: [ofPostgres, alone, halves(half, other)], // each node is warmed up by itself too
          goals: [{ what: 'list', of: both, to: onPostgres, figure: 'cpu', atMost: 1.15 }] as const,
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

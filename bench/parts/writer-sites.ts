// Sites for write benchmarks: one or more nodes with their own database, and a lane per client.
import path from 'node:path'
import type { PostgresServer } from '../../tests/helpers/postgres.ts'
import type { Ground } from './bench.ts'
import { requestBytes, type Lane } from './lanes.ts'
import type * as Ours from './ours.ts'
import type * as RouteRows from './route-rows.ts'
import { startUploadServer } from './uploads.ts'

const uploadBytes = 2_000
/** A rename writes only the name, so the GPX can be small. */
const gpxBytes = 2_000

export interface Site {
  /** Of all nodes. */
  readonly pids: readonly number[]
  /** Creates this many clients, spread over the nodes. */
  readonly lanes: (count: number) => readonly Lane[]
  readonly death: () => string | undefined
  close(): Promise<void>
}

export interface SiteOptions {
  readonly name: string
  /** Maximum number of clients; each has an account. */
  readonly clients: number
  readonly nodes: number
}

interface Writer {
  readonly accountId: number
  readonly routeId: number
  readonly token: string
}

/** Alternates names: a rename to the same name could be skipped. */
function renameLane({ accountId, routeId, token }: Writer, port: number): Lane {
  const parts = {
    method: 'PUT',
    path: `/Accounts/${accountId}/Routes/${routeId}`,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  }
  const requests = ['Ridge', 'Valley'].map((name) =>
    requestBytes({ ...parts, body: Buffer.from(`[{"name":"${name}"}]`) }, port),
  )
  let turn = 0
  const next = (): Buffer => {
    turn += 1
    return requests[turn % requests.length] as Buffer
  }
  return { port, status: 200, next }
}

/**
 * Starts `waymark serve` on each node. Each client has an account with a route.
 * @param checkout folder of the version of Waymark to run.
 * @param postgres without it, there is one node with SQLite.
 */
export async function startRenameSite(
  { folder }: Pick<Ground, 'folder'>,
  checkout: string,
  { name, clients, nodes }: SiteOptions,
  postgres?: PostgresServer,
): Promise<Site> {
  // The database is filled by that version's own modules, since only they know its schema.
  const { prepareData, startOurs } = (await import(path.join(checkout, 'bench/parts/ours.ts'))) as typeof Ours
  const { addRoutes } = (await import(path.join(checkout, 'bench/parts/route-rows.ts'))) as typeof RouteRows
  const settings: Record<string, string> =
    postgres === undefined
      ? {}
      : {
          DATABASE_URL: await postgres.createDatabase({ isEmpty: true }),
          SECRET_FILE: path.join(folder, `${name}-secret`),
        }
  const folders = Array.from({ length: nodes }, (_, index) => path.join(folder, `${name}-${index}`))
  const writers = await prepareData(
    folders[0] ?? folder,
    async (filling) => {
      const made: Writer[] = []
      for (let index = 0; index < clients; index += 1) {
        const accountId = await filling.addAccount(`Hiker ${index}`)
        const [routeId = 0] = await addRoutes(filling, accountId, { count: 1, gpxBytes })
        made.push({ accountId, routeId, token: await filling.addToken(accountId) })
      }
      return made
    },
    settings,
  )
  const servers: Ours.Ours[] = []
  for (const dataDir of folders) servers.push(await startOurs(dataDir, settings))
  const portOf = (index: number): number => servers[index % servers.length]?.port ?? 0
  return {
    pids: servers.map(({ pid }) => pid),
    lanes: (count) => writers.slice(0, count).map((writer, index) => renameLane(writer, portOf(index))),
    death: () => servers.map((server) => server.death()).find((sentence) => sentence !== undefined),
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  }
}

/** @param newBody returns a number that no earlier body had. */
function uploadLane(port: number, place: string, token: string, newBody: () => number): Lane {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'image/jpeg' }
  const body = Buffer.alloc(uploadBytes, '.')
  return {
    port,
    status: 201,
    next: () => {
      body.write(`${newBody()} `, 0, 'latin1')
      return requestBytes({ method: 'POST', path: place, headers, body }, port)
    },
  }
}

/**
 * Nodes whose uploads are only rows: bodies are small, there is no image processing, and the blob store is in memory.
 * Each client has an account and a trail.
 * @param folder in memory.
 */
export async function startRowSite(
  { folder }: Pick<Ground, 'folder'>,
  { name, nodes }: Omit<SiteOptions, 'clients'>,
  postgres: PostgresServer,
): Promise<Site> {
  const settings = {
    DATABASE_URL: await postgres.createDatabase({ isEmpty: true }),
    SECRET_FILE: path.join(folder, `${name}-secret`),
  }
  const servers: Awaited<ReturnType<typeof startUploadServer>>[] = []
  for (let index = 0; index < nodes; index += 1)
    servers.push(await startUploadServer(path.join(folder, `${name}-${index}`), 'recording', settings))
  let bodies = 0
  const newBody = (): number => {
    bodies += 1
    return bodies
  }
  const laneOf = (index: number): Lane => {
    const server = servers[index % nodes]
    if (server === undefined) throw new Error('There is no node.')
    return uploadLane(server.port, server.paths[index] ?? '', server.tokens[index] ?? '', newBody)
  }
  return {
    pids: servers.map(({ pid }) => pid),
    lanes: (count) => Array.from({ length: count }, (_, index) => laneOf(index)),
    death: () => servers.map((server) => server.death()).find((sentence) => sentence !== undefined),
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  }
}

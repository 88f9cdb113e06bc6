// Several node processes with one PostgreSQL and one S3 store behind nginx, as described in docs/operations.md.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { prepare } from '../faults/harness/installation.ts'
import { launchServer, type Server } from '../faults/harness/server.ts'
import { startNginx, whyNoNginx, type Front } from './nginx.ts'
import { lastingPort } from './ports.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from './postgres.ts'
import { startSwift, whyNoSwift, type Swift } from './swift.ts'

export const whyNoCluster = (): string | false => whyNoPostgres() || whyNoSwift() || whyNoNginx()

export interface Cluster {
  /** URL of nginx. */
  readonly url: string
  readonly postgres: PostgresServer
  /** Direct URL of PostgreSQL, without a proxy. */
  readonly databaseUrl: string
  /** URLs of the nodes. They stay the same after a restart. */
  readonly nodeUrls: readonly string[]
  /** Settings of a node, except port and folder. */
  readonly settings: Readonly<Record<string, string>>
  /** Data folder for commands that run beside the nodes. */
  readonly folder: string
  /** Client credentials of an admin, as HTTP Basic. */
  readonly authorization: string
  node(at: number): Server
  /** Kills a node and starts it again. */
  crash(at: number): Promise<void>
  /** Logs of all nodes, including earlier processes. */
  logs(): string
  end(): Promise<void>
}

export interface ClusterOptions {
  readonly nodes?: number
  readonly settings?: Readonly<Record<string, string>>
  /** Additional settings of one node. */
  readonly settingsOf?: (at: number) => Readonly<Record<string, string>>
  /**
   * Puts a proxy in front of PostgreSQL or the store.
   * @returns the URL for the nodes.
   */
  readonly databaseThrough?: (url: string, postgres: PostgresServer) => Promise<string>
  readonly blobsThrough?: (url: string, swift: Swift) => Promise<string>
}

/** The caller must always stop it. */
export async function startCluster({
  nodes = 3,
  settings: own = {},
  settingsOf = () => ({}),
  databaseThrough = async (url) => url,
  blobsThrough = async (url) => url,
}: ClusterOptions = {}): Promise<Cluster> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-cluster-'))
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const end = async (): Promise<void> => {
    for (const one of ends.toReversed()) await one()
  }
  try {
    const postgres: PostgresServer = await startPostgres()
    ends.push(() => postgres.end())
    const swift: Swift = await startSwift()
    ends.push(() => swift.end())
    const databaseUrl = await postgres.createDatabase()
    const ports = await Promise.all(Array.from({ length: nodes }, () => lastingPort()))
    const nodeUrls = ports.map((port) => `http://127.0.0.1:${port}`)
    const front: Front = await startNginx({ nodes: nodeUrls })
    ends.push(() => front.end())
    const settings = {
      DATABASE_URL: await databaseThrough(databaseUrl, postgres),
      BLOB_URL: await blobsThrough(swift.blobUrl, swift),
      ...swift.environment,
      SECRET_FILE: path.join(folder, 'secret'),
      PUBLIC_URL: front.url,
      TRUST_PROXY: '127.0.0.1/32',
      ...own,
    }
    await mkdir(path.join(folder, 'first'), { recursive: true })
    Object.assign(process.env, swift.environment) // for the SDK in this process, which creates the first account
    const authorization = await prepare(path.join(folder, 'first'), settings)
    const servers: Server[] = []
    const ended: Server[] = []

    async function start(at: number): Promise<void> {
      const { server, listening } = launchServer({
        dataDir: path.join(folder, `node${at}`),
        settings: { ...settings, ...settingsOf(at), PORT: String(ports[at]) },
      })
      servers[at] = server
      if (!(await listening())) throw new Error(`node ${at} did not start: ${server.said.stderr}`)
    }

    ends.push(() => Promise.all(servers.map((server) => server.end('SIGTERM'))))
    await Promise.all(ports.map((_, at) => start(at)))
    const nodeAt = (at: number): Server => {
      const server = servers[at]
      if (!server) throw new Error(`no node ${at}`)
      return server
    }
    return {
      url: front.url,
      postgres,
      databaseUrl,
      nodeUrls,
      settings,
      folder: path.join(folder, 'first'),
      authorization,
      node: nodeAt,
      crash: async (at) => {
        const server = nodeAt(at)
        await server.end('SIGKILL')
        ended.push(server)
        await start(at)
      },
      logs: () => [...ended, ...servers].map(({ said }) => said.stdout).join(''),
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

// Additional nodes with the same PostgreSQL, photos and clock as the test's node, behind nginx.
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Client } from 'pg'
import { createApp, type App, type AppOptions } from '../../src/app.ts'
import type { Config } from '../../src/settings/config.ts'
import { openInstallation, type Installation } from '../../src/installation.ts'
import type { System } from '../../src/system.ts'
import { startNginx } from './nginx.ts'
import { settleAt } from './settling.ts'

/** Set by `node tests/on-postgres.ts --nodes 3`. */
export const nodesWanted = Number(process.env['WAYMARK_TEST_NODES'] ?? '1')

/** nginx itself refuses invalid escapes and U+0000 in a URL. */
const refusedByNginx = /%(?![0-9a-f]{2})|%00/i

/** The URLs, or parts of URLs, that reach a node. */
export const reachingNodes = <Address extends string | number>(all: readonly Address[]): Address[] =>
  all.filter((address) => nodesWanted === 1 || !refusedByNginx.test(String(address)))

/** The methods that reach a node: nginx refuses TRACE itself. */
export const methodsReachingNodes = (all: readonly string[]): string[] =>
  all.filter((method) => nodesWanted === 1 || method !== 'TRACE')

export interface Beside {
  /** URL of nginx. */
  readonly url: string
  close(): Promise<void>
}

export interface BesideOptions {
  readonly config: Config
  readonly system: System
  readonly first: Installation
  readonly firstUrl: string
  readonly app: AppOptions
}

async function startNode({ config, system, app: options }: BesideOptions) {
  const installation = await openInstallation(config, system)
  const app: App = await createApp(installation, options)
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.server.address() as AddressInfo
  return { installation, app, url: `http://127.0.0.1:${port}` }
}

export async function startBeside(options: BesideOptions): Promise<Beside> {
  const { databasePlace } = options.config
  if (databasePlace.engine !== 'postgres') throw new Error('several nodes need PostgreSQL')
  const others = await Promise.all(Array.from({ length: nodesWanted - 1 }, () => startNode(options)))
  const nginx = await startNginx({ nodes: [options.firstUrl, ...others.map(({ url }) => url)] })
  const teller = new Client({ connectionString: databasePlace.url })
  await teller.connect()
  const waiting = new Map<string, () => void>()
  const installations = [options.first, ...others.map(({ installation }) => installation)]
  for (const [at, { database }] of installations.entries())
    database.onForeignCommit?.((by) => waiting.get(`${at} ${by}`)?.())

  /** Waits until each node has seen all commits so far. Until then, nodes may return older data. */
  async function settle(): Promise<void> {
    const sign = randomUUID()
    const heard = installations.map(
      (_, at) => new Promise<void>((resolve) => waiting.set(`${at} ${sign}`, resolve)),
    )
    await teller.query(`notify waymark_commit, '${sign}'`)
    await Promise.all(heard)
    for (const at of installations.keys()) waiting.delete(`${at} ${sign}`)
  }

  const endSettling = settleAt(nginx.url, settle)
  return {
    url: nginx.url,
    close: async () => {
      endSettling()
      await nginx.end()
      await teller.end()
      for (const { app, installation } of others) {
        await app.close()
        await installation.close()
      }
    },
  }
}

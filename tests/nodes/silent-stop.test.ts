// A server stopped while PostgreSQL is silent: it stops gracefully without waiting for PostgreSQL to close connections
// (trust 9).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepare } from '../faults/harness/installation.ts'
import { startServer, until, type Server } from '../faults/harness/server.ts'
import { newFolder } from '../helpers/folders.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'

/** Three times the measured duration. STOP_GRACE, after which it would be killed, is 20 s. */
const maxMs = 12_000

void test(
  'a server exits with 0 while PostgreSQL is unresponsive, before and after it has noticed',
  { skip: whyNoPostgres() },
  async (t) => {
    const postgres = await startPostgres()
    const proxy = await startTcpProxy({ port: postgres.port })
    const servers: Server[] = []
    t.after(async () => {
      for (const server of servers) await server.end('SIGKILL')
      await proxy.end() // before the server, which waits for its connections
      await postgres.end()
    })
    for (const isNoticed of [false, true]) {
      const direct = await postgres.createDatabase() // a new one, so that the first garbage collection is due
      const dataDir = await newFolder(t)
      await prepare(dataDir, { DATABASE_URL: direct })
      const proxied = new URL(direct)
      proxied.port = String(proxy.port)
      const server = await startServer({ dataDir, settings: { DATABASE_URL: proxied.href } })
      servers.push(server)
      const readiness = async (): Promise<number> => (await fetch(`${server.url}/health/ready`)).status
      await until(
        () => server.said.stdout.includes('"garbage collected"'),
        'the server to have done what it does at its start',
      )
      proxy.trouble({ isSilent: true })
      if (isNoticed) assert.equal(await readiness(), 503)
      const begun = performance.now()
      const { code } = await server.end('SIGTERM')
      const took = performance.now() - begun
      proxy.heal()
      assert.equal(code, 0, server.said.stderr)
      assert.ok(took < maxMs, `it took ${took.toFixed(0)} ms`)
      t.diagnostic(`${isNoticed ? 'noticed' : 'not noticed'}: ended after ${took.toFixed(0)} ms`)
    }
  },
)

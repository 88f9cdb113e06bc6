// A server whose PostgreSQL is killed, stopped or unreachable (issue 9, trust 8 and 9): 503 in time, and recovery by
// itself.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, describe, test, type TestContext } from 'node:test'
import { prepare, tokenOf, trailId } from '../faults/harness/installation.ts'
import { startLoad, upload } from '../faults/harness/load.ts'
import { smallPng } from '../faults/harness/pictures.ts'
import { startServer, until, type Server } from '../faults/harness/server.ts'
import { findLost } from '../faults/harness/verify.ts'
import { parseScrape } from '../helpers/metrics.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from '../helpers/postgres.ts'
import { startTcpProxy, type TcpProxy } from '../helpers/tcp-proxy.ts'
import { processesOf } from '../hostile/service.ts'
import { startProbes } from './probes.ts'

/** Issue 9. */
const maxMs = 3_500
const troubleMs = 10_000

/** A session may have ended since its process was listed. */
function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

void describe('PostgreSQL failing', { skip: whyNoPostgres() }, () => {
  let postgres: PostgresServer
  let proxy: TcpProxy
  let server: Server
  let folder = ''
  let token = ''
  let imageId = 0

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'waymark-nodes-'))
    postgres = await startPostgres()
    proxy = await startTcpProxy({ port: postgres.port })
    const direct = await postgres.createDatabase()
    const proxied = new URL(direct)
    proxied.port = String(proxy.port)
    const authorization = await prepare(folder, { DATABASE_URL: direct })
    server = await startServer({ dataDir: folder, settings: { DATABASE_URL: proxied.href } })
    token = await tokenOf(server.url, authorization)
    const made = await upload({ url: server.url, token, bytes: smallPng(1) })
    assert.equal(made.status, 201, made.body)
    imageId = Number(made.body)
  })

  after(async () => {
    await server?.end('SIGTERM')
    await proxy?.end()
    await postgres?.end()
    await rm(folder, { recursive: true, force: true })
  })

  const isReady = async (): Promise<boolean> => (await fetch(`${server.url}/health/ready`)).status === 200

  /** Uploads and reads before, during and after the outage, and checks every response. */
  async function during(
    t: TestContext,
    begin: () => void | Promise<void>,
    finish: () => void | Promise<void>,
    lasts: number,
  ) {
    await until(isReady, 'the server to be ready')
    const { url } = server
    const load = startLoad({ url, token, clients: 4, firstSeed: Math.floor(Math.random() * 2 ** 30) })
    const probes = startProbes({ url, token, trailId, imageId, pid: server.pid })
    t.after(() => Promise.all([load.stop(), probes.stop()]))
    await until(() => load.acknowledged.length >= 10, 'ten uploads')
    await begin()
    const from = performance.now()
    await pause(lasts) // the duration of the outage is what is tested
    // A write whose commit is not answered waits 2 s for its number before it is refused.
    for (const what of ['ready', 'details', 'change', 'upload'])
      await until(() => (probes.counts()[`${what} 503`] ?? 0) > 0, `${what} to be refused`)
    await finish()
    const healedAt = performance.now()
    const before = load.acknowledged.length
    await until(() => load.acknowledged.length >= before + 10, 'uploads to go on')
    await until(isReady, 'the server to be ready again')
    const recoveredMs = performance.now() - healedAt
    await load.stop()
    await probes.stop()

    // Earlier uploads may have processed their photo and need the database only at the end.
    const reported = probes.reported.filter(({ begunAt }) => begunAt >= from)
    const slow = reported.filter(({ milliseconds, waitedMs }) => milliseconds - waitedMs > maxMs)
    assert.deepEqual(slow, [], 'every answer came in time')
    assert.deepEqual(
      reported.filter(({ what, status }) => what === 'live' && status !== 200),
      [],
      'the server lives',
    )
    const wrong = reported.filter(
      ({ status, retryAfter }) => ![200, 201].includes(status) && (status !== 503 || !retryAfter),
    )
    assert.deepEqual(wrong, [], 'what cannot be done is refused with 503 and Retry-After')
    assert.deepEqual(
      [...load.others.keys()].filter((status) => status !== 503),
      [],
    )
    assert.deepEqual(await findLost({ dataDir: folder, url, token }, load.acknowledged), [])
    assert.ok(server.isRunning())
    const longest = Math.max(...reported.map(({ milliseconds }) => milliseconds))
    return `${load.acknowledged.length} uploads kept, longest answer ${longest.toFixed(0)} ms, well again ${recoveredMs.toFixed(0)} ms after`
  }

  void test('killed and restarted', async (t) => {
    t.diagnostic(
      await during(
        t,
        () => postgres.kill(),
        () => postgres.start(),
        3_000,
      ),
    )
  })

  void test('stopped for ten seconds', async (t) => {
    let stopped: number[] = []
    const signal = (name: NodeJS.Signals) => (): void => {
      if (name === 'SIGSTOP') stopped = processesOf(postgres.pid())
      for (const pid of stopped) signalIfThere(pid, name)
    }
    t.diagnostic(await during(t, signal('SIGSTOP'), signal('SIGCONT'), troubleMs))
  })

  void test('unreachable', async (t) => {
    t.diagnostic(
      await during(
        t,
        () => proxy.trouble({ isSilent: true }),
        () => proxy.heal(),
        6_000,
      ),
    )
    t.diagnostic(
      await during(
        t,
        () => proxy.trouble({ isRefusing: true }),
        () => proxy.heal(),
        2_000,
      ),
    )
  })

  void test('the metrics show how long writers waited, and how many failed', async () => {
    const { samples } = parseScrape(await (await fetch(`${server.url}/metrics`)).text())
    const waits = (outcome: string): number =>
      samples.get(`waymark_writer_wait_seconds_count{outcome="${outcome}"}`) ?? 0
    assert.ok(waits('begun') > 30, `${waits('begun')} begun`)
    assert.ok(waits('failed') > 0, 'none in vain')
    const connections = ['busy', 'idle', 'awaited'].map((state) =>
      samples.get(`waymark_database_connections{state="${state}"}`),
    )
    const [busy = -1, idle = -1, awaited = -1] = connections
    assert.ok(busy >= 0 && idle >= 0 && busy + idle > 0 && awaited === 0, String(connections))
  })
})

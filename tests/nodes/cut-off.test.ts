// One of three nodes silently cut off from PostgreSQL, and from the store, during writes (issue 26): it reports it,
// returns nothing outdated for long, and recovers by itself.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import { trailId } from '../faults/harness/installation.ts'
import { upload } from '../faults/harness/load.ts'
import { smallPng } from '../faults/harness/pictures.ts'
import { runWaymark, until } from '../faults/harness/server.ts'
import { startCluster, whyNoCluster, type Cluster } from '../helpers/cluster.ts'
import { blobUrlThrough } from '../helpers/swift.ts'
import { startTcpProxy, type TcpProxy } from '../helpers/tcp-proxy.ts'
import { findFaults, readStored } from './kills/audit.ts'
import { createAsker, isUnknown, type Answer, type Asker } from './kills/ask.ts'
import { preparePeople } from './kills/people.ts'
import { startWriters, type Person } from './kills/writers.ts'

/** Cached data expires after 5 s without notifications (src/database/postgres/commit-watch.ts); the rest is tolerance. */
const rememberedMs = 9_000
const cutMs = 12_000
const someWrites = 40

void describe('one node disconnected', { skip: whyNoCluster() }, () => {
  let cluster: Cluster
  let asker: Asker
  let toDatabase: TcpProxy
  let toStore: TcpProxy
  let databaseUrl = ''
  let blobUrl = ''
  let people: readonly Person[] = []
  let imageId = 0

  before(async () => {
    cluster = await startCluster({
      databaseThrough: async (url, postgres) => {
        toDatabase = await startTcpProxy({ port: postgres.port })
        const through = new URL(url)
        through.port = String(toDatabase.port)
        databaseUrl = through.href
        return url
      },
      blobsThrough: async (url, swift) => {
        toStore = await startTcpProxy({ port: swift.port })
        blobUrl = blobUrlThrough(url, toStore.port)
        return url
      },
      settingsOf: (at) => (at === 0 ? { DATABASE_URL: databaseUrl, BLOB_URL: blobUrl } : {}),
    })
    asker = createAsker()
    ;({ people } = await preparePeople(cluster, 4))
    const made = await upload({ url: urlOf(1), token: admin().token, bytes: smallPng(1) })
    imageId = Number(made.body)
    assert.equal((await decide('approve')).status, 200)
  })

  after(async () => {
    asker?.end()
    await toDatabase?.end()
    await toStore?.end()
    await cluster?.end()
  })

  const urlOf = (at: number): string => cluster.nodeUrls[at] ?? ''
  const admin = (): Person => {
    const [person] = people
    assert.ok(person)
    return person
  }
  const get = (at: number, address: string): Promise<Answer> =>
    asker.ask({ url: urlOf(at) + address, token: admin().token })
  const decide = (decision: string): Promise<Answer> =>
    asker.ask({
      url: `${urlOf(1)}/v2/images/${imageId}/review`,
      method: 'POST',
      token: admin().token,
      body: JSON.stringify({
        decision,
        ...(decision === 'remove' ? { reason: 'other', note: 'cut off' } : {}),
      }),
    })
  const list = (at: number): Promise<Answer> => get(at, `/Trails/${trailId}/Images`)
  const ready = (at: number): Promise<Answer> => get(at, '/health/ready')

  /** Writes continue, some on the affected node. Nothing acknowledged is lost. */
  async function during(firstSeed: number, trouble: () => Promise<void>): Promise<number> {
    const writers = startWriters({ nodeUrls: cluster.nodeUrls, people, clients: 6, firstSeed })
    try {
      await until(() => writers.acknowledged() >= someWrites, 'the writers to write')
      await trouble()
      const before = writers.acknowledged()
      await until(() => writers.acknowledged() >= before + someWrites, 'the writers to go on')
    } finally {
      await writers.stop()
    }
    const stored = await readStored(cluster.databaseUrl)
    const own = new Set(writers.clients.flatMap(({ acknowledged }) => acknowledged.map(({ id }) => id)))
    const routes = stored.routes.filter(({ id, name }) => own.has(id) || writers.unknownNames.has(name))
    assert.deepEqual(findFaults({ ...stored, routes }, writers), [])
    assert.deepEqual(writers.faults, [])
    assert.ok(cluster.node(0).isRunning())
    return writers.acknowledged()
  }

  void test('from PostgreSQL: it is not ready, serves nothing old for long, and recovers without a restart', async (t) => {
    const shown = String(imageId)
    for (let time = 0; time < 3; time += 1) assert.ok((await list(0)).body.includes(shown))
    let recovered = 0
    const count = await during(100_000, async () => {
      toDatabase.trouble({ isSilent: true })
      const cutAt = performance.now()
      assert.equal((await decide('remove')).status, 200)
      await until(async () => (await ready(0)).status === 503, 'the node to say that it is not ready')
      assert.match((await ready(0)).body, /database is not responding/)
      assert.equal((await ready(1)).status, 200, 'the others are')
      await pause(Math.max(0, rememberedMs - (performance.now() - cutAt)))
      while (performance.now() - cutAt < cutMs) {
        const { status, body } = await list(0)
        assert.ok(!body.includes(shown), 'what was taken away elsewhere is told no more')
        assert.ok(isUnknown({ status, body }), `the list was answered ${status}`)
      }
      toDatabase.heal()
      const healedAt = performance.now()
      await until(async () => (await ready(0)).status === 200, 'the node to be ready again')
      recovered = performance.now() - healedAt
      await until(async () => (await list(0)).status === 200, 'the list to be told again')
      assert.ok(!(await list(0)).body.includes(shown))
    })
    t.diagnostic(`${count} writes, ready again ${recovered.toFixed(0)} ms after`)
  })

  void test('from the store: only this node refuses photos, rows are read and written, and it recovers', async (t) => {
    let recovered = 0
    const count = await during(200_000, async () => {
      toStore.trouble({ isSilent: true })
      await until(async () => (await ready(0)).status === 503, 'the node to say that it is not ready')
      assert.match((await ready(0)).body, /store of photos is not responding/)
      assert.equal((await ready(1)).status, 200, 'the others are')
      const refused = await upload({ url: urlOf(0), token: admin().token, bytes: smallPng(200_001) })
      assert.equal(refused.status, 503, refused.body)
      assert.ok(refused.headers['retry-after'])
      assert.equal((await get(0, '/v2/me')).status, 200)
      toStore.heal()
      const healedAt = performance.now()
      await until(async () => (await ready(0)).status === 200, 'the node to be ready again')
      recovered = performance.now() - healedAt
      const taken = await upload({ url: urlOf(0), token: admin().token, bytes: smallPng(200_002) })
      assert.equal(taken.status, 201, taken.body)
    })
    t.diagnostic(`${count} writes, ready again ${recovered.toFixed(0)} ms after`)
  })

  void test('and everything stored is intact', async () => {
    const { code, stdout, stderr } = await runWaymark(['check', '--audit', '--json'], {
      dataDir: cluster.folder,
      settings: cluster.settings,
    })
    assert.equal(code, 0, stdout + stderr)
  })
})

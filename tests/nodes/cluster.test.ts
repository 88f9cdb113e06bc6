// Three nodes with one PostgreSQL and one S3 store behind nginx (issue 9): guarantees for users while nodes die at
// random.
import assert from 'node:assert/strict'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { tokenOf, trailId } from '../faults/harness/installation.ts'
import { startLoad, upload } from '../faults/harness/load.ts'
import { smallPng } from '../faults/harness/pictures.ts'
import { runWaymark, until } from '../faults/harness/server.ts'
import { findLost } from '../faults/harness/verify.ts'
import { startCluster, whyNoCluster, type Cluster } from '../helpers/cluster.ts'
import { startRouteLoad } from './route-load.ts'

/** Issue 9. */
const writes = 2_000
const photos = 60
const minCrashes = 6
const deadWithinMs = 10_000
const pairs = 40

const json = { 'content-type': 'application/json' }

void describe('three nodes', { skip: whyNoCluster() }, () => {
  let cluster: Cluster
  let token = ''
  let accountId = 0

  before(async () => {
    cluster = await startCluster()
    token = await tokenOf(cluster.url, cluster.authorization)
    const me = await fetch(`${cluster.url}/v2/me`, { headers: { authorization: `Bearer ${token}` } })
    accountId = ((await me.json()) as { acctID: number }).acctID
  })

  after(() => cluster?.end())

  const nodeUrl = (at: number): string => cluster.nodeUrls[at % cluster.nodeUrls.length] ?? ''

  void test(`nodes killed at random under load: none of ${writes} acknowledged writes is lost`, async (t) => {
    const { url } = cluster
    const uploads = startLoad({ url, token, clients: 1, firstSeed: 1 })
    const routes = startRouteLoad({ url, token, accountId, clients: 8 })
    t.after(() => Promise.all([uploads.stop(), routes.stop()]))
    const isEnough = (): boolean =>
      uploads.acknowledged.length >= photos &&
      uploads.acknowledged.length + routes.acknowledged.size >= writes
    let crashes = 0
    while (!isEnough() || crashes < minCrashes) {
      const before = uploads.acknowledged.length + routes.acknowledged.size
      await until(() => uploads.acknowledged.length + routes.acknowledged.size > before + 50, 'some writes')
      await cluster.crash(Math.floor(Math.random() * 3))
      crashes += 1
    }
    await Promise.all([uploads.stop(), routes.stop()])
    const lostPhotos = await findLost({ url, token }, uploads.acknowledged)
    assert.deepEqual(lostPhotos, [])
    assert.deepEqual(await routes.findLost(), [])
    const kept = uploads.acknowledged.length + routes.acknowledged.size
    assert.ok(kept >= writes)
    const refused = [...uploads.others, ...routes.others].filter(
      ([status]) => ![0, 502, 503, 504].includes(status),
    )
    assert.deepEqual(refused, [], 'nothing else was answered')
    t.diagnostic(
      `${uploads.acknowledged.length} photos and ${routes.acknowledged.size} routes, ${crashes} crashes`,
    )
  })

  void test(`C23: of two simultaneous decisions on different nodes one wins, ${pairs} times`, async () => {
    const headers = { authorization: `Bearer ${token}`, ...json }
    for (let pair = 0; pair < pairs; pair += 1) {
      const made = await upload({ url: nodeUrl(pair), token, bytes: smallPng(9_000_000 + pair) })
      assert.equal(made.status, 201, made.body)
      const imageId = Number(made.body)
      const decide = (at: number, decision: string) =>
        fetch(`${nodeUrl(at)}/v2/images/${imageId}/review`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ decision }),
        })
      const both = await Promise.all([decide(pair, 'approve'), decide(pair + 1, 'reject')])
      const statuses = both.map(({ status }) => status)
      assert.deepEqual(
        statuses.toSorted((one, other) => one - other),
        [200, 409],
        `image ${imageId}`,
      )
      const won = statuses[0] === 200 ? 'approved' : 'rejected'
      const history = await fetch(`${nodeUrl(pair + 2)}/v2/images/${imageId}/history`, { headers })
      const { items } = (await history.json()) as { items: { to: string }[] }
      assert.deepEqual(
        items.map(({ to }) => to),
        ['pending', won],
      )
    }
  })

  /**
   * Waits until every node refuses it.
   * @returns milliseconds
   */
  async function deadEverywhere(ask: (url: string) => Promise<Response>): Promise<number> {
    const begun = performance.now()
    const isDead = async (url: string): Promise<boolean> => [401, 403].includes((await ask(url)).status)
    await until(
      async () => (await Promise.all(cluster.nodeUrls.map(isDead))).every(Boolean),
      'every node to refuse it',
      deadWithinMs,
    )
    return performance.now() - begun
  }

  async function makeKey(): Promise<{ apiKey: string; prefix: string }> {
    const answer = await fetch(`${cluster.url}/v2/me/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...json },
      body: JSON.stringify({ name: 'cluster' }),
    })
    assert.equal(answer.status, 201, await answer.clone().text())
    return (await answer.json()) as { apiKey: string; prefix: string }
  }

  const listWith = (apiKey: string) => (url: string) =>
    fetch(`${url}/Trails/${trailId}/Images`, { headers: { 'x-api-key': apiKey } })

  async function warm(ask: (url: string) => Promise<Response>): Promise<void> {
    for (const url of cluster.nodeUrls) {
      // Three times: the last response may come from memory, where an earlier commit arrives late.
      for (let time = 0; time < 3; time += 1) assert.equal((await ask(url)).status, 200)
    }
  }

  const revoke = async (prefix: string): Promise<void> => {
    const answer = await fetch(`${nodeUrl(0)}/v2/me/keys/${prefix}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(answer.status, 204)
  }

  void test('C28: a key revoked on one node stops working on every node', async (t) => {
    const { apiKey, prefix } = await makeKey()
    await warm(listWith(apiKey))
    await revoke(prefix)
    t.diagnostic(`after ${(await deadEverywhere(listWith(apiKey))).toFixed(0)} ms`)
  })

  void test('C28: and within ten seconds if the notification is lost', async (t) => {
    const { apiKey, prefix } = await makeKey()
    await warm(listWith(apiKey))
    // Disconnects listeners in the preceding transaction, so that its notification is lost.
    await cluster.postgres.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'waymark listener'`,
    )
    await revoke(prefix)
    t.diagnostic(`after ${(await deadEverywhere(listWith(apiKey))).toFixed(0)} ms`)
  })

  const askWith = (theirs: string) => (url: string) =>
    fetch(`${url}/v2/me`, { headers: { authorization: `Bearer ${theirs}` } })

  void test('C28: a token revoked on one node stops working on every node', async (t) => {
    const theirs = await tokenOf(nodeUrl(1), cluster.authorization)
    await warm(askWith(theirs))
    const revoked = await fetch(`${nodeUrl(2)}/oauth/revoke`, {
      method: 'POST',
      headers: { authorization: cluster.authorization },
      body: new URLSearchParams({ token: theirs }),
    })
    assert.equal(revoked.status, 200)
    t.diagnostic(`after ${(await deadEverywhere(askWith(theirs))).toFixed(0)} ms`)
  })

  void test('Part D: an account suspended on one node or by the command line is suspended on every node', async (t) => {
    const run = async (...args: string[]): Promise<Record<string, string | number>> => {
      const { code, stdout, stderr } = await runWaymark([...args, '--json'], {
        dataDir: cluster.folder,
        settings: cluster.settings,
      })
      assert.equal(code, 0, stderr)
      return JSON.parse(stdout) as Record<string, string | number>
    }
    const { acctID = 0 } = await run('accounts', 'create', '--email', 'ben@trails.example', '--name', 'Ben')
    const { clientId, clientSecret } = await run(
      'clients',
      'create',
      '--account',
      `${acctID}`,
      '--name',
      'of Ben',
      '--scope',
      'images:read',
    )
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    const theirs = await tokenOf(cluster.url, `Basic ${basic}`)
    await warm(askWith(theirs))
    await run('accounts', 'change', '--account', `${acctID}`, '--suspend')
    t.diagnostic(`after ${(await deadEverywhere(askWith(theirs))).toFixed(0)} ms`)
  })

  /** From another loopback address, as seen by nginx. */
  async function askFrom(localAddress: string, forged: string): Promise<http.IncomingHttpHeaders> {
    const { hostname, port } = new URL(cluster.url)
    const request = http.get({
      hostname,
      port,
      localAddress,
      path: '/v2/site',
      headers: { 'x-forwarded-for': forged, forwarded: `for=${forged}` },
    })
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request.once('response', resolve)
      request.once('error', reject)
    })
    await text(response)
    return response.headers
  }

  void test('TRUST_PROXY: the visitor’s address is the one that nginx sees, and a forged one is ignored', async () => {
    const left = async (address: string, forged: string): Promise<number> =>
      Number(/r=(\d+)/.exec(String((await askFrom(address, forged))['ratelimit']))?.[1])
    await askFrom('127.0.0.23', '198.51.100.7')
    await until(() => cluster.logs().includes('127.0.0.23'), 'the log to tell the address')
    assert.ok(!cluster.logs().includes('198.51.100.7'))
    const first = await left('127.0.0.24', '203.0.113.1')
    // Over all nodes: counts are added up twice a second.
    await until(
      async () => (await left('127.0.0.24', `203.0.113.${Math.floor(Math.random() * 250)}`)) < first - 3,
      'one bucket',
    )
  })
})

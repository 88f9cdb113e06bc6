// Ten thousand acknowledged writes while nodes and leading sessions die (issue 26): nothing is lost, duplicated or out of
// order for three feed readers, a webhook receiver, and the history's chain.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runWaymark, until } from '../faults/harness/server.ts'
import { startReceiver } from '../events/webhooks/receiver.ts'
import { startCluster, whyNoCluster } from '../helpers/cluster.ts'
import { findFaults, heardBy, readStored } from './kills/audit.ts'
import { createAsker } from './kills/ask.ts'
import { startPageReader, startStreamReader } from './kills/feed-readers.ts'
import { preparePeople } from './kills/people.ts'
import { createStrikes } from './kills/strikes.ts'
import { startWriters } from './kills/writers.ts'

/** Issue 26. By hand: WAYMARK_TEST_WRITES=1000 node --test tests/nodes/ten-thousand.test.ts */
const writes = Number(process.env['WAYMARK_TEST_WRITES'] ?? 10_000)
const nodeKills = Math.ceil(writes / 100)
const leaderKills = Math.ceil(writes / 500)
/** Different accounts, since writers of one account may wait for each other. */
const accounts = 8
const clients = 12
const listedFaults = 20
const deliverMs = 180_000

void test(
  `${writes} acknowledged writes with ${nodeKills} kills of nodes and ${leaderKills} of the node that numbers`,
  { skip: whyNoCluster() },
  async (t) => {
    // Failed attempts are retried soon, and those of a dead node once its lease has expired.
    const cluster = await startCluster({
      settings: { WEBHOOK_ALLOW: '127.0.0.0/8', WEBHOOK_BACKOFF: '1 1 2 2 5 5 5 5', QUOTA_ROUTES: '0' },
    })
    const ends: (() => unknown)[] = [() => cluster.end()]
    t.after(async () => {
      for (const end of ends.toReversed()) await end()
    })
    const { nodeUrls } = cluster
    const { people, renew } = await preparePeople(cluster, accounts)
    const [first, second, third, fourth] = people
    assert.ok(first && second && third && fourth)

    const receiver = await startReceiver((work) => ends.push(work))
    const asker = createAsker()
    const hook = await asker.ask({
      url: `${nodeUrls[0] ?? ''}/v2/webhooks`,
      method: 'POST',
      token: fourth.token,
      body: JSON.stringify({ url: receiver.url, events: ['*'] }),
    })
    asker.end()
    assert.equal(hook.status, 201, hook.body)

    const readers = [
      { person: first, reader: startPageReader({ nodeUrls, person: first, first: 0 }) },
      { person: second, reader: startPageReader({ nodeUrls, person: second, first: 1 }) },
      { person: third, reader: startStreamReader({ nodeUrls, person: third, first: 2 }) },
    ]
    for (const { reader } of readers) ends.push(() => reader.stop())
    const strikes = createStrikes(cluster)
    const writers = startWriters({ nodeUrls, people, clients })
    ends.push(() => writers.stop())
    const begun = performance.now()

    const found = new Map<string, number>()
    let [struck, ofLeaders] = [0, 0]
    while (writers.acknowledged() < writes || struck < nodeKills) {
      await until(
        () => writers.acknowledged() >= Math.min(writes, (struck + 1) * (writes / nodeKills)),
        'the writers to go on',
      )
      await renew()
      struck += 1
      if (struck % (nodeKills / leaderKills) >= 1) await strikes.killNode()
      else {
        // Alternately ends a session with its node, which also counts as a kill, and a session alone.
        const leader = ofLeaders % 2 === 0 ? await strikes.killLeader() : await strikes.endLeader()
        ofLeaders += 1
        if (ofLeaders % 2 === 0) await strikes.killNode()
        const word = /^\s*(\w+)/.exec(leader.query)?.[1] ?? ''
        found.set(word, (found.get(word) ?? 0) + 1)
      }
    }
    await writers.stop()
    await strikes.settle()
    const wrote = performance.now() - begun

    const { newest } = await readStored(cluster.databaseUrl)
    for (const { reader } of readers)
      await until(() => reader.position() >= newest, 'a reader to come to the end')
    await until(
      async () => {
        const { deliveries } = await readStored(cluster.databaseUrl)
        return deliveries.length > 0 && deliveries.every(({ state }) => state === 'delivered')
      },
      'every delivery to be done',
      deliverMs,
    )
    for (const { reader } of readers) await reader.stop()

    const stored = await readStored(cluster.databaseUrl)
    const some = (faults: readonly string[]): readonly string[] => faults.slice(0, listedFaults)
    assert.deepEqual(some(writers.faults), [], 'only what nobody can know was answered otherwise')
    assert.deepEqual(some(strikes.faults), [], 'every node started again')
    assert.deepEqual(some(findFaults(stored, writers)), [])
    for (const { person, reader } of readers) {
      assert.deepEqual(some(reader.faults), [])
      const expected = heardBy(stored, person.accountId).map(({ position }) => position)
      assert.deepEqual(reader.positions, expected, 'a reader hears every event once, in order')
    }

    const due = heardBy(stored, fourth.accountId).map(({ position }) => position)
    const queued = stored.deliveries.map(({ position }) => position)
    assert.deepEqual(
      queued.toSorted((one, other) => one - other),
      due,
      'each event is queued for the webhook once',
    )
    const came = new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])))
    assert.deepEqual(
      [...came].toSorted(),
      stored.deliveries.map(({ id }) => `msg_${id}`).toSorted(),
      'and each came, under the id of its own',
    )
    const checked = await runWaymark(['check', '--audit', '--json'], {
      dataDir: cluster.folder,
      settings: cluster.settings,
    })
    assert.equal(checked.code, 0, checked.stdout + checked.stderr)
    t.diagnostic(
      `${writers.acknowledged()} writes in ${(wrote / 1_000).toFixed(0)} s, ${struck} nodes killed, ${ofLeaders} leaders (${[
        ...found,
      ]
        .map(([word, times]) => `${times} in ${word}`)
        .join(
          ', ',
        )}), ${writers.unanswered()} requests without an answer that tells, ${newest} events, ${receiver.received.length} webhooks of ${stored.deliveries.length}`,
    )
  },
)

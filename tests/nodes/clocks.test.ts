// Three nodes whose clocks differ by ten minutes (issue 26): durations are the same on all nodes, and so is the order.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createJumpingClock, type JumpingClock } from '../faults/harness/jumping-clock.ts'
import { tokenOf, trailId } from '../faults/harness/installation.ts'
import { smallPng } from '../faults/harness/pictures.ts'
import { whyNoPreload } from '../faults/harness/preload.ts'
import { startCluster, whyNoCluster, type Cluster } from '../helpers/cluster.ts'
import { createAsker, type Asker } from './kills/ask.ts'
import { preparePeople } from './kills/people.ts'
import type { Person } from './kills/writers.ts'

/** Offset of each node's clock in seconds. */
const ahead = [300, -300, 0]
/** The minimum of `src/review/claims`. */
const claimMinutes = 5
/** The interval at which nodes read the database clock, plus tolerance for a busy machine. */
const agreeWithinMs = 1_500

void describe('nodes whose clocks disagree', { skip: whyNoCluster() || whyNoPreload() }, () => {
  let cluster: Cluster
  let asker: Asker
  let folder = ''
  let people: readonly Person[] = []
  const clocks: JumpingClock[] = []

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'waymark-clocks-'))
    for (const [at, seconds] of ahead.entries()) {
      const clock = createJumpingClock(await mkdtemp(path.join(folder, `${at}-`)))
      clock.set(seconds)
      clocks.push(clock)
    }
    cluster = await startCluster({ settingsOf: (at) => clocks[at]?.settings ?? {} })
    asker = createAsker()
    ;({ people } = await preparePeople(cluster, 2))
  })

  after(async () => {
    asker?.end()
    await cluster?.end()
    for (const clock of clocks) clock.close()
    await rm(folder, { recursive: true, force: true })
  })

  const urlOf = (at: number): string => cluster.nodeUrls[at % ahead.length] ?? ''
  const personAt = (at: number): Person => {
    const person = people[at]
    if (person === undefined) throw new Error(`no person ${at}`)
    return person
  }
  const send = (at: number, address: string, { token }: Person, body: object) =>
    asker.ask({ url: urlOf(at) + address, method: 'POST', token, body: JSON.stringify(body) })

  async function uploadAt(at: number, seed: number, key: string): Promise<number> {
    const answer = await asker.ask({
      url: `${urlOf(at)}/Trails/${trailId}/Images`,
      method: 'POST',
      token: personAt(0).token,
      body: smallPng(seed),
      headers: { 'content-type': 'image/png', 'idempotency-key': key },
    })
    assert.ok([200, 201].includes(answer.status), `node ${at} answered ${answer.status}: ${answer.body}`)
    return Number(answer.body)
  }

  void test('the clocks of the processes really are wrong', async () => {
    for (const at of ahead.keys()) {
      const { headers } = await fetch(`${urlOf(at)}/health/live`)
      const reported = (Date.parse(headers.get('date') ?? '') - Date.now()) / 1_000
      assert.ok(Math.abs(reported - (ahead[at] ?? 0)) < 5, `node ${at} is ${reported} s ahead`)
    }
  })

  void test('a token from any node works on every node', async () => {
    for (const at of ahead.keys()) {
      const token = await tokenOf(urlOf(at), cluster.authorization)
      for (const other of ahead.keys()) {
        const { status, body } = await asker.ask({ url: `${urlOf(other)}/v2/me`, token })
        assert.equal(status, 200, `of node ${at} at node ${other}: ${body}`)
      }
    }
  })

  void test('a claim made on any node is valid on every node', async () => {
    for (const at of ahead.keys()) {
      const imageId = await uploadAt(at, 100 + at, `claim-${at}`)
      const claimed = await send(at, '/v2/review/claims', personAt(0), {
        ids: [imageId],
        minutes: claimMinutes,
      })
      assert.equal(claimed.status, 200, claimed.body)
      assert.match(claimed.body, /claimedUntil/)
      for (const other of ahead.keys()) {
        const decided = await send(other, `/v2/images/${imageId}/review`, personAt(1), {
          decision: 'approve',
        })
        assert.equal(decided.status, 409, `claimed at node ${at}, decided at node ${other}: ${decided.body}`)
      }
    }
  })

  void test('a request repeated on another node creates nothing twice', async () => {
    for (const at of ahead.keys()) {
      const first = await uploadAt(at, 200 + at, `again-${at}`)
      for (const other of ahead.keys()) assert.equal(await uploadAt(other, 200 + at, `again-${at}`), first)
    }
  })

  void test('feed and history show the same times, in the same order', async () => {
    for (let turn = 0; turn < 9; turn += 1) {
      const id = await uploadAt(turn, 300 + turn, `order-${turn}`)
      const decided = await send(turn + 1, `/v2/images/${id}/review`, personAt(0), { decision: 'approve' })
      assert.equal(decided.status, 200, decided.body)
    }
    const answer = await asker.ask({
      url: `${urlOf(2)}/v2/changes?since=0&limit=500`,
      token: personAt(0).token,
    })
    const { items } = JSON.parse(answer.body) as { items: { position: number; at: string }[] }
    let last = 0
    for (const { position, at } of items) {
      const time = Date.parse(at)
      assert.ok(time > last - agreeWithinMs, `position ${position} is of ${at}, ${last - time} ms too early`)
      last = Math.max(last, time)
    }
    assert.ok(Math.abs(last - Date.now()) < 60_000, 'the time of the database, which is that of this machine')
  })
})

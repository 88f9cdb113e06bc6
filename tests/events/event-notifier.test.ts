// Waiting for events costs one query for all waiting readers, and none without readers.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../src/database/database.ts'
import { createEventNotifier } from '../../src/events/event-notifier.ts'
import { newestPosition, recordEvent } from '../../src/events/outbox.ts'
import { testJobs } from '../helpers/jobs.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const { db } = waymark.installation.database
const ana = await waymark.addPerson()

let queries = 0
const counted: Db = db.withPlugin({
  transformQuery: ({ node }) => {
    queries += 1
    return node
  },
  transformResult: async ({ result }) => result,
})
const looks = (): number => queries
const pollMs = 20
const forever = { maxMs: 60_000, signal: new AbortController().signal }

const record = (): Promise<number> =>
  db.transaction().execute(async (tx) => {
    await recordEvent(tx, {
      type: 'route.created',
      at: 0,
      accountId: ana.accountId,
      data: { routeID: 1, acctID: ana.accountId },
    })
    return newestPosition(tx)
  })

void test('Part D: a thousand waiting readers cause one query, are all woken by an event, and cause none afterwards', async () => {
  const eventNotifier = createEventNotifier({ db: counted, jobs: testJobs(), pollMs })
  const begun = performance.now()
  const waiting = Array.from({ length: 1_000 }, () => eventNotifier.wait(0, forever))
  for (let tries = 0; tries < 500 && looks() < 3; tries += 1) await pause(pollMs)
  await record()
  await Promise.all(waiting)
  const max = (performance.now() - begun) / pollMs + 2
  assert.ok(queries >= 3 && queries <= max, `${queries} looks, ${max} at most`)
  const before = queries
  await pause(5 * pollMs)
  assert.equal(queries, before)
  await eventNotifier.wait(0, forever) // a known event needs no wait
  assert.equal(queries, before)
})

void test('Part D: a notification wakes before the next poll; a signal and the timeout end the wait', async () => {
  const eventNotifier = createEventNotifier({ db: counted, jobs: testJobs(), pollMs: 60_000 })
  const position = await record()
  const woken = eventNotifier.wait(position, forever)
  await record()
  eventNotifier.nudge()
  await woken
  const ending = new AbortController()
  const ended = eventNotifier.wait(position + 1, { maxMs: 60_000, signal: ending.signal })
  ending.abort()
  await ended
  await eventNotifier.wait(position + 1, { maxMs: 1, signal: new AbortController().signal })
})

const setNewest = (value: number) =>
  db.updateTable('counter').set({ value }).where('name', '=', 'outbox').execute()

void test('a feed that goes back, as after a failover with lost writes: readers ahead of it get an error, and none loops', async () => {
  const eventNotifier = createEventNotifier({ db: counted, jobs: testJobs(), pollMs })
  await record()
  const position = await record()
  assert.equal(await eventNotifier.wait(position - 1, forever), false) // it is known now
  await setNewest(position - 2)
  const brief = () =>
    eventNotifier.wait(position - 2, { maxMs: 5 * pollMs, signal: new AbortController().signal })
  await brief() // immediately, for a known event
  const before = performance.now()
  await brief()
  assert.ok(performance.now() - before > 3 * pollMs, 'it was waited for')
  assert.equal(await eventNotifier.wait(position, forever), true)
  await setNewest(position)
})

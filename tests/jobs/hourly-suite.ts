// When the hourly work of several servers is done, by which, and when it is tried again: the same on every engine.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Database } from '../../src/database/database.ts'
import { createLease } from '../../src/database/leases.ts'
import { createJobs } from '../../src/jobs/runner.ts'
import { createSharedSchedule, lookEveryMs, retryAfterMs } from '../../src/jobs/schedule.ts'
import { migrate } from '../../src/database/migrate.ts'
import { findReadOnly, switchReadOnlyOff, switchReadOnlyOn } from '../../src/database/read-only.ts'

const minuteMs = 60_000

/** The hourly job of one server, whose work a test gives each time. */
function hourlyJob({ db }: Database, now: () => number) {
  let work = async (): Promise<void> => undefined
  const job = createJobs({
    now,
    isReadOnly: async () => (await findReadOnly(db)) !== undefined,
    log: { error: () => undefined, info: () => undefined },
  }).add({
    name: 'hourly',
    everyMs: lookEveryMs,
    writes: true,
    lease: createLease(db, { name: 'upkeep-running', lengthMs: retryAfterMs, now }),
    schedule: createSharedSchedule(db, 'upkeep-lease', now),
    run: () => work(),
  })
  return {
    take: (now: () => Promise<void>): Promise<void> => {
      work = now
      return job.runIfDue()
    },
  }
}

export function testUpkeepTurns(
  name: string,
  open: (t: TestContext) => Promise<{ readonly database: Database; reopen(): Promise<Database> }>,
): void {
  /** @param lateMs by how much the clock of the other server is behind. */
  async function start(t: TestContext, lateMs = 0) {
    const { database, reopen } = await open(t)
    await migrate(database)
    let at = Date.UTC(2026, 4, 14, 9)
    const now = () => at
    const late = () => at - lateMs
    const [one, other] = [hourlyJob(database, now), hourlyJob(await reopen(), late)]
    return {
      one,
      other,
      db: database.db,
      pass: (minutes: number) => {
        at += minutes * minuteMs
      },
    }
  }

  void test(`${name}: of several servers one does the hourly work, whichever is first`, async (t) => {
    const { one, other, pass } = await start(t)
    const done: string[] = []
    const look = async (): Promise<void> => {
      await one.take(async () => void done.push('one'))
      await other.take(async () => void done.push('other'))
    }
    for (let minutes = 0; minutes < 180; minutes += lookEveryMs / minuteMs) {
      await look()
      pass(lookEveryMs / minuteMs)
    }
    assert.equal(done.length, 3, 'at 0, 60 and 120 minutes')

    pass(60)
    const maxAtOnce = { is: 0, was: 0 }
    const workBeside = (neighbour: typeof one) => async (): Promise<void> => {
      maxAtOnce.is += 1
      maxAtOnce.was = Math.max(maxAtOnce.was, maxAtOnce.is)
      await neighbour.take(async () => void (maxAtOnce.was += 1))
      maxAtOnce.is -= 1
    }
    await Promise.all([one.take(workBeside(other)), other.take(workBeside(one))])
    assert.equal(maxAtOnce.was, 1)
  })

  void test(`${name}: a server whose clock is some seconds behind does not repeat it`, async (t) => {
    const { one, other, pass } = await start(t, 5_000)
    const done: string[] = []
    await one.take(async () => void done.push('one'))
    await other.take(async () => void done.push('other'))
    pass(5)
    await other.take(async () => void done.push('other'))
    assert.deepEqual(done, ['one'])
  })

  void test(`${name}: failed work is tried again by any server after ten minutes, and not before`, async (t) => {
    const { one, other, pass } = await start(t)
    const tries: number[] = []
    let minutes = 0
    const wait = (more: number): void => {
      minutes += more
      pass(more)
    }
    const fail = (): Promise<void> => {
      tries.push(minutes)
      return Promise.reject(new Error('the store does not answer'))
    }
    await assert.rejects(one.take(fail), /does not answer/)
    wait(5)
    for (const server of [one, other]) await server.take(fail)
    wait(5)
    await assert.rejects(other.take(fail), /does not answer/)
    await one.take(fail)
    wait(9)
    await one.take(fail)
    wait(1)
    await one.take(async () => void tries.push(minutes))
    assert.deepEqual(tries, [0, 10, 20])
    for (const server of [one, other]) await server.take(fail)
    wait(57)
    for (const server of [one, other]) await server.take(fail)
    wait(1)
    await assert.rejects(other.take(fail))
    assert.deepEqual(tries, [0, 10, 20, 78], 'once it was done it is due an hour later')
  })

  void test(`${name}: a server that dies during the hourly work, or a wrong clock, does not block others for long`, async (t) => {
    const { one, other, db, pass } = await start(t)
    let isDone = false
    const finish = async (): Promise<void> => void (isDone = true)
    const dead = one.take(() => Promise.reject(new Error('killed'))) // as good as: it says nothing to the database
    await assert.rejects(dead)
    pass(9)
    await other.take(finish)
    assert.equal(isDone, false)
    pass(1)
    await other.take(finish)
    assert.equal(isDone, true)

    isDone = false
    await one.take(finish)
    assert.equal(isDone, false)
    pass(-24 * 60)
    await one.take(finish)
    assert.equal(isDone, true, 'the clock was a day ahead')
    const names = await db.selectFrom('counter').select('name').where('name', 'like', 'upkeep%').execute()
    assert.deepEqual(names.map((row) => row.name).toSorted(), ['upkeep-lease', 'upkeep-running'])
  })

  void test(`${name}: in read-only mode, hourly work in progress records nothing`, async (t) => {
    const { one, other, db, pass } = await start(t)
    const counters = () => db.selectFrom('counter').selectAll().orderBy('name').execute()
    let before: unknown
    await one.take(async () => {
      await switchReadOnlyOn(db, 1, 'moving')
      before = await counters()
    })
    assert.deepEqual(await counters(), before)
    await switchReadOnlyOff(db)
    pass(10)
    let isDone = false
    await other.take(async () => void (isDone = true))
    assert.equal(isDone, true)
  })

  void test(`${name}: a server that needs longer than ten minutes for the hourly work keeps it`, async (t) => {
    const { one, other, pass } = await start(t)
    t.mock.timers.enable({ apis: ['setInterval'] })
    const heard = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const working = one.take(() => {
      heard.resolve()
      return ended.promise
    })
    await heard.promise
    for (let renewals = 0; renewals < 8; renewals += 1) {
      pass(2.5)
      t.mock.timers.tick(2.5 * minuteMs)
      await new Promise((resolve) => setTimeout(resolve, 20)) // the renewal is a write like any other
      await other.take(() => Promise.reject(new Error('two at once')))
    }
    ended.resolve()
    await working
  })
}

// The shared clock of all nodes: the time of the database, and elapsed time in between.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createSharedClock } from '../../src/database/postgres/shared-clock.ts'

const start = Date.UTC(2026, 10, 26)
const minute = 60_000

/** A node with a mocked clock, and a database with a given response time. */
async function startClock(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: start + 10 * minute })
  const state = { ran: 5_000, database: start, answerMs: 4, isSilent: false, asked: 0 }
  const pass = (ms: number): void => {
    state.ran += ms
    state.database += ms
  }
  const clock = createSharedClock({
    monotonic: () => state.ran,
    ask: async () => {
      state.asked += 1
      if (state.isSilent) throw new Error('The database is not responding.')
      pass(state.answerMs / 2)
      const at = state.database
      pass(state.answerMs / 2)
      return at
    },
  })
  await clock.start()
  t.after(() => clock.close())
  const lookAgain = async (): Promise<void> => {
    t.mock.timers.tick(15_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, state, pass, lookAgain }
}

void test('a node whose clock is wrong uses the time of the database, as a whole number', async (t) => {
  const { clock, state, pass } = await startClock(t)
  assert.equal(clock.now(), state.database)
  pass(minute + 0.4)
  assert.equal(clock.now(), Math.round(state.database))
  t.mock.timers.setTime(start - 10 * minute) // the node's clock is changed
  assert.equal(clock.now(), Math.round(state.database))
})

void test('it follows a database with another clock, as after a failover, and ignores tiny differences', async (t) => {
  const { clock, state, lookAgain } = await startClock(t)
  state.database += 3 * minute
  await lookAgain()
  assert.equal(clock.now(), state.database)
  const before = clock.now()
  state.database += 40
  await lookAgain()
  assert.equal(clock.now(), before + state.answerMs)
  state.answerMs = 2_000 // the time may have been read at any point of these two seconds
  state.database += 900
  await lookAgain()
  assert.equal(clock.now(), before + 4 + 2_000)
})

void test('while the database is silent it continues', async (t) => {
  const { clock, state, pass, lookAgain } = await startClock(t)
  state.isSilent = true
  pass(minute)
  await lookAgain()
  assert.equal(state.asked, 2)
  assert.equal(clock.now(), state.database)
})

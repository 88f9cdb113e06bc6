// The job runner: one run at a time, wake-ups, failures reported once, and its metrics.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobs } from '../../src/jobs/runner.ts'
import type { Schedule } from '../../src/jobs/schedule.ts'

interface Turn {
  readonly signal: AbortSignal
  end(error?: Error): void
}

/** A job whose runs a test ends. */
function start({
  isReadOnly = false,
  ...options
}: { isReadOnly?: boolean; closeWithinMs?: number; schedule?: Schedule } = {}) {
  const log: string[] = []
  const turns: Turn[] = []
  let began = Promise.withResolvers<void>()
  const state = { isReadOnly, at: 1_000 }
  const jobs = createJobs({
    now: () => state.at,
    isReadOnly: async () => state.isReadOnly,
    log: {
      error: (_facts, text) => void log.push(`error ${text}`),
      info: (_facts, text) => void log.push(`info ${text}`),
    },
  })
  const job = jobs.add({
    name: 'test',
    everyMs: 3_600_000,
    writes: true,
    ...options,
    run: ({ signal }) =>
      new Promise((resolve, reject) => {
        turns.push({ signal, end: (error) => (error ? reject(error) : resolve()) })
        began.resolve()
        began = Promise.withResolvers()
      }),
  })
  return { job, jobs, log, turns, state, nextBegins: () => began.promise }
}

void test('a job runs at the start; if woken during a run, it runs once more', async () => {
  const { job, turns, nextBegins } = start()
  job.wake()
  assert.equal(turns.length, 0, 'not before the start')
  const first = nextBegins()
  job.start()
  await first
  const second = nextBegins()
  for (let wakes = 0; wakes < 5; wakes += 1) job.wake()
  assert.equal(turns.length, 1, 'one at a time')
  turns[0]?.end()
  await second
  turns[1]?.end()
  await job.close()
  assert.equal(turns.length, 2)
})

void test('a failure is reported once until the job runs again, and thrown to the caller that asked for the run', async () => {
  const { job, jobs, log, turns, state, nextBegins } = start()
  for (const error of [new Error('first'), Object.assign(new Error('second'), { code: 'ECONNREFUSED' })]) {
    const begins = nextBegins()
    const run = job.run()
    await begins
    state.at += 1_000
    turns.at(-1)?.end(error)
    await assert.rejects(run, error)
  }
  assert.deepEqual(log, ['error a job failed'])
  const begins = nextBegins()
  const run = job.run()
  await begins
  assert.equal(jobs.status()[0]?.isRunning, true)
  turns.at(-1)?.end()
  await run
  assert.deepEqual(log, ['error a job failed', 'info a job has recovered'])
  const [{ lastDurationMs = -1, ...status } = { lastDurationMs: -1 }] = jobs.status()
  assert.ok(lastDurationMs >= 0)
  assert.deepEqual(status, {
    name: 'test',
    isRunning: false,
    lastEndedAt: 3_000,
    failures: 2,
    lastError: { at: 3_000, what: 'ECONNREFUSED' },
  })
})

void test('a job does not run while the site is read-only, or once it is closed', async () => {
  const { job, turns, state, nextBegins } = start({ isReadOnly: true })
  await job.run()
  assert.equal(turns.length, 0)
  state.isReadOnly = false
  const begins = nextBegins()
  const run = job.run()
  await begins
  const closed = job.close()
  assert.equal(turns[0]?.signal.aborted, true)
  turns[0]?.end()
  await Promise.all([closed, run])
  await job.run()
  assert.equal(turns.length, 1)
})

void test('closing waits for the current run, but no longer than the job allows', async () => {
  const { job, turns, nextBegins } = start({ closeWithinMs: 10 })
  const begins = nextBegins()
  const run = job.run()
  await begins
  await job.close()
  turns[0]?.end()
  await run
})

void test('a run that is not due yet does not count as the recovery of a failed job', async () => {
  let isDue = true
  const schedule = { isShared: false, isDue: () => isDue, begin: () => undefined, done: () => undefined }
  const { job, log, turns, nextBegins } = start({ schedule })
  const begins = nextBegins()
  const run = job.runIfDue()
  await begins
  turns[0]?.end(new Error('no store'))
  await assert.rejects(run, /no store/)
  isDue = false
  await job.runIfDue()
  assert.deepEqual([turns.length, log], [1, ['error a job failed']])
  isDue = true
  const again = nextBegins()
  const second = job.runIfDue()
  await again
  turns[1]?.end()
  await second
  assert.deepEqual(log, ['error a job failed', 'info a job has recovered'])
})

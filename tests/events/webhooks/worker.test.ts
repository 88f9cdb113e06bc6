// The worker under continuous load: due deliveries are attempted while there is always more to fan out.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createWorker } from '../../../src/events/webhooks/worker.ts'
import { testJobs } from '../../helpers/jobs.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { addWebhook, onLoopback } from './receiver.ts'

const waymark = await startWaymark(onLoopback)
after(() => waymark.close())
const person = await waymark.addPerson()
await addWebhook(waymark, person.token, 'http://127.0.0.1:9/hook')

/** @param fanOut says whether there is more. @returns the worker's next attempt. */
function startWork(fanOut: () => Promise<boolean>): Promise<void> {
  const begun = Promise.withResolvers<void>()
  const jobs = testJobs(() => undefined)
  let hasDue = false
  const worker = createWorker({
    db: waymark.installation.database.db,
    jobs,
    fanOut: async () => {
      hasDue = true
      return fanOut()
    },
    delivering: {
      beginDue: async () => {
        if (hasDue) begun.resolve()
        return 0
      },
      settle: async () => undefined,
    },
  })
  after(() => worker.close())
  worker.start()
  return begun.promise
}

void test('attempts begin even if others write faster than the fan-out finishes', () =>
  startWork(async () => true))

void test('even if the fan-out fails each time, as on a busy database', async () => {
  let times = 0
  await startWork(async () => {
    times += 1
    throw Object.assign(new Error('The database is locked by another writer.'), { code: 'EBUSY' })
  })
  assert.ok(times > 0)
})

// What makes the jobs of events look for new ones at once.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseScrape } from '../helpers/metrics.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())

const lastRunOfWebhooks = 'waymark_job_last_run_timestamp_seconds{name="webhooks"}'

async function lastRun(): Promise<number | undefined> {
  const scrape = await (await waymark.fetch('/metrics')).text()
  return parseScrape(scrape).samples.get(lastRunOfWebhooks)
}

/** How many of ten requests were followed by a run, soon. The job's own interval, a second, may add some. */
async function countRuns(method: string): Promise<number> {
  let runs = 0
  for (let time = 0; time < 10; time += 1) {
    const before = await lastRun()
    waymark.system.advance(1_000)
    await (await waymark.fetch('/v2/images/1', { method })).arrayBuffer()
    let hasRun = false
    for (let looks = 0; looks < 10 && !hasRun; looks += 1) {
      await pause(10)
      hasRun = (await lastRun()) !== before
    }
    if (hasRun) runs += 1
  }
  return runs
}

void test('a request that may change data wakes the webhook job; a preflight does not', async () => {
  waymark.app.startJobs()
  assert.ok((await countRuns('DELETE')) >= 8)
  assert.ok((await countRuns('OPTIONS')) <= 4)
})

// What makes the jobs of events look for new ones at once.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseScrape } from '../helpers/metrics.ts'
import { startWaymark } from '../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())

const lastRunOfWebhooks = 'waymark_job_last_run_timestamp_seconds{name="webhooks"}'

async function lastRun(): Promise<number | undefined> {
  const scrape = await (await waymark.fetch('/metrics')).text()
  return parseScrape(scrape).samples.get(lastRunOfWebhooks)
}

/** How many of ten requests were followed by a run. The job's own interval, a second, may add some. */
async function countRuns(method: string): Promise<number> {
  const seen = new Set([await lastRun()])
  for (let time = 0; time < 10; time += 1) {
    waymark.system.advance(1_000)
    await (await waymark.fetch('/v2/images/1', { method })).arrayBuffer()
    seen.add(await lastRun())
  }
  return seen.size - 1
}

void test('a request that may change something wakes the job of webhooks; a preflight does not', async () => {
  waymark.app.startJobs()
  assert.ok((await countRuns('DELETE')) >= 8)
  assert.ok((await countRuns('OPTIONS')) <= 4)
})

// Our own faults at OAuth endpoints are counted and logged as usual, although the provider responds (D3).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createLogWatch } from '../../helpers/log-watch.ts'
import { parseScrape } from '../../helpers/metrics.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const parseLine = (line: string) => JSON.parse(line) as Record<string, unknown>

void test('D3: a 500 of the authorization server is in the metrics that the alert uses, and in the log with its request', async (t) => {
  const watch = createLogWatch()
  const waymark = await startWaymark({ logger: watch.logger, mayFail: true })
  t.after(() => waymark.close())
  const counted = async (): Promise<number | undefined> => {
    const { samples } = parseScrape(await (await waymark.fetch('/metrics')).text())
    return samples.get('waymark_refusals_total{code="internal-error"}')
  }
  assert.equal(await counted(), 0)

  const { db } = waymark.installation.database
  await sql`alter table oauth_client rename to oauth_client_away`.execute(db)
  const ask = () =>
    waymark.fetch('/oauth/token', {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('wmc_any:secret')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
  const [request] = await watch.logged(1, async () => assert.equal((await ask()).status, 500))
  await sql`alter table oauth_client_away rename to oauth_client`.execute(db)
  assert.equal(request?.code, 'internal-error')
  const lines = watch.written().split('\n').filter(Boolean).map(parseLine)
  const failure = lines.find(({ msg }) => msg === 'request failed')
  assert.deepEqual(failure, {
    ...failure,
    level: 50,
    reqId: request.reqId,
    method: 'POST',
    path: '/oauth/token',
    status: 500,
  })
  assert.equal(await counted(), 1)
})

// Requests made from the OpenAPI document, valid ones and ones with a fault, sent to a running server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWaymark } from '../../helpers/waymark.ts'
import { fuzz } from './fuzz/run.ts'

/** FUZZ_SEED and FUZZ_BATCH make a run again; FUZZ_COUNT makes it longer. */
const { FUZZ_SEED: seedGiven, FUZZ_BATCH: batchGiven, FUZZ_COUNT: countGiven } = process.env

void test('the server takes what its document says, and survives what it does not', async (t) => {
  const seed = Number(seedGiven ?? Math.floor(Math.random() * 2 ** 31))
  t.diagnostic(`FUZZ_SEED=${seed}`)
  const waymark = await startWaymark({ storesSecrets: true, environment: { RATE_LIMIT_FACTOR: '1000000' } })
  t.after(() => waymark.close())
  const { faults, statuses } = await fuzz(waymark, {
    seed,
    count: Number(countGiven ?? 500),
    ...(batchGiven === undefined ? {} : { onlyBatch: Number(batchGiven) }),
  })
  if (process.env['FUZZ_SHOW'])
    console.log(
      [...statuses]
        .sort()
        .map(([a, b]) => `${b} ${a}`)
        .join('\n'),
    )
  if (process.env['FUZZ_SHOW']) {
    const by = Map.groupBy(faults, (f) => (/: (\w+ [^?\s]*)/.exec(f)?.[1] ?? '').replace(/\d{5,}|wmc_[\w-]+|wm_[\w-]+/g, 'N') + ' ' + (/"detail":"([^"]*)/.exec(f)?.[1] ?? '').replace(/\(line.*/, '').slice(0, 150))
    for (const [k, v] of by) console.log(`@@ ${v.length} ${k}\n       ${v[0]?.split('\n')[0]?.slice(0, 400)}`)
  }
  assert.equal(faults.length, 0)
})

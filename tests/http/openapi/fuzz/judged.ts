// A fuzz run with its own server, and its assertions.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startWaymark } from '../../../helpers/waymark.ts'
import { fuzz } from './run.ts'

/** Of the whole process: server, client and generator. */
const maxGrownBytes = 300 * 1024 ** 2

/** Live memory after garbage collection. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const given = (name: string): number | undefined => {
  const text = process.env[name]
  return text === undefined ? undefined : Number(text)
}

/** Closing the server checks every response against the document (answer-watch.ts). */
export async function fuzzAsTold(t: TestContext, requests: number, usualSeed: number): Promise<void> {
  const wanted = process.env['FUZZ_SEED']
  const seed = wanted === 'random' ? randomInt(2 ** 31) : (given('FUZZ_SEED') ?? usualSeed)
  const onlyBatch = given('FUZZ_BATCH')
  t.diagnostic(`FUZZ_SEED=${seed}`)
  const waymark = await startWaymark({
    storesSecrets: true, // bodies are arbitrary
    environment: { RATE_LIMIT_FACTOR: '1000000' },
  })
  const before = usedBytes()
  const count = given('FUZZ_COUNT') ?? requests
  const { faults, sent, accepted } = await fuzz(waymark, {
    seed,
    count,
    ...(onlyBatch === undefined ? {} : { onlyBatch }),
  }).catch(async (error: unknown) => {
    await waymark.close()
    throw error
  })
  const alive = await waymark.fetch('/health/ready')
  const grown = usedBytes() - before
  t.diagnostic(`${sent} requests, ${accepted} accepted; ${Math.round(grown / 1024 ** 2)} MiB more in memory`)
  await waymark.close()
  assert.equal(faults.slice(0, 20).join('\n'), '', `${faults.length} faults with FUZZ_SEED=${seed}`)
  assert.equal(alive.status, 200)
  if (onlyBatch === undefined) assert.ok(accepted > count / 5, `only ${accepted} of ${count} were accepted`)
  assert.ok(grown < maxGrownBytes, `${grown} bytes more in memory`)
}

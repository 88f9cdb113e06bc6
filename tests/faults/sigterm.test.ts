// A graceful stop with a hundred uploads in flight: each gets its correct response, and the process exits with 0.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import path from 'node:path'
import { newFolder } from '../helpers/folders.ts'
import { prepare } from './harness/installation.ts'
import { findFaultsOfStops, stopUnderLoad, tallied } from './sigterm.ts'
import { ackEarly } from './wrong/variants.ts'

async function stop(t: TestContext, program?: readonly string[]) {
  const dataDir = path.join(await newFolder(t), 'data')
  const authorization = await prepare(dataDir)
  const options = { dataDir, authorization, uploads: 100, firstSeed: 1, ...(program && { program }) }
  const report = await stopUnderLoad(options)
  return { report, faults: await findFaultsOfStops({ dataDir, authorization }, [report]) }
}

void test('trust 7: SIGTERM during 100 uploads loses none and ends with 0', async (t) => {
  const { report, faults } = await stop(t)
  assert.deepEqual(faults, [])
  const { inFlight, later, stoppedMs } = report
  t.diagnostic(`in flight: ${tallied(inFlight)}; later: ${tallied(later)}; stopped in ${stoppedMs} ms`)
})

void test('the test itself: a server that drops everything at SIGTERM is caught', async (t) => {
  const { faults } = await stop(t, ackEarly)
  assert.ok(
    faults.some((fault) => fault.includes('in flight were cut off')),
    faults.join('\n'),
  )
})

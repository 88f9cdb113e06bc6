// Several servers on the same data: exactly one serves, the others say why not, and after a kill the next one takes over.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { runDoubleStarts } from './double-start.ts'
import { ackEarly } from './wrong/variants.ts'

void test('trust 18: of servers started on the same data, simultaneously or later, one serves', async (t) => {
  const report = await runDoubleStarts({ folder: await newFolder(t), rounds: 1, atOnce: 6 })
  assert.deepEqual(report.faults, [])
  assert.equal(report.refused, 5 + 4)
  t.diagnostic(`${report.starts} starts, ${report.refused} refused, takeover in ${report.maxTakeoverMs} ms`)
})

void test('the test itself: a server that takes no lock is caught', async (t) => {
  const { faults } = await runDoubleStarts({
    folder: await newFolder(t),
    rounds: 1,
    atOnce: 2,
    program: ackEarly,
  })
  assert.deepEqual(faults.slice(0, 1), ['of 2 servers 2 serve'])
})

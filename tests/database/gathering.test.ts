// Decision 0136: a batch waits for writers that are about to come, but not again and again for one that does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createGathering } from '../../src/database/postgres/gathering.ts'

/** So long that it is not over within a turn: at most 15 ms are waited. */
const batch = { ms: 1_000, writers: 1 }

void test('a batch waits for a transaction in progress, and the next one does not wait for the same one', async () => {
  const gathering = createGathering(() => 1)
  for (let count = 0; count < 2; count += 1) gathering.done(batch)
  const gathersAtOnce = (gathered: Promise<void>): Promise<boolean> =>
    Promise.race([gathered.then(() => true), turn(false)])

  assert.equal(await gathersAtOnce(gathering.gather()), true, 'alone')
  const end = gathering.enter()
  const first = gathering.gather()
  assert.equal(await gathersAtOnce(first), false, 'beside one at work')
  await first
  assert.equal(await gathersAtOnce(gathering.gather()), true, 'beside one that is stuck')
  assert.equal(gathering.isAnyAtWork(), true)

  const endOther = gathering.enter()
  const second = gathering.gather()
  assert.equal(await gathersAtOnce(second), false, 'beside another')
  endOther()
  assert.equal(await gathersAtOnce(second), true, 'once that has ended')
  end()
  assert.equal(gathering.isAnyAtWork(), false)
})

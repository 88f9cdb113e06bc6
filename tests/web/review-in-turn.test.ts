// Actions on one photo are sent in order, independently of other photos.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurn } from '../../web/pages/review/decisions/in-turn.ts'

void test('actions on one photo wait for each other, also after a failure, and actions on others do not', async () => {
  const reported: string[] = []
  const { promise: held, reject } = Promise.withResolvers<void>()
  const first = inTurn([1], async () => {
    reported.push('decide 1')
    await held
  })
  const second = inTurn([1, 2], async () => Promise.resolve(reported.push('undo 1 and 2')))
  await inTurn([3], async () => Promise.resolve(reported.push('decide 3')))
  assert.deepEqual(reported, ['decide 1', 'decide 3'])
  reject(new Error('refused'))
  await assert.rejects(first, /refused/)
  await second
  assert.deepEqual(reported, ['decide 1', 'decide 3', 'undo 1 and 2'])
})

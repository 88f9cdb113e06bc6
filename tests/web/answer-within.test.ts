// Questions that may never be answered, such as for the device's location.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerWithin } from '../../web/upload/answer-within.ts'

void test('a response in time counts, also a failure; a request that gets no response times out', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  assert.equal(await answerWithin(Promise.resolve('here'), 30_000, 'late'), 'here')
  await assert.rejects(answerWithin(Promise.reject(new Error('gone')), 30_000, 'late'), /gone/)

  const { promise, resolve } = Promise.withResolvers<string>()
  let answer: string | undefined
  const answered = answerWithin(promise, 30_000, 'late').then((given) => (answer = given))
  t.mock.timers.tick(29_999)
  await Promise.resolve()
  assert.equal(answer, undefined)
  t.mock.timers.tick(1)
  assert.equal(await answered, 'late')
  resolve('here')
  assert.equal(await answered, 'late', 'an answer that comes afterwards changes nothing')
})

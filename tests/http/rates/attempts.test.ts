// Guesses are slowed down, emails limited, and devices that poll too fast must wait longer; independent of clocks (C38).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../../src/settings/config.ts'
import { createAttempts } from '../../../src/http/rates/attempts.ts'
import { createCountsInMemory } from '../../../src/http/rates/counts-in-memory.ts'

const seconds = 1_000

function started(environment: Record<string, string> = {}) {
  let at = 1_000_000
  const attempts = createAttempts({
    counts: createCountsInMemory(() => at),
    figures: readConfig(environment),
  })
  return {
    attempts,
    advance: (ms: number): void => {
      at += ms
    },
  }
}

const guess = [{ slowing: 'account', bucket: 'somebody' }] as const
const words = (wait: number): string => `wait ${wait}`

void test('after the free attempts each waits twice as long as the one before, and is then allowed', async () => {
  const { attempts, advance } = started({ RATE_SIGN_IN_ACCOUNT: '3' })
  for (let free = 0; free < 3; free += 1) await attempts.begin(guess, words)
  for (const wait of [5, 10, 20, 40, 80]) {
    await assert.rejects(attempts.begin(guess, words), { code: 'too-many-requests', detail: `wait ${wait}` })
    advance(wait * seconds - 1)
    assert.equal(await attempts.tryBegin(guess), undefined, `${wait} s are not yet over`)
    advance(1)
    await attempts.begin(guess, words)
  }
})

void test('a correct password is never refused, with any fraction of a millisecond on the clock', async () => {
  let at = 1_000_000
  const attempts = createAttempts({ counts: createCountsInMemory(() => at), figures: readConfig({}) })
  for (let number = 0; number < 2_000; number += 1) {
    at += 0.1 + number / 7
    await (await attempts.begin([{ slowing: 'account', bucket: String(number) }], words)).refund()
  }
})

void test("refused attempts are not counted: a flood of them uses up no one else's", async () => {
  const { attempts, advance } = started({ RATE_SIGN_IN_ACCOUNT: '1' })
  await attempts.begin(guess, words)
  const flood = await Promise.all(Array.from({ length: 500 }, () => attempts.tryBegin(guess)))
  assert.ok(flood.every((attempt) => attempt === undefined))
  advance(5 * seconds)
  assert.notEqual(await attempts.tryBegin(guess), undefined)
})

void test('a correct attempt is given back, in every window in which it was counted', async () => {
  const { attempts } = started({ RATE_SIGN_IN_ACCOUNT: '1', RATE_SIGN_IN: '1' })
  const both = [...guess, { slowing: 'address', bucket: '192.0.2.1' }] as const
  for (let right = 0; right < 4; right += 1) await (await attempts.begin(both, words)).refund()
  await attempts.begin(both, words)
  assert.equal(await attempts.tryBegin(both), undefined)
})

void test('an attempt that one window refuses is counted in none of the others', async () => {
  const { attempts } = started({ RATE_SIGN_IN_ACCOUNT: '1', RATE_SIGN_IN: '2' })
  const from = (address: string) => [...guess, { slowing: 'address', bucket: address }] as const
  await attempts.begin(from('192.0.2.1'), words)
  for (let refused = 0; refused < 5; refused += 1) await attempts.tryBegin(from('192.0.2.2'))
  const other = [{ slowing: 'address', bucket: '192.0.2.2' }] as const
  for (let free = 0; free < 2; free += 1) await attempts.begin(other, words)
})

void test('three mails an hour for each recipient, with any RATE_LIMIT_FACTOR', async () => {
  const { attempts, advance } = started({ RATE_LIMIT_FACTOR: '1000' })
  const sent: boolean[] = []
  for (let asked = 0; asked < 5; asked += 1) sent.push(await attempts.mayMail('ann'))
  assert.deepEqual(sent, [true, true, true, false, false])
  assert.equal(await attempts.mayMail('bob'), true)
  advance(3_600 * seconds)
  assert.equal(await attempts.mayMail('ann'), true)
})

void test('a device that polls too fast waits five seconds longer from then on, each time', async () => {
  const { attempts, advance } = started()
  const poll = (): Promise<boolean> => attempts.isPollTooFast('device')
  assert.equal(await poll(), false)
  advance(5 * seconds)
  assert.equal(await poll(), false)
  advance(4 * seconds)
  assert.equal(await poll(), true)
  advance(9 * seconds)
  assert.equal(await poll(), true, 'ten seconds were not over')
  for (let polite = 0; polite < 3; polite += 1) {
    advance(15 * seconds)
    assert.equal(await poll(), false)
  }
  advance(14 * seconds)
  assert.equal(await poll(), true)
  assert.equal(await attempts.isPollTooFast('another'), false)
})

void test('a flood of invented names does not fill the memory', async () => {
  const counts = createCountsInMemory(() => 0)
  const add = (bucket: string) => counts.add([{ policy: 'p', bucket, count: 1, lengthMs: 1_000 }])
  await add('first')
  for (let name = 0; name < 100_000; name += 1) await add(`name ${name}`)
  const [first] = await add('first')
  assert.equal(first?.count, 1, 'the oldest was forgotten')
})

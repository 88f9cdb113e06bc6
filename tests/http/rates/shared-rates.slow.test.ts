// Rate limits of two nodes on one PostgreSQL (C38, issue 9): requests count for both.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../../src/settings/config.ts'
import { openDatabase } from '../../../src/database/open-database.ts'
import { createAttempts } from '../../../src/http/rates/attempts.ts'
import { createRateLimits } from '../../../src/http/rates/rate-limits.ts'
import { until } from '../../faults/harness/server.ts'
import { startPostgres, whyNoPostgres } from '../../helpers/postgres.ts'
import { testJobs } from '../../helpers/jobs.ts'

void test('C38: two nodes count together, also sign-in attempts', { skip: whyNoPostgres() }, async (t) => {
  const server = await startPostgres()
  const ends: (() => Promise<unknown>)[] = [() => server.end()]
  t.after(async () => {
    for (const end of ends.toReversed()) await end()
  })
  const url = await server.createDatabase()
  const faults: unknown[] = []
  async function startNode() {
    const database = await openDatabase({ engine: 'postgres', url })
    ends.push(() => database.close())
    const { sharedCounts: counts } = database
    assert.ok(counts)
    const limits = createRateLimits(readConfig({}), {
      counts,
      jobs: testJobs((error) => faults.push(error)),
    })
    ends.push(() => limits.close())
    return { ...limits, attempts: createAttempts({ counts, figures: readConfig({}) }) }
  }
  const nodes = [await startNode(), await startNode()]
  const [one, other] = nodes
  assert.ok(one && other)

  const max = readConfig({}).rateSignIn
  for (let attempt = 0; attempt < max; attempt += 1) await nodes[attempt % 2]?.spend('sign-in', '192.0.2.1')
  for (const node of nodes)
    await assert.rejects(node.spend('sign-in', '192.0.2.1'), { code: 'too-many-requests' })
  await one.spend('sign-in', '192.0.2.2')

  const free = readConfig({}).rateSignInAccount
  const guess = [
    { slowing: 'account', bucket: 'an account' },
    { slowing: 'everywhere', bucket: 'an account' },
  ] as const
  const tryGuess = async (node: number) => nodes[node % 2]?.attempts.tryBegin(guess)
  const right = await tryGuess(0)
  await right?.refund()
  const guesses = await Promise.all(Array.from({ length: 3 * free }, (_, node) => tryGuess(node)))
  assert.ok(guesses.filter((attempt) => attempt !== undefined).length <= free, 'no more than are free')
  for (const node of [0, 1]) assert.equal(await tryGuess(node), undefined)
  const mails: unknown[] = []
  for (let asked = 0; asked < 4; asked += 1) mails.push(await nodes[asked % 2]?.attempts.mayMail('ann'))
  assert.deepEqual(mails, [true, true, true, false])
  const polls: unknown[] = []
  for (let poll = 0; poll < 3; poll += 1) polls.push(await nodes[poll % 2]?.attempts.isPollTooFast('device'))
  assert.deepEqual(polls, [false, true, true])

  const left = (headers: readonly string[] | undefined): number =>
    Number(/r=(\d+)/.exec(headers?.join(' ') ?? '')?.[1])
  for (let request = 0; request < 100; request += 1) one.spendIfLeft('key', 'a key')
  const allowed = readConfig({}).ratePerKey
  await until(() => left(other.spendIfLeft('key', 'a key')) < allowed - 100, 'the other node to have heard')
  assert.deepEqual(faults, [])

  await server.kill()
  await assert.rejects(
    one.spend('sign-in', '192.0.2.3'),
    { code: 'ETIMEDOUT' },
    'no guess is let through uncounted',
  )
})

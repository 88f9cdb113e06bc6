// Rate limits of two nodes on one PostgreSQL (C38, issue 9): what either counts is counted for both.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../../src/config.ts'
import { openDatabase } from '../../../src/database/database.ts'
import { createRateLimits } from '../../../src/http/rate-limits.ts'
import { until } from '../../faults/harness/server.ts'
import { startPostgres, whyNoPostgres } from '../../helpers/postgres.ts'

void test(
  'C38: two nodes count together, and attempts to sign in one by one',
  { skip: whyNoPostgres() },
  async (t) => {
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
      const limits = createRateLimits(readConfig({}), { counts, onFault: (error) => faults.push(error) })
      ends.push(() => limits.close())
      return limits
    }
    const nodes = [await startNode(), await startNode()]
    const [one, other] = nodes
    assert.ok(one && other)

    const most = readConfig({}).rateSignIn
    for (let attempt = 0; attempt < most; attempt += 1)
      await nodes[attempt % 2]?.spend('sign-in', '192.0.2.1')
    for (const node of nodes)
      await assert.rejects(node.spend('sign-in', '192.0.2.1'), { code: 'too-many-requests' })
    await one.spend('sign-in', '192.0.2.2')

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
  },
)

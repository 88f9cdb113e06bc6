// The races of tests/backends/redemption-races.test.ts, in greater number.
import { test } from 'node:test'
import { answersLate, runRedemptionRaces } from './redemption-races.ts'
import { startWaymark } from '../helpers/waymark.ts'

void test('sqlite: of six simultaneous redemptions at most one succeeds, each of 200 times', async (t) => {
  const start = async () => {
    const waymark = await startWaymark({ wrapDb: answersLate })
    t.after(() => waymark.close())
    return waymark
  }
  await runRedemptionRaces(t, start, { rounds: 200, hashedRounds: 30 })
})

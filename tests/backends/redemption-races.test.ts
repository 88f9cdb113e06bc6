// What works once works once, however many try at the same moment.
import { test } from 'node:test'
import { startWaymark } from '../helpers/waymark.ts'
import { answersLate, runRedemptionRaces } from './redemption-races.ts'

void test('sqlite: of six redemptions at once at most one succeeds', async (t) => {
  const start = async () => {
    const waymark = await startWaymark({ wrapDb: answersLate })
    t.after(() => waymark.close())
    return waymark
  }
  await runRedemptionRaces(t, start, { rounds: 8, hashedRounds: 1 })
})

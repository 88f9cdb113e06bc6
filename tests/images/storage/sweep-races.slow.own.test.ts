// Five thousand races of uploads, deletions and garbage collections, different in every run.
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { runRaces } from './sweep-races.ts'

void test('5,000 races of uploads, deletions and sweeps lose nothing', async (t) => {
  for (const sweeps of [1, 2, 3, 2, 1]) {
    const seed = randomInt(2 ** 31)
    await t.test(`${sweeps} simultaneous sweeps, seed ${seed}`, (t) =>
      runRaces(t, { rounds: 1_000, sweeps, seed }),
    )
  }
})

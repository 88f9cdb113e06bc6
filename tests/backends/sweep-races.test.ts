// Never, in whatever order uploads, deletions and sweeps take their turns, is the original of an image missing.
import { test } from 'node:test'
import { runRaces } from './sweep-races.ts'

void test('50 races of uploads, deletions and sweeps lose nothing', { concurrency: true }, async (t) => {
  await Promise.all([
    t.test('one sweep', (t) => runRaces(t, { rounds: 25, sweeps: 1, seed: 20_261_120 })),
    t.test('two sweeps at once', (t) => runRaces(t, { rounds: 25, sweeps: 2, seed: 20_261_121 })),
  ])
})

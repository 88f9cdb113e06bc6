// Never, in whatever order uploads, deletions and sweeps take their turns, is the original of an image missing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDie, createTurns } from '../helpers/turns.ts'
import { openRaces, type Races } from './sweep-races.ts'

const contents = 2

/** What happens at once in one race, mostly about one content. */
function actorsOf(races: Races, die: () => number, sweeps: number, content: number): (() => Promise<void>)[] {
  const some = (least: number, most: number, act: () => Promise<void>) =>
    Array.from({ length: least + Math.floor(die() * (most - least + 1)) }, () => act)
  const mayDie = die() < 0.3
  return [
    ...some(1, 2, () => races.upload(content)),
    ...some(0, 1, () => races.upload((content + 1) % contents)),
    ...some(0, 1, () => races.deleteImages(content)),
    ...some(sweeps, sweeps, () => races.sweep(mayDie)),
  ]
}

for (const { sweeps, rounds, seed } of [
  { sweeps: 1, rounds: 1_000, seed: 20_261_120 },
  { sweeps: 2, rounds: 1_000, seed: 20_261_121 },
]) {
  void test(`${rounds} races of uploads, deletions and ${sweeps} sweeps at once lose nothing`, async (t) => {
    const die = createDie(seed)
    const turns = createTurns(die)
    const races = await openRaces(t, turns, die)
    for (let round = 0; round < rounds; round += 1) {
      races.advance()
      const content = Math.floor(die() * contents)
      if (die() < 0.8) await races.leave(content)
      await turns.run(actorsOf(races, die, sweeps, content))
      assert.deepEqual([...races.lost], [], `round ${round}`)
    }
    t.diagnostic(JSON.stringify(races.counts))
    for (const [what, count] of Object.entries(races.counts)) assert.ok(count > 20, `${what}: ${count}`)

    // What the last races and crashes left goes at the next run, once nothing shows it.
    for (let content = 0; content < contents; content += 1) await races.leave(content)
    races.advance()
    await races.sweep(false)
    assert.deepEqual(await races.leftovers(), { condemned: 0, blobs: 0 })
  })
}

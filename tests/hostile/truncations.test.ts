// Images cut after some of their bytes, and near their end after every byte; tests/full does it after every byte.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSeeds } from './seeds.ts'
import { cutEverywhere } from './truncations.ts'

for (const seed of await makeSeeds()) {
  void test(`trust 24, C15: ${seed.name}, cut after some of its bytes`, async () => {
    const { taken, refused, faults } = await cutEverywhere(seed, 97)
    assert.deepEqual(faults, [])
    assert.ok(refused > 0 && taken.length < 200)
  })
}

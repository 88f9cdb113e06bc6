// Twenty images truncated after every byte: each is accepted or refused according to the contract, and the server never
// fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSeeds } from './seeds.ts'
import { startService } from './service.ts'
import { cutEverywhere } from './truncations.ts'

const seeds = await makeSeeds()

for (const seed of seeds) {
  void test(`trust 24, C15: ${seed.name}, truncated after every byte`, async (t) => {
    const { taken, refused, faults } = await cutEverywhere(seed)
    assert.deepEqual(faults, [])
    assert.equal(taken.length + refused, seed.bytes.length)
    t.diagnostic(`${seed.bytes.length} cuts, ${taken.length} taken`)
  })
}

void test('trust 24: no truncated file causes a 5xx', async (t) => {
  const service = await startService()
  t.after(() => service.end())
  for (const { name, bytes } of seeds) {
    for (let part = 1; part <= 20; part += 1) {
      const length = Math.floor((bytes.length * part) / 20) - (part === 20 ? 1 : 0)
      const { status, text } = await service.post(bytes.subarray(0, length))
      assert.ok([200, 201, 415, 422].includes(status), `${name} cut at ${length}: ${status} ${text}`)
    }
  }
  assert.ok(service.server.isRunning())
})

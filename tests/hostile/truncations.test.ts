// Images cut after some of their bytes, and near their end after every byte; truncations.slow.test.ts does it after every byte.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examine } from '../../src/imaging/examine.ts'
import { standardLimits } from '../../src/imaging/image-limits.ts'
import { makePicture } from '../helpers/containers-fixtures.ts'
import { openPicture } from '../helpers/pictures.ts'
import { makeSeeds } from './seeds.ts'
import { cutEverywhere } from './truncations.ts'

for (const seed of await makeSeeds()) {
  void test(`trust 24, C15: ${seed.name}, truncated after some of its bytes`, async () => {
    const { taken, refused, faults } = await cutEverywhere(seed, 97)
    assert.deepEqual(faults, [])
    assert.ok(refused > 0 && taken.length < 200)
  })
}

void test('trust 24, C15: a JPEG truncated in its image data is refused even if an end marker follows', async () => {
  for (const progressive of [false, true]) {
    for (const [width, height] of [
      [48, 64],
      [900, 700],
    ] as const) {
      const jpeg = await makePicture(width, height).jpeg({ progressive }).toBuffer()
      for (const part of [0.6, 0.8]) {
        const cut = Buffer.concat([jpeg.subarray(0, jpeg.length * part), Buffer.of(0xff, 0xd9)])
        const outcome = await examine(cut, standardLimits)
        assert.ok(!outcome.ok && outcome.code === 'broken-image', `${width} × ${height}, ${part}`)
        assert.equal(outcome.detail, 'Its pixel data is truncated.')
      }
    }
  }
})

void test('C15: a JPEG with stray bytes between its scans is accepted; with stray bytes in its entropy-coded data it is damaged', async () => {
  const jpeg = await makePicture(200, 160).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer()
  const strayAt = (at: number): Buffer =>
    Buffer.concat([jpeg.subarray(0, at), Buffer.alloc(40, 1), jpeg.subarray(at)])
  const between = strayAt(jpeg.indexOf(Buffer.of(0xff, 0xc4), jpeg.indexOf(Buffer.of(0xff, 0xda))))
  await assert.rejects(openPicture(between, { failOn: 'warning' }).stats(), /VipsJpeg: (?!.*premature)/)
  const outcome = await examine(between, standardLimits)
  assert.ok(outcome.ok)
  const [large] = outcome.examined.renditions
  await openPicture(large?.bytes ?? jpeg, { failOn: 'warning' }).stats()
  assert.ok(!(await examine(strayAt(Math.floor(jpeg.length / 2)), standardLimits)).ok)
})

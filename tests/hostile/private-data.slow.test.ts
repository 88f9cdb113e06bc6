// No text hidden in a photo by a camera, phone or editor is in anything served (trust 27 and 28).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { imageSizes } from '../../src/shared/image-sizes.ts'
import { positionFrom } from '../../src/shared/formats/gps.ts'
import { walk } from '../helpers/imaging.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { makePrivatePhotos } from './private-photos.ts'
import { canary, makeSeeds } from './seeds.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const person = await waymark.addPerson()

const views = [...imageSizes, ...imageSizes.map((size) => `${size}&f=webp`)]

async function servedOf(bytes: Uint8Array): Promise<[view: string, served: Buffer][]> {
  const imageId = await waymark.upload(person, 4711, bytes)
  return Promise.all(
    views.map(async (view): Promise<[string, Buffer]> => {
      const answer = await waymark.fetch(`/ImageHandler?id=${imageId}&t=${view}`)
      assert.equal(answer.status, 200, view)
      return [view, Buffer.from(await answer.arrayBuffer())]
    }),
  )
}

const utf16 = (word: Buffer): Buffer => Buffer.from(word.toString('latin1'), 'utf16le')

for (const { type, bytes, hidden } of await makePrivatePhotos()) {
  void test(`trust 27, 28, C25: none of ${hidden.length} words hidden in a ${type} is served, in any size`, async () => {
    for (const word of hidden) assert.ok(bytes.includes(word), `the photo itself lacks ${word.toString()}`)
    for (const [view, served] of await servedOf(bytes)) {
      for (const word of hidden) {
        assert.equal(served.includes(word), false, `${view} holds ${word.toString('latin1')}`)
        assert.equal(
          served.includes(utf16(word)),
          false,
          `${view} holds ${word.toString('latin1')} in UTF-16`,
        )
      }
      assert.doesNotMatch(served.toString('latin1'), /HIDDEN|45,31|8BIM|xmpmeta/, view)
    }
  })
}

for (const { name, type, bytes } of await makeSeeds()) {
  void test(`trust 27, C25: nothing private of ${name} is served`, async () => {
    const isPlaced = type === 'jpeg' || type === 'png'
    if (isPlaced) assert.ok(bytes.includes(canary))
    for (const [view, served] of await servedOf(bytes)) {
      assert.equal(served.includes(canary), false, view)
      if (view !== 'lg' || type === 'bmp') continue
      const { metadata } = walk(served, type)
      assert.equal(positionFrom(metadata), undefined)
      assert.deepEqual(
        metadata.map((block) => [block.kind, block.bytes.length]),
        isPlaced ? [['exif', 26]] : [],
      )
    }
  })
}

// The memory of an uploaded photo is released as soon as it is stored; left to garbage collection, it would trigger full
// collections.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Blobs } from '../../../src/storage/port.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'

void test('the bytes of size lg are freed once it is stored, and its row still has its length', async (t) => {
  const put: { key: string; bytes: Uint8Array; length: number }[] = []
  const watching = (blobs: Blobs): Blobs => ({
    ...blobs,
    put: (key, bytes, durability) => {
      put.push({ key, bytes, length: bytes.length })
      return blobs.put(key, bytes, durability)
    },
  })
  const waymark = await startWaymark({ wrapBlobs: watching })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ana = await waymark.addPerson()
  await waymark.upload(ana, 4711, await jpegPicture({ width: 1600, height: 1200 }))
  const large = put.find(({ key }) => key.endsWith('.lg'))
  assert.ok(large !== undefined && large.length > 16_384)
  assert.equal(large.bytes.buffer.byteLength, 0)
  const { db } = waymark.installation.database
  const rows = await db.selectFrom('rendition').select(['name', 'bytes']).execute()
  assert.equal(rows.length, put.length)
  for (const { name, bytes } of rows)
    assert.equal(bytes, put.find(({ key }) => key.endsWith(`.${name}`))?.length, name)
})

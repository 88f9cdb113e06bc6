// Bytes that are not sent are not read from the store: for HEAD and 304 (contract C5, C27).
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Blobs } from '../../../src/storage/port.ts'
import { renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { storeAsBefore } from '../../helpers/older-store.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { send } from '../../helpers/wire.ts'

const calls: string[] = []

/** Reports each call to the store; `stream` is the one that reads an opened blob. */
function listened(blobs: Blobs): Blobs {
  return {
    ...blobs,
    read: (key) => {
      calls.push('read')
      return blobs.read(key)
    },
    readPart: (key, start, bytes) => {
      calls.push('read part')
      return blobs.readPart(key, start, bytes)
    },
    has: (key) => {
      calls.push('has')
      return blobs.has(key)
    },
    open: async (key) => {
      calls.push('open')
      const blob = await blobs.open(key)
      if (blob === undefined) return undefined
      const stream: typeof blob.stream = (start, end) => {
        calls.push('stream')
        return blob.stream(start, end)
      }
      return { ...blob, stream }
    },
  }
}

// Without the image cache, each view uses the store, like a first view.
const environment = { IMAGE_CACHE_MEGABYTES: '0' }
const waymark = await startWaymark({ environment, wrapBlobs: listened, mayFail: true })
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 700, height: 500 }))
const views = ['&t=lg', '', '&t=sm', '&t=640', '&t=150&f=webp'].map(
  (query) => `/ImageHandler?id=${imageId}${query}`,
)
const ask = (path: string, method: string, headers: Record<string, string> = {}) =>
  send(waymark.url, { path, method, headers })

await (await ask(`/ImageHandler?id=${imageId}&t=150&f=webp`, 'GET')).arrayBuffer() // generated at its first view

beforeEach(() => {
  calls.length = 0
})

void test('C5: HEAD checks in the store whether a size exists, and reads none of it', async () => {
  for (const path of views) {
    const head = await ask(path, 'HEAD')
    assert.deepEqual([head.status, calls], [200, ['open']], path)
    const get = await ask(path, 'GET')
    const { byteLength } = await get.arrayBuffer()
    assert.equal(head.headers.get('content-length'), String(byteLength), path)
    for (const name of ['etag', 'content-type', 'accept-ranges', 'cache-control'])
      assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`)
    calls.length = 0
  }
})

void test('C27: a 304 reads nothing from the store, for any size and method', async () => {
  for (const path of views) {
    const etag = (await ask(path, 'HEAD')).headers.get('etag') ?? ''
    calls.length = 0
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(path, method, { 'if-none-match': etag })
      assert.deepEqual([answer.status, answer.headers.get('etag'), calls], [304, etag, []], path)
    }
    const other = await ask(path, 'GET', { 'if-none-match': '"another"' })
    assert.ok((await other.arrayBuffer()).byteLength > 0)
    assert.equal(other.status, 200)
  }
})

void test('C5: for a blob that the store has lost, HEAD says what GET says: it is rebuilt, or it fails', async () => {
  const { blobs, database } = waymark.installation
  const { sha256 } = await database.db.selectFrom('image').select('sha256').executeTakeFirstOrThrow()
  await storeAsBefore(waymark.installation, sha256) // otherwise size lg is part of the original, and is lost with it
  for (const [path, name] of [
    [`/ImageHandler?id=${imageId}&t=lg`, 'lg'],
    [`/ImageHandler?id=${imageId}&t=sm`, 'small'],
  ] as const) {
    await blobs.remove(renditionKey(sha256, name))
    assert.equal((await ask(path, 'HEAD')).status, 200, path)
    assert.equal(await blobs.has(renditionKey(sha256, name)), true, 'it was remade')
  }
  for await (const { key } of blobs.list('')) await blobs.remove(key)
  for (const path of views)
    for (const method of ['HEAD', 'GET']) assert.equal((await ask(path, method)).status, 500, path)
})

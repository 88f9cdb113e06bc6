// Run by fs-blobs-order.test.ts under strace: one stored upload and one put of each durability, in the given folder.
import { createFsBlobs } from '../../src/storage/fs-blobs.ts'

const [root = ''] = process.argv.slice(2)
const blobs = await createFsBlobs(root)

async function* upload(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(100_000, 1)
  yield Buffer.alloc(50_000, 2)
}

await (await blobs.receive(upload(), 1_000_000))?.keep('original/ab/kept')
await blobs.put('rendition/ab/large', Buffer.alloc(1000, 3), 'durable')
await blobs.put('rendition/ab/small', Buffer.alloc(1000, 4), 'remakeable')

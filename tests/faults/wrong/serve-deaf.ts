// WRONG ON PURPOSE: the real server, but uploads are acknowledged even if storing the photo failed.
import { createHash } from 'node:crypto'
import { serveWrong } from './serve-wrong.ts'

async function* again(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

await serveWrong({
  wrapBlobs: (blobs) => ({
    ...blobs,
    receive: async (source, limitBytes) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of source) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      const staged = await blobs.receive(again(bytes), limitBytes).catch(() => undefined)
      return {
        sha256: createHash('sha256').update(bytes).digest('hex'),
        bytes: bytes.length,
        readInto: async (memory, from) => void bytes.copy(memory, 0, from),
        keep: async (key) => staged?.keep(key).catch(() => undefined),
        discard: async () => staged?.discard(),
      }
    },
    put: (key, bytes, durability) => blobs.put(key, bytes, durability).catch(() => undefined),
    has: async () => true,
  }),
})

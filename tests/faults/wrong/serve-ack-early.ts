// WRONG ON PURPOSE: the real server, but an upload is acknowledged before its original is synced and in its place.
import { serveWrong } from './serve-wrong.ts'

/** What a slow disk may need; a kill or a power cut in between finds the row without its blob. */
const lateMs = 250

await serveWrong({
  wrapBlobs: (blobs) => {
    const promised = new Set<string>()
    return {
      ...blobs,
      put: async (key, bytes, durability) => {
        if (durability === 'remakeable') return blobs.put(key, bytes, durability)
        promised.add(key)
        setTimeout(() => {
          // The store may be gone by then: that is the fault to be found.
          blobs.put(key, bytes, durability).then(
            () => promised.delete(key),
            () => undefined,
          )
        }, lateMs)
      },
      has: async (key) => promised.has(key) || blobs.has(key),
    }
  },
})

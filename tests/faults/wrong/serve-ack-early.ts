// WRONG ON PURPOSE: the real server, but uploads are acknowledged before the original is synced and in place.
import { serveWrong } from './serve-wrong.ts'

/** Like a slow disk. A kill or power cut in between leaves a row without its blob. */
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
          // The store may be gone by then, which is the fault to detect.
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

// A rendition maker that generates nothing, to measure uploads without image processing.
import { hashId } from '../../src/auth/oauth/oauth-store.ts'
import type { Examined, Renditions } from '../../src/imaging/renditions.ts'

/** Treats everything as the same photo with one very small rendition. */
export function recordingMaker(): Renditions {
  const bytes = Buffer.from('rendition')
  const digest = hashId(bytes.toString())
  const facts = {
    mimeType: 'image/jpeg',
    width: 4_000,
    height: 3_000,
    position: undefined,
    capture: {},
    dhash: '',
  }
  const examined: Examined = { ...facts, renditions: [{ name: 'sm.jpeg', bytes, digest }] }
  let jobs = 0
  return {
    jobsStarted: () => jobs,
    load: () => ({ running: 0, waiting: 0 }),
    examine: () => {
      jobs += 1
      return Promise.resolve(examined)
    },
    makeWebp: () => Promise.resolve([]),
    drawMarks: () => Promise.resolve([]),
    readMetadata: () => Promise.resolve(facts),
    close: () => Promise.resolve(),
  }
}

// A server's store and database with old unreferenced blobs, for tests of garbage collection.
import { createHash } from 'node:crypto'
import { utimes } from 'node:fs/promises'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { createGarbageCollection } from '../../../src/images/storage/garbage-collection.ts'
import { filesBelow, newFolder } from '../../helpers/folders.ts'
import { startWaymark } from '../../helpers/waymark.ts'

export const hourMs = 3_600_000
export const trailId = 4711

export async function startSweepable(t: TestContext) {
  const waymark = await startWaymark({ dataDir: await newFolder(t) })
  t.after(() => waymark.close())
  await waymark.addTrail(trailId, 'Rim Trail')
  const { system, installation } = waymark
  const { blobs, database } = installation
  const folder = path.join(waymark.dataDir, 'blobs')

  /** Backdates a file by this many hours. */
  async function age(file: string, hours: number): Promise<void> {
    const at = (system.now() - hours * hourMs) / 1000
    await utimes(path.join(folder, file), at, at)
  }

  /** Stores an unreferenced original and rendition, as after a crash between bytes and row. */
  async function leave(text: string, originalHours: number, renditionHours = originalHours): Promise<string> {
    const sha256 = createHash('sha256').update(text).digest('hex')
    await blobs.put(originalKey(sha256), Buffer.from(text), 'durable')
    await blobs.put(renditionKey(sha256, 'sm.jpeg'), Buffer.from(text), 'remakeable')
    await age(path.join('kept', originalKey(sha256)), originalHours)
    await age(path.join('kept', renditionKey(sha256, 'sm.jpeg')), renditionHours)
    return sha256
  }

  return {
    waymark,
    db: database.db,
    folder,
    age,
    leave,
    sweep: () => createGarbageCollection(database.db, blobs, () => system.now()).run(),
    hasOriginal: (sha256: string) => blobs.has(originalKey(sha256)),
    ageAll: async (hours: number) => {
      for (const file of await filesBelow(folder)) await age(file, hours)
    },
  }
}

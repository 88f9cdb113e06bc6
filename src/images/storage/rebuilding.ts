// Photos that older versions stored twice: the original of each is replaced by what size lg lacks of it, in the background.
//
//   stored ─▶ what lg lacks is written ─▶ leaving ─▶ the original is rebuilt from what is stored, and deleted ─▶ rebuilt
//          └▶ whole, where it cannot be rebuilt or is not there
//
// A crash leaves it stored or leaving, and readable: the original is deleted only after it has been rebuilt from the very
// blobs that stay. While it is leaving, the content has the mark of one that is being deleted, so that no upload of the
// same photo relies on what is about to go (content-table.ts).
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../database/database.ts'
import type { Blobs } from '../../storage/port.ts'
import { originalKey, renditionKey } from './blob-keys.ts'
import { markedForMs } from './content-table.ts'
import {
  beginLeaving,
  countStoredTwice,
  endLeaving,
  listStoredTwice,
  noteStoredWhole,
  renewMark,
  type StoredTwice,
} from './original-table.ts'
import { joinSingleSizes } from './joining.ts'
import { findRendition } from './rendition-table.ts'
import { createStoredOnce } from './stored-once.ts'
import { readStored, rebuildStored, removedFrom } from './originals.ts'
import { digestInTurns } from './whole-blob.ts'

const contentsAtOnce = 100

export interface Rebuilt {
  readonly rebuilt: number
  /** Photos that stay as they came, as they cannot be rebuilt. */
  readonly keptWhole: number
  readonly left: number
}

export interface RebuildingRun {
  readonly signal: AbortSignal
  readonly mayContinue: () => Promise<boolean>
}

/** `nothing` where it is being deleted, or somebody else was faster. */
type Outcome = 'rebuilt' | 'whole' | 'nothing'

export interface RebuildingDependencies {
  readonly db: Db
  readonly blobs: Blobs
  readonly now: () => number
  /** Milliseconds to wait after work that took this long: requests come first. */
  readonly restMs: (tookMs: number) => number
}

export function createRebuilding({ db, blobs, now, restMs }: RebuildingDependencies) {
  const isStoredOnce = createStoredOnce(db, now)

  /** What lg lacks, written and durable; undefined where the original has to stay. */
  async function writeRemoved({ sha256 }: StoredTwice) {
    const original = await readStored(blobs, originalKey(sha256))
    const row = await findRendition(db, sha256, 'lg')
    if (!original || row === undefined) return undefined
    const large = await readStored(blobs, renditionKey(sha256, 'lg'))
    if (!large || (await digestInTurns([large])) !== row.digest) return undefined
    // Of an original that is damaged it finds nothing: what is rebuilt has another hash.
    const removed = removedFrom(sha256, original, { ...row, bytes: large })
    if (removed === undefined) return undefined
    const { name, digest, bytes: lacking } = removed
    await blobs.put(renditionKey(sha256, name), lacking, 'durable')
    return { name, digest, bytes: lacking.length }
  }

  /** Of a content with its mark. @returns whether the original is gone and can be rebuilt. */
  async function leave(content: { readonly sha256: string; readonly markedAt: number }): Promise<Outcome> {
    const { sha256, markedAt } = content
    const isThere = (await rebuildStored(blobs, sha256)) !== undefined
    if (now() - markedAt > markedForMs / 2) return 'nothing' // a store this slow: the mark may soon be another's
    if (isThere) await blobs.remove(originalKey(sha256))
    const end = isThere ? 'rebuilt' : 'whole'
    await endLeaving(db, content, end)
    return end
  }

  async function rebuild(content: StoredTwice): Promise<Outcome> {
    const { sha256, original } = content
    await joinSingleSizes({ db, blobs }, sha256)
    const markedAt = now()
    if (original === 'leaving')
      return (await renewMark(db, content, markedAt)) ? leave({ sha256, markedAt }) : 'nothing'
    const removed = await writeRemoved(content)
    if (removed)
      return (await beginLeaving(db, sha256, removed, markedAt)) ? leave({ sha256, markedAt }) : 'nothing'
    // What a run before left, or a backup brought.
    if ((await rebuildStored(blobs, sha256)) && !(await blobs.has(originalKey(sha256)))) {
      await endLeaving(db, content, 'rebuilt')
      return 'rebuilt'
    }
    await noteStoredWhole(db, sha256)
    return 'whole'
  }

  return {
    /**
     * All there are, one after the other; a run that is ended goes on with the next content in the next one.
     * @throws where the store does not answer: then nothing is known of the photo, and the next run tries again.
     */
    run: async ({ mayContinue, signal }: RebuildingRun): Promise<Rebuilt> => {
      const isTime = await isStoredOnce()
      const counts = { rebuilt: 0, whole: 0, nothing: 0 }
      const report = async (): Promise<Rebuilt> => {
        const { rebuilt, whole } = counts
        return { rebuilt, keptWhole: whole, left: await countStoredTwice(db) }
      }
      for (let after = ''; ;) {
        const contents = await listStoredTwice(db, after, contentsAtOnce)
        for (const content of contents) {
          if (!isTime || !(await mayContinue())) return report()
          const begun = performance.now()
          counts[await rebuild(content)] += 1
          await pause(restMs(performance.now() - begun), undefined, { signal }).catch(() => undefined)
          after = content.sha256
        }
        if (contents.length === 0) return report()
      }
    },
  }
}

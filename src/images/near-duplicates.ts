// Catches up on images that are older than hashes and map cells: some with each maintenance run, until none is left.
import { setImmediate } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import { requireWritable } from '../database/read-only.ts'
import { Refusal } from '../errors.ts'
import { inMemory, type Renditions } from '../imaging/renditions.ts'
import { listOlderImages, placeNext, readProgress, saveHash, saveProgress } from './near-duplicates-table.ts'
import type { RenditionStore } from './view/rendition-store.ts'

/** Processed before other requests get a turn. */
const imagesOfTurn = 100

interface Progress {
  hashed: number
  /** Images that cannot be hashed. */
  unreadable: number
  /** Added to the map. */
  placed: number
}

export type CaughtUp = Readonly<Progress>

export interface NearDuplicatesDependencies {
  readonly db: Db
  readonly store: Pick<RenditionStore, 'readSmall'>
  readonly renditions: Pick<Renditions, 'examine'>
  /** Hashes made in one pass, each some 30 ms of a worker. */
  readonly maxHashes: number
}

/** A failing system says nothing about the photo: it is tried again in the next pass. */
const isOfSystem = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof Refusal) && 'code' in error

export function createNearDuplicates({ db, store, renditions, maxHashes }: NearDuplicatesDependencies) {
  const stopping = new AbortController()

  /** Of a small rendition: the upload's algorithm on so few pixels costs little. Empty if the photo cannot be read. */
  async function hashOf(sha256: string): Promise<string> {
    try {
      const examined = await renditions.examine(async () =>
        inMemory((await store.readSmall(sha256, ['640.jpeg', '640.png'])).taken),
      )
      return examined.dhash
    } catch (error) {
      if (isOfSystem(error) || (error instanceof Refusal && error.code === 'busy')) throw error
      return ''
    }
  }

  async function place(done: Progress): Promise<void> {
    let after = await readProgress(db, 'cells')
    while (!stopping.signal.aborted) {
      const page = await placeNext(db, after, imagesOfTurn)
      if (page === undefined) break
      done.placed += page.placed
      after = page.lastId
      await setImmediate()
    }
  }

  async function hash(done: Progress): Promise<void> {
    let after = await readProgress(db, 'hashes')
    for (;;) {
      const page = await listOlderImages(db, after, imagesOfTurn)
      for (const { id, sha256, isHashed } of page) {
        if (stopping.signal.aborted || done.hashed + done.unreadable >= maxHashes) return
        if (!isHashed) {
          const dhash = await hashOf(sha256)
          await db.transaction().execute(async (tx) => {
            await requireWritable(tx)
            await saveHash(tx, id, dhash)
            await saveProgress(tx, 'hashes', id)
          })
          done[dhash === '' ? 'unreadable' : 'hashed'] += 1
        }
        after = id
      }
      if (page.length === 0) return
      await db.transaction().execute(async (tx) => {
        await requireWritable(tx)
        await saveProgress(tx, 'hashes', after)
      })
      await setImmediate()
    }
  }

  return {
    /**
     * One pass; it ends early if the workers are busy or the installation is read-only. @throws the error of an
     * unavailable system.
     */
    catchUp: async (): Promise<CaughtUp> => {
      const done: Progress = { hashed: 0, unreadable: 0, placed: 0 }
      try {
        await place(done)
        await hash(done)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
      }
      return done
    },

    /** From now on nothing more is begun. */
    stop: (): void => stopping.abort(),
  }
}

export type NearDuplicates = ReturnType<typeof createNearDuplicates>

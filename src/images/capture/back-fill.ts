// Reads the capture data of photos from older versions from their originals, in the background (C45).
//
// A photo is done in the transaction that stores its data and marks it as read. If the server is killed before that,
// the next run starts with it. Positions are never changed; only their source is noted if they come from the file.
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../database/database.ts'
import { Refusal } from '../../errors.ts'
import type { FileMetadata, Renditions } from '../../imaging/renditions.ts'
import type { Blobs } from '../../storage/port.ts'
import { takenFrom } from '../../shared/taken.ts'
import { takeOriginal } from '../storage/originals.ts'
import type { RebuildingRun } from '../storage/rebuilding.ts'
import { listRenditions } from '../storage/rendition-table.ts'
import { takenColumns, type CaptureUpdate } from './sent-capture.ts'
import { countUnread, listUnread, saveRead, type ReadImage, type UnreadImage } from './unread-table.ts'
import { isUnreadOf } from './unread.ts'

const imagesAtOnce = 100
/** Photos per transaction: each drops cached answers. */
const maxSaved = 25
const maxUnsavedMs = 1_000
/** In a row, before the run gives up: it is the store that does not answer, and no single photo. */
const maxFaults = 5

export interface BackFilled {
  readonly read: number
  /** Photos whose original is missing, damaged or refused by now: nothing can be read of them. */
  readonly unreadable: number
  readonly left: number
}

export interface BackFillDependencies {
  readonly db: Db
  readonly blobs: Blobs
  readonly renditions: Pick<Renditions, 'readMetadata'>
  /** Setting SITE_TIME_ZONE. */
  readonly siteTimeZone: string
  /** Milliseconds to wait after work that took this long: requests come first. */
  readonly restMs: (tookMs: number) => number
}

/** The values from the file, without those that somebody has entered since. */
export function updateFrom(image: UnreadImage, metadata: FileMetadata, siteTimeZone: string): CaptureUpdate {
  const { position, capture } = metadata
  const isPlaced = Number(image.lat) !== 0 || Number(image.lon) !== 0
  const isOfFile =
    position !== undefined &&
    Number(position.lat) === Number(image.lat) &&
    Number(position.lon) === Number(image.lon)
  const is = isUnreadOf(image.unread)
  return {
    ...(is('time') && takenColumns(takenFrom(capture, isPlaced ? image : undefined, siteTimeZone))),
    ...(is('position') &&
      isPlaced && {
        position_source: isOfFile ? ('exif' as const) : ('given' as const),
        position_accuracy: isOfFile ? (capture.accuracy ?? null) : null,
      }),
    ...(is('direction') && { direction: capture.direction ?? null }),
    // If the submitter removed the position that the file has, its altitude stays out as well.
    ...(is('altitude') && {
      altitude: isPlaced || position === undefined ? (capture.altitude ?? null) : null,
    }),
  }
}

export function createBackFill({ db, blobs, renditions, siteTimeZone, restMs }: BackFillDependencies) {
  /** @returns undefined if it must be skipped for now. @throws the error of an unavailable store. */
  async function read(image: UnreadImage): Promise<CaptureUpdate | 'unreadable' | undefined> {
    const taken = await takeOriginal(blobs, image, await listRenditions(db, image.sha256))
    if (!('bytes' in taken)) {
      if (taken.error !== undefined) throw taken.error
      return 'unreadable'
    }
    try {
      return updateFrom(image, await renditions.readMetadata(taken.bytes), siteTimeZone)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.code === 'busy' ? undefined : 'unreadable'
    }
  }

  return {
    /**
     * Processes all remaining photos; if a run is stopped, the next one continues with the next photo.
     * @throws if the store is unavailable.
     */
    run: async ({ mayContinue, signal }: RebuildingRun): Promise<BackFilled> => {
      const counts = { read: 0, unreadable: 0 }
      let unsaved: (ReadImage & { readonly isUnreadable: boolean })[] = []
      let savedAt = performance.now()
      const save = async (): Promise<void> => {
        const some = unsaved
        unsaved = []
        savedAt = performance.now()
        if (some.length === 0) return
        const saved = await saveRead(db, some)
        for (const { image, isUnreadable } of some)
          if (saved.has(image.id)) counts[isUnreadable ? 'unreadable' : 'read'] += 1
      }
      let faults = 0
      for (let after = 0; ;) {
        const images = await listUnread(db, after, imagesAtOnce)
        for (const image of images) {
          if (!(await mayContinue())) return { ...counts, left: await countUnread(db) }
          const begun = performance.now()
          const update = await read(image).catch((error: unknown) => {
            faults += 1
            if (faults >= maxFaults) throw error
            return undefined
          })
          if (update !== undefined) {
            faults = 0
            const isUnreadable = update === 'unreadable'
            unsaved.push({ image, update: isUnreadable ? {} : update, isUnreadable })
          }
          if (unsaved.length >= maxSaved || performance.now() - savedAt > maxUnsavedMs) await save()
          await pause(restMs(performance.now() - begun), undefined, { signal }).catch(() => undefined)
          after = image.id
        }
        await save()
        if (images.length === 0) return { ...counts, left: await countUnread(db) }
      }
    },
  }
}

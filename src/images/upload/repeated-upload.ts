// Recognises a repeated upload, so that a lost response creates no second image (contract C18).
import { createHash } from 'node:crypto'
import type { Db, Tx } from '../../database/database.ts'
import { rememberedForMs, type KeyedPlace, type IdempotencyKeys } from '../../idempotency/idempotency-keys.ts'
import { saysNothingOfCapture } from '../capture/sent-capture.ts'
import type { UploadDetails } from '../v2-details.ts'
import { findUnmodifiedImage, hasUnmodifiedImage } from './untouched-table.ts'

/** The target of an upload, its submitter and its key. */
export interface UploadTarget {
  readonly accountId: number
  readonly trailId: number
  /** The Idempotency-Key, if there was one. */
  readonly key: string | undefined
  /** The path it was sent to, to which the key belongs; that of the classic surface where it is left out. */
  readonly path?: string
}

/** What was sent, as far as a repeated upload is told by it. */
export interface SentUpload {
  /** Of the file, hex. */
  readonly sha256: string
  readonly details: UploadDetails
}

/** Whether anything is said of the image. */
export const saysNothing = (details: UploadDetails): boolean =>
  details.title === undefined &&
  details.caption === undefined &&
  details.position === undefined &&
  saysNothingOfCapture(details)

/** Of all that the key stands for: of a file alone its own hash, as classic uploads have it. */
function digestOf({ sha256, details }: SentUpload): string {
  const { title = null, caption = null, position = 'as it is', termsVersion = null } = details
  if (saysNothing(details) && termsVersion === null) return sha256
  const { taken, positionSource, positionAccuracy, direction, altitude } = details
  const capture = [taken, positionSource, positionAccuracy, direction, altitude]
  // Without them it is the digest of the versions that knew none of them.
  const more = saysNothingOfCapture(details) ? [] : capture.map((value) => (value === undefined ? '' : value))
  const text = JSON.stringify([sha256, title, caption, position, termsVersion, ...more])
  return createHash('sha256').update(text).digest('hex')
}

/** What an upload came to. */
export interface Taken {
  readonly imageId: number
  /** `made` at first and at each retry with the key, whose answer is the first one; `found` where the image was there. */
  readonly how: 'made' | 'found'
}

/** The canonical path of a trail's set of images. */
export const imagesPath = (trailId: number): string => `/Trails/${trailId}/Images`

function placeOf({ accountId, trailId, key, path }: UploadTarget): KeyedPlace | undefined {
  return key === undefined ? undefined : { accountId, path: path ?? imagesPath(trailId), key }
}

export function createRepeatedUploads(retries: IdempotencyKeys, now: () => number) {
  /** Of an image that nobody has touched since: whoever sends its bytes again most likely missed the answer. */
  const untouched = ({ accountId, trailId }: UploadTarget) => ({
    submitterId: accountId,
    trailId,
    postedAfter: now() - rememberedForMs,
  })

  return {
    /** Could the upload be a repetition, from what is known before its body? */
    mayBe: async (db: Db, target: UploadTarget): Promise<boolean> => {
      const place = placeOf(target)
      return place ? retries.isKnown(db, place) : hasUnmodifiedImage(db, untouched(target))
    },

    /**
     * The result of the same upload before; undefined if it is new. A new key asks for a new image, even with bytes
     * that were sent before, and so do details: an image without any belongs to another upload.
     * @throws refusal `idempotency-key-reused`.
     */
    find: async (db: Db, target: UploadTarget, sent: SentUpload): Promise<Taken | undefined> => {
      const place = placeOf(target)
      if (!place && !saysNothing(sent.details)) return undefined
      const imageId = place
        ? await retries.find(db, { ...place, bodySha256: digestOf(sent) })
        : await findUnmodifiedImage(db, untouched(target), sent.sha256)
      return imageId === undefined ? undefined : { imageId, how: place ? 'made' : 'found' }
    },

    /** In the transaction that makes the image, after `find` in the same. @throws refusal `busy`. */
    remember: async (tx: Tx, target: UploadTarget, sent: SentUpload, imageId: number): Promise<void> => {
      const place = placeOf(target)
      if (place) await retries.remember(tx, { ...place, bodySha256: digestOf(sent) }, imageId)
    },
  }
}

export type RepeatedUploads = ReturnType<typeof createRepeatedUploads>

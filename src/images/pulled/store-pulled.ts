// Stores photos of another server: their bytes by the rules of an upload, and all else as that server says it.
import { hash } from 'node:crypto'
import type { Db, Tx } from '../../database/database.ts'
import { notePulled } from '../../database/pulled-table.ts'
import { requireWritable } from '../../database/read-only.ts'
import { together } from '../../database/together.ts'
import { refuse } from '../../errors.ts'
import { bumpTrailVersion, findPlaceOnTrail, recordEvent, recordMove } from '../../events/outbox.ts'
import { inMemory, type Examined, type Renditions } from '../../imaging/renditions.ts'
import type { Blobs, StagedBlob } from '../../storage/port.ts'
import { inEach } from '../../texts/texts.ts'
import { alongColumns, saveMeasured } from '../along/measure-table.ts'
import { measuredPlace, type FindRuler, type Measured } from '../along/miles-along.ts'
import { captureUpdate, capturedColumns, nothingOfCapture } from '../capture/sent-capture.ts'
import { findChanged, updateDetails } from '../details-table.ts'
import { insertImage, isImageIdFree, positionColumns } from '../image-table.ts'
import { findNearNew, saveNewHash } from '../near-duplicates-table.ts'
import { saveRenditions } from '../storage/rendition-table.ts'
import { createContentStorage, type StoredUpload } from '../upload/store-content.ts'
import type { RenditionStore } from '../view/rendition-store.ts'
import { imageDigest, positionOf, type ListedElsewhere } from './pulled-image.ts'
import { movePlaces, type ImageHere, type Placed } from './pulled-images-table.ts'

/** As it was uploaded there, or size lg as the image handler sends it. */
export type FileForm = 'original' | 'lg'

/** In the history: nobody here has decided on it. */
const reason = 'pulled'

export interface PullingDependencies {
  readonly db: Db
  readonly blobs: Blobs
  readonly renditions: Pick<Renditions, 'examine'>
  readonly store: RenditionStore
  readonly now: () => number
  /** Of one photo, inclusive (contract C14). */
  readonly maxBytes: number
  readonly siteTimeZone: string
  readonly findRuler: FindRuler
  /** Address of the other server. */
  readonly source: string
}

/** Bytes that are here already, in the form in which an upload hands them on. */
function stagedOf(blobs: Blobs, whole: Buffer): StagedBlob {
  return {
    sha256: hash('sha256', whole),
    ...inMemory(whole),
    keep: (key) => blobs.put(key, whole, 'durable'),
    discard: () => Promise.resolve(),
  }
}

const isSamePlace = (one: { lat: string; lon: string } | undefined | null, lat: string, lon: string) =>
  one !== undefined && one !== null && Number(one.lat) === Number(lat) && Number(one.lon) === Number(lon)

export function createPulledImages(dependencies: PullingDependencies) {
  const { db, blobs, renditions, store, now, maxBytes, siteTimeZone, findRuler, source } = dependencies
  const contentStorage = createContentStorage({ db, blobs, store, now })

  /** What the list says of the place counts, even where it says that nobody knows it. */
  function columnsOf(image: ListedElsewhere, examined: Examined) {
    const position = positionOf(image)
    const captured = capturedColumns({ ...nothingOfCapture, position }, examined, siteTimeZone)
    const isOfFile = position !== null && isSamePlace(examined.position, image.lat, image.lon)
    return {
      ...positionColumns(position),
      ...captured,
      ...(isOfFile && { position_source: 'exif' as const }),
    }
  }

  interface Made {
    readonly staged: StagedBlob
    readonly examined: Examined
    readonly stored: StoredUpload
    readonly measured: Measured | undefined
  }

  async function record(tx: Tx, image: ListedElsewhere, made: Made, form: FileForm): Promise<void> {
    const { id, trailId, submitterId, title, caption, postedAt } = image
    const { staged, examined, stored, measured } = made
    const [, place, near, isFree] = await together(tx, (each) => [
      contentStorage.hold(each, staged, stored),
      findPlaceOnTrail(each, trailId),
      findNearNew(each, trailId, examined.dhash),
      isImageIdFree(each, id),
    ])
    if (!isFree) throw refuse('invalid-field', { detail: `The image ID ${id} is already in use.` })
    await saveRenditions(tx, staged.sha256, stored.rows)
    const at = now()
    await insertImage(tx, {
      id,
      seq: place.seq,
      trail_id: trailId,
      submitter_id: submitterId,
      state: 'pending',
      title,
      caption,
      ...columnsOf(image, examined),
      ...alongColumns(measured, place.lineVersion),
      mime_type: examined.mimeType,
      sha256: staged.sha256,
      bytes: staged.bytes,
      width: examined.width,
      height: examined.height,
      posted_at: postedAt,
      updated_at: at,
      queued_at: null,
      details_set_at: postedAt,
      accepted_title: null,
      accepted_caption: null,
      licence: null,
      terms_version: null,
    })
    await saveNewHash(tx, { imageId: id, trailId, dhash: examined.dhash }, near)
    const move = { at, imageId: id, trailId, submitterId, actorId: submitterId, reason }
    await recordMove(tx, { ...move, type: 'image.uploaded', from: null, to: 'pending' })
    // Only what is listed there can be pulled, so somebody there has approved it.
    await tx.updateTable('image').set({ state: 'approved' }).where('id', '=', id).execute()
    await bumpTrailVersion(tx, trailId)
    await recordMove(tx, { ...move, type: 'image.approved', from: 'pending', to: 'approved' })
    const digest = imageDigest(image)
    await notePulled(tx, 'image', { id, source, digest, ...(form === 'original' && { form }) })
  }

  async function tellUpdated(tx: Tx, at: number, id: number): Promise<void> {
    const image = await findChanged(tx, id)
    if (image === undefined) throw refuse('invalid-image-id')
    const { trailId, submitterId, state } = image
    const event = { at, imageId: id, trailId, submitterId, from: state, to: state }
    const data = { imageID: id, trailID: trailId, status: state }
    await recordEvent(tx, { type: 'image.updated', ...event, data })
  }

  return {
    /**
     * Stores one photo as approved. When it resolves, bytes and rows survive a power cut; when it rejects, nothing is kept.
     * @param before makes sure of its submitter, in the same transaction.
     * @returns the media type that its bytes have.
     * @throws refusals `image-too-large`, `empty-image`, `unsupported-image-type`, `broken-image`,
     *   `image-dimensions-too-large`, `invalid-field` where the id is taken, `invalid-trail-id`, `busy`, `read-only`.
     */
    bring: async (
      image: ListedElsewhere,
      { bytes, form }: { readonly bytes: Buffer; readonly form: FileForm },
      before: (tx: Tx) => Promise<void>,
    ): Promise<string> => {
      if (bytes.length > maxBytes)
        throw refuse('image-too-large', { detail: inEach(({ limits }) => limits.imageSize(maxBytes)) })
      if (bytes.length === 0)
        throw refuse('empty-image', { detail: inEach(({ limits }) => limits.emptyUpload) })
      await requireWritable(db)
      const staged = stagedOf(blobs, bytes)
      const examined = await renditions.examine(
        () => Promise.resolve(staged),
        form === 'original' ? 'any' : 'classic',
      )
      const measured = await measuredPlace(findRuler, image.trailId, positionOf(image))
      await contentStorage.store(staged, examined, (stored) =>
        db.transaction().execute(async (tx) => {
          await before(tx)
          await record(tx, image, { staged, examined, stored, measured }, form)
        }),
      )
      return examined.mimeType
    },

    /**
     * Gives a photo that nobody has edited here the details that the other server has now.
     * @param seen the photo as it was compared: other photos may have been loading since.
     * @returns false if somebody has changed or deleted it since; then it stays as it is.
     */
    follow: async (image: ListedElsewhere, seen: ImageHere): Promise<boolean> => {
      const { id, trailId, title, caption } = image
      const position = positionOf(image)
      const measured = await measuredPlace(findRuler, trailId, position)
      return db.transaction().execute(async (tx) => {
        await requireWritable(tx)
        const stored = await findChanged(tx, id)
        const isAsSeen = stored?.state === seen.state && imageDigest(stored) === imageDigest(seen)
        if (stored === undefined || !isAsSeen) return false
        const at = now()
        const capture = captureUpdate({ ...nothingOfCapture, position }, stored, siteTimeZone)
        await updateDetails(tx, id, { title, caption, position, capture }, { accepted: undefined, at })
        if (measured) await saveMeasured(tx, { imageId: id, trailId }, measured)
        await bumpTrailVersion(tx, trailId)
        await tellUpdated(tx, at, id)
        await notePulled(tx, 'image', { id, source, digest: imageDigest(image) })
        return true
      })
    },

    /** From now on a photo that says the same here and there counts as pulled in this form. */
    agree: (image: ListedElsewhere): Promise<void> =>
      db.transaction().execute(async (tx) => {
        await requireWritable(tx)
        await notePulled(tx, 'image', { id: image.id, source, digest: imageDigest(image) })
      }),

    /** Brings photos of a trail into another order; each of the places is one that one of them had. */
    reorder: (trailId: number, moves: readonly Placed[]): Promise<void> =>
      db.transaction().execute(async (tx) => {
        await requireWritable(tx)
        const at = now()
        await movePlaces(tx, moves)
        await bumpTrailVersion(tx, trailId)
        for (const { id } of moves) await tellUpdated(tx, at, id)
      }),
  }
}

export type PulledImages = ReturnType<typeof createPulledImages>

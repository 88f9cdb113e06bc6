// The steps of an upload: receive, examine, store the bytes, record, and only then respond (contract C14–C17).
import { accountOf, type Actor } from '../../auth/guard.ts'
import type { Blobs, StagedBlob } from '../../storage/port.ts'
import { inSharedTransaction, settled, type Database, type Tx } from '../../database/database.ts'
import { refuse, Refusal } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { together } from '../../database/together.ts'
import { bumpTrailVersion, findPlaceOnTrail, recordMove } from '../../events/outbox.ts'
import type { Examined, Renditions, Takes } from '../../imaging/renditions.ts'
import { drawFree, type System } from '../../system.ts'
import { findNearNew, saveNewHash } from '../near-duplicates-table.ts'
import { hasRenditions, insertRenditions, saveRenditions } from '../storage/rendition-table.ts'
import { capturedColumns } from '../capture/sent-capture.ts'
import { alongColumns } from '../along/measure-table.ts'
import { measuredPlace, type FindRuler, type Measured } from '../along/miles-along.ts'
import { insertImage, isImageIdFree, positionColumns } from '../image-table.ts'
import { findSubmitter } from '../usage-table.ts'
import {
  saysNothing,
  type RepeatedUploads,
  type SentUpload,
  type Taken,
  type UploadTarget,
} from './repeated-upload.ts'
import type { RenditionStore } from '../view/rendition-store.ts'
import { findTermsInForce, requireSeen } from '../../site-settings/terms.ts'
import { isForeign } from './foreign-type.ts'
import { createContentStorage, type StoredUpload } from './store-content.ts'
import { createQuotas, type Quotas } from './quotas.ts'
import { approveTrusted } from './trusted.ts'
import { noDetails, type UploadDetails } from '../v2-details.ts'

/** Where an upload goes, and the Idempotency-Key it came with. */
export interface UploadSet extends Omit<UploadTarget, 'accountId'> {
  /** What it may be there; of the types of the classic surface where it is left out. */
  readonly takes?: Takes
  /** Whether the account had room for another image before the body came. */
  readonly hadRoom?: boolean
}

const targetOf = (actor: Actor, into: UploadSet): UploadTarget => ({
  ...into,
  accountId: accountOf(actor).accountId,
})

export interface UploadDependencies {
  readonly database: Database
  readonly blobs: Blobs
  readonly renditions: Renditions
  readonly store: RenditionStore
  readonly system: System
  readonly quotas: Quotas
  /** Of one upload, inclusive (contract C14). */
  readonly maxBytes: number
  readonly repeats: RepeatedUploads
  /** Setting SITE_TIME_ZONE. */
  readonly siteTimeZone: string
  readonly findRuler: FindRuler
}

interface MadeUpload {
  readonly examined: Examined
  readonly details: UploadDetails
}

/** What is said of it counts more than what the file says. */
const placeOf = ({ details, examined }: MadeUpload) =>
  details.position === undefined ? examined.position : details.position

export function createUpload(dependencies: UploadDependencies) {
  const { database, blobs, renditions, store: renditionStore, system } = dependencies
  const { maxBytes, repeats, siteTimeZone, findRuler } = dependencies
  const { db } = database
  const { quotaReached, findQuotaReached, findBytesReached } = createQuotas(dependencies.quotas)
  const contentStorage = createContentStorage({ db, blobs, store: renditionStore, now: () => system.now() })

  const tooLarge = (): Refusal =>
    refuse('image-too-large', { detail: inEach(({ limits }) => limits.imageSize(maxBytes)) })

  async function receive(body: AsyncIterable<Uint8Array>): Promise<StagedBlob> {
    const staged = await blobs.receive(body, maxBytes)
    if (!staged) throw tooLarge()
    if (staged.bytes > 0) return staged
    await staged.discard()
    throw refuse('empty-image', { detail: inEach(({ limits }) => limits.emptyUpload) })
  }

  async function record(
    tx: Tx,
    target: UploadTarget,
    staged: StagedBlob,
    made: MadeUpload & { stored: StoredUpload; measured: Measured | undefined },
  ): Promise<Taken> {
    const { trailId, accountId } = target
    const { examined, details, stored, measured } = made
    const { sha256 } = staged
    const sent: SentUpload = { sha256, details }
    const at = system.now()
    const [, earlier, submitter, terms, place, hasRows, near, imageId] = await together(tx, (each) => [
      contentStorage.hold(each, staged, stored),
      repeats.find(each, target, sent),
      findSubmitter(each, accountId),
      findTermsInForce(each),
      findPlaceOnTrail(each, trailId),
      hasRenditions(each, sha256),
      findNearNew(each, trailId, examined.dhash),
      drawFree('image id', system.newId, (id) => isImageIdFree(each, id)),
    ])
    // Once more, now that the content's row is held: of the same upload sent twice at once, the second sees the first.
    if (earlier) return earlier
    // Whoever left while the bytes came leaves nothing behind.
    if (submitter?.mayAct !== true) throw refuse('invalid-token')
    const reached = quotaReached(submitter, staged.bytes)
    if (reached) throw reached
    requireSeen(terms, details.termsVersion)
    await (hasRows ? saveRenditions : insertRenditions)(tx, sha256, stored.rows)
    const row = {
      id: imageId,
      seq: place.seq,
      trail_id: trailId,
      submitter_id: accountId,
      state: 'pending' as const,
      title: details.title ?? '',
      caption: details.caption ?? '',
      ...positionColumns(placeOf(made)),
      ...alongColumns(measured, place.lineVersion),
      ...capturedColumns(details, examined, siteTimeZone),
      mime_type: examined.mimeType,
      sha256,
      bytes: staged.bytes,
      width: examined.width,
      height: examined.height,
      posted_at: at,
      updated_at: at,
      queued_at: at,
      details_set_at: saysNothing(details) ? null : at,
      accepted_title: null,
      accepted_caption: null,
      licence: terms.licence,
      terms_version: terms.version,
    }
    await insertImage(tx, row)
    await saveNewHash(tx, { imageId, trailId, dhash: examined.dhash }, near)
    await bumpTrailVersion(tx, trailId)
    await recordMove(tx, {
      type: 'image.uploaded',
      at,
      imageId,
      trailId,
      submitterId: accountId,
      actorId: accountId,
      from: null,
      to: 'pending',
    })
    if (submitter.isTrusted) await approveTrusted(tx, { imageId, trailId, submitterId: accountId, at })
    await repeats.remember(tx, target, sent, imageId)
    return { imageId, how: 'made' }
  }

  async function store(target: UploadTarget, staged: StagedBlob, made: MadeUpload): Promise<Taken> {
    const measured = await measuredPlace(findRuler, target.trailId, placeOf(made))
    return contentStorage.store(staged, made.examined, (stored) => {
      const { accountId, trailId } = target
      const keys = [`account:${accountId}`, `trail:${trailId}`, `content:${staged.sha256}`] as const
      return inSharedTransaction(db, keys, (tx) => record(tx, target, staged, { ...made, stored, measured }))
    })
  }

  return {
    /**
     * Called before the body is read. An upload that may be a repetition is allowed whatever the quotas are: it may be
     * the very one that reached them, and whose response was lost. `take` decides once it knows the bytes.
     * @returns what `take` needs.
     * @throws refusal `quota-reached`.
     */
    requireRoom: async (actor: Actor, into: UploadSet): Promise<UploadSet> => {
      const target = targetOf(actor, into)
      const reached = await findQuotaReached(db, target.accountId, 0)
      if (reached && !(await repeats.mayBe(db, target))) throw reached
      return { ...into, hadRoom: reached === undefined }
    },

    /** Spares a client that says the length the sending of what would be refused. @throws refusal `image-too-large`. */
    requireSmall: (declaredBytes: number): void => {
      if (declaredBytes > maxBytes) throw tooLarge()
    },

    /**
     * Stores one image as pending, or finds it where the same upload came before. When it resolves, bytes and row survive
     * a power cut; when it rejects, nothing is kept.
     * @param readDetails what is said of the image, asked for once the body has come; stored with it or not at all.
     * @throws refusals `image-too-large`, `empty-image`, `idempotency-key-reused`, `unsupported-image-type`,
     *   `broken-image`, `image-dimensions-too-large`, `quota-reached`, `other-terms`, `busy`, and what `readDetails` throws.
     */
    take: async (
      actor: Actor,
      into: UploadSet,
      body: AsyncIterable<Uint8Array>,
      readDetails: () => Promise<UploadDetails> = () => Promise.resolve(noDetails),
    ): Promise<Taken> => {
      const target = targetOf(actor, into)
      const { takes = 'classic' } = into
      const staged = await receive(body)
      try {
        const details = await readDetails()
        // Before the work on the image: a retry costs no decode.
        const findReached = into.hadRoom === true ? findBytesReached : findQuotaReached
        const [earlier, reached, terms] = await together(db, (each) => [
          repeats.find(each, target, { sha256: staged.sha256, details }),
          findReached(each, target.accountId, staged.bytes),
          findTermsInForce(each),
        ])
        if (earlier && !(earlier.how === 'found' && (await isForeign(staged, takes)))) {
          await settled(db)
          return earlier
        }
        if (reached) throw reached
        requireSeen(terms, details.termsVersion)
        const examined = await renditions.examine(() => Promise.resolve(staged), takes)
        return await store(target, staged, { examined, details })
      } finally {
        await staged.discard()
      }
    },
  }
}

export type Upload = ReturnType<typeof createUpload>

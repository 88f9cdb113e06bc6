// Rules of the trash: images are deleted into it, restored from it for 30 days, and purged after that (contract C23).
import { setImmediate } from 'node:timers/promises'
import { accountOf, isStaff, isSubmitter, permit } from '../../auth/guard.ts'
import type { Actor } from '../../auth/guard.ts'
import { trashDays } from '../../shared/v2/image-schemas.ts'
import type { Blobs } from '../../storage/port.ts'
import { inSharedTransaction, type Db, type Tx } from '../../database/database.ts'
import { requireWritable } from '../../database/read-only.ts'
import { refuse } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { bumpTrailVersion, countGone, recordMove, type ImageMove } from '../../events/outbox.ts'
import { findImage } from '../image-table.ts'
import { usageOf } from '../usage-table.ts'
import type { ImagePrecondition } from '../images.ts'
import { removeContents } from './purge.ts'
import {
  deleteImageRow,
  listOverdue,
  listTrash,
  lockImage,
  moveToTrash,
  takeOutOfTrash,
  type TrashableImage,
  type TrashCursor,
  type TrashRow,
} from './trash-table.ts'

export const trashMs = trashDays * 24 * 3_600_000

const purgedAtOnce = 100

export interface Purged {
  readonly purged: number
  /**
   * Images that could not be purged this time, or contents that could not be deleted; the next pass or garbage
   * collection does.
   */
  readonly failures: number
}

export interface TrashDependencies {
  readonly db: Db
  readonly blobs: Blobs
  readonly now: () => number
  /** Pending images that an account may have; 0 for no limit. */
  readonly maxPending: number
}

export function createTrash({ db, blobs, now, maxPending }: TrashDependencies) {
  /** Images deleted at this time or before no longer exist, whether or not they are purged yet. */
  const overdueAt = (at: number): number => at - trashMs

  async function record(
    tx: Tx,
    { id, trailId, submitterId }: TrashableImage,
    move: Pick<ImageMove, 'type' | 'at' | 'actorId' | 'from' | 'to'>,
  ): Promise<void> {
    await bumpTrailVersion(tx, trailId)
    await recordMove(tx, { ...move, imageId: id, trailId, submitterId })
  }

  async function removeIn(
    tx: Tx,
    actor: Actor,
    imageId: number,
    precondition: ImagePrecondition,
  ): Promise<void> {
    const locked = await lockImage(tx, imageId)
    const image = locked && (await findImage(tx, imageId))
    if (!image || image.state === 'deleted') throw refuse('invalid-image-id')
    permit(actor, 'delete-image', image)
    precondition(image)
    const at = now()
    const { accountId } = accountOf(actor)
    await moveToTrash(tx, locked, { by: accountId, at })
    await record(tx, locked, {
      type: 'image.deleted',
      at,
      actorId: accountId,
      from: image.state,
      to: 'deleted',
    })
  }

  /** Deleting and restoring must not circumvent the quota of pending photos. */
  async function requireRoom(tx: Tx, actor: Actor, image: TrashableImage): Promise<void> {
    if (maxPending === 0 || image.deletedFrom !== 'pending' || !isSubmitter(actor, image)) return
    const { pendingImages } = await usageOf(tx, image.submitterId)
    if (pendingImages < maxPending) return
    throw refuse('quota-reached', {
      detail: inEach(({ limits }) => limits.pendingImages(maxPending, pendingImages)),
    })
  }

  async function restoreIn(tx: Tx, actor: Actor, imageId: number): Promise<void> {
    const image = await lockImage(tx, imageId)
    const at = now()
    const isGone =
      image?.deletedAt !== undefined && image.deletedAt !== null && image.deletedAt <= overdueAt(at)
    if (!image || isGone) throw refuse('invalid-image-id')
    const { state, deletedFrom } = image
    permit(actor, 'delete-image', image)
    if (state !== 'deleted' || deletedFrom === null)
      throw refuse('not-deleted', { detail: inEach(({ review }) => review.notDeleted(state)) })
    await requireRoom(tx, actor, image)
    await takeOutOfTrash(tx, imageId, { to: deletedFrom, at })
    const { accountId: actorId } = accountOf(actor)
    await record(tx, image, { type: 'image.restored', at, actorId, from: 'deleted', to: deletedFrom })
  }

  /** @returns its content; undefined where it stays, since somebody restored it just before. */
  async function purgeIn(tx: Tx, imageId: number): Promise<string | undefined> {
    await requireWritable(tx)
    const image = await lockImage(tx, imageId)
    if (image?.state !== 'deleted' || (image.deletedAt ?? now()) > overdueAt(now())) return undefined
    await deleteImageRow(tx, imageId)
    await countGone(tx, 'deleted')
    return image.sha256
  }

  return {
    /** Checks that the image exists and the actor may delete it, before the conditions are checked (contract C31). */
    requireDeletable: async (actor: Actor, imageId: number | undefined): Promise<number> => {
      const image = imageId === undefined ? undefined : await findImage(db, imageId)
      if (!image || image.state === 'deleted') throw refuse('invalid-image-id')
      permit(actor, 'delete-image', image)
      return image.id
    },

    /**
     * Moves the image into the trash, from whatever it is; from then on it answers as unknown. Of two at once the second
     * hears so.
     * @throws refusals `invalid-image-id`, `forbidden`, `insufficient-scope`, and what `precondition` throws.
     */
    remove: (actor: Actor, imageId: number, precondition: ImagePrecondition): Promise<void> =>
      inSharedTransaction(db, [`image:${imageId}`], (tx) => removeIn(tx, actor, imageId, precondition)),

    /**
     * Restores the image's previous state.
     * @throws refusals `invalid-image-id` also for actors who may not restore it, `not-deleted`, and `quota-reached`.
     */
    restore: (actor: Actor, imageId: number | undefined): Promise<void> => {
      if (imageId === undefined) throw refuse('invalid-image-id')
      return db.transaction().execute((tx) => restoreIn(tx, actor, imageId))
    },

    /**
     * The images that the actor may restore: their own and, for staff, those on the trails they review. Last deleted
     * first.
     */
    list: (actor: Actor, after: TrashCursor | undefined, limit: number): Promise<TrashRow[]> => {
      const account = accountOf(actor)
      const { accountId, trails } = account
      const isAll = isStaff(actor)
      const filters = {
        deletedAfter: overdueAt(now()),
        submitterId: isAll ? undefined : accountId,
        reach: isAll && trails ? { trails, submitterId: accountId } : undefined,
        after,
      }
      return listTrash(db, filters, limit)
    },

    /**
     * Deletes for good what has been in the trash for 30 days, an image a transaction, and then the contents that
     * no other image shows, by name: the sweep may take days until it comes by them in a large store.
     */
    purge: async (): Promise<Purged> => {
      const until = overdueAt(now())
      let purged = 0
      let failures = 0
      let after: TrashCursor | undefined = { deletedAt: 0, id: 0 }
      while (after) {
        const overdue: TrashCursor[] = await listOverdue(db, until, { after, limit: purgedAtOnce })
        const contents = new Set<string>()
        for (const { id } of overdue) {
          try {
            const content = await db.transaction().execute((tx) => purgeIn(tx, id))
            if (content !== undefined) {
              purged += 1
              contents.add(content)
            }
          } catch {
            failures += 1 // one that cannot go must not keep all the others
          }
          await setImmediate() // the database answers without ever letting the event loop turn
        }
        failures += (await removeContents({ db, blobs, now }, [...contents])).length
        after = overdue.length < purgedAtOnce ? undefined : overdue.at(-1)
      }
      return { purged, failures }
    },
  }
}

export type Trash = ReturnType<typeof createTrash>

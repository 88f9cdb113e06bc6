// Rules of images: who reads which, and what a change of details does (contract A1, A4, C3, C20–C22).
import { isStaff, maySeeDetails, permit, accountOf, type Actor } from '../auth/guard.ts'
import { findContradiction, type DetailsChange } from '../contract/details.ts'
import type { Db, Tx } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { bumpTrailVersion, recordEvent } from '../events/outbox.ts'
import {
  findImage,
  listImages,
  listListed,
  updateDetails,
  type DetailsUpdate,
  type Image,
  type ImageFilters,
} from './image-table.ts'

export type { Image } from './image-table.ts'

/** Throws where the client's conditions on the image do not hold. */
export type JudgeImage = (image: Image) => void

/** Where a path names an image: in the set of a trail (classic), or by itself (v2). */
export interface ImagePath {
  readonly imageId: number | undefined
  readonly trailId?: number
}

async function existing(db: Db, { imageId, trailId }: ImagePath): Promise<Image> {
  const image = imageId === undefined ? undefined : await findImage(db, imageId)
  const isThere = image && image.state !== 'deleted' && (trailId === undefined || image.trailId === trailId)
  if (!isThere) throw refuse('invalid-image-id')
  return image
}

function updateOf(change: DetailsChange): DetailsUpdate {
  const { title, caption, position } = change
  return {
    ...(title === undefined ? {} : { title }),
    ...(caption === undefined ? {} : { caption }),
    ...(position === undefined ? {} : { position }),
  }
}

export function createImages(db: Db, now: () => number) {
  async function changeIn(tx: Tx, actor: Actor, path: ImagePath, change: DetailsChange, judge: JudgeImage) {
    const image = await existing(tx, path)
    permit(actor, 'edit-image', image)
    judge(image)
    const contradiction = findContradiction(change, { imageID: image.id, trailID: image.trailId })
    if (contradiction) throw refuse(contradiction.code, { detail: contradiction.detail })
    const update = updateOf(change)
    if (Object.keys(update).length === 0) return // nothing said, nothing changed, nothing to tell
    const at = now()
    await updateDetails(tx, image.id, update, at)
    await bumpTrailVersion(tx, image.trailId)
    await recordEvent(tx, {
      type: 'image.updated',
      at,
      imageId: image.id,
      data: { imageID: image.id, trailID: image.trailId, status: image.state },
    })
  }

  return {
    /** The images that the list of a trail shows, in order of upload. */
    listListed: (trailId: number): Promise<Image[]> => listListed(db, trailId),

    /** @throws refusal `invalid-image-id` where there is none, or none that this actor may see. */
    require: async (actor: Actor, path: ImagePath): Promise<Image> => {
      const image = await existing(db, path)
      if (!maySeeDetails(actor, image)) throw refuse('invalid-image-id')
      return image
    },

    /** That the image exists and the actor may change it, before anything of the body is looked at (contract C31). */
    requireEditable: async (actor: Actor, path: ImagePath): Promise<Image> => {
      const image = await existing(db, path)
      permit(actor, 'edit-image', image)
      return image
    },

    /**
     * Changes title, caption and position. Everything is judged again inside the transaction, so that of two changes
     * with the same If-Match one wins.
     */
    change: (actor: Actor, path: ImagePath, change: DetailsChange, judge: JudgeImage): Promise<void> =>
      db.transaction().execute((tx) => changeIn(tx, actor, path, change, judge)),

    /** The actor's own images; staff see everyone's. Newest first. */
    list: (actor: Actor, filters: ImageFilters, limit: number): Promise<Image[]> => {
      const { accountId } = accountOf(actor)
      const isOwnOnly = !isStaff(actor)
      // A member who asks for another's images asks for what no member has: nothing.
      if (isOwnOnly && filters.submitterId !== undefined && filters.submitterId !== accountId)
        return Promise.resolve([])
      return listImages(db, isOwnOnly ? { ...filters, submitterId: accountId } : filters, limit)
    },
  }
}

export type Images = ReturnType<typeof createImages>

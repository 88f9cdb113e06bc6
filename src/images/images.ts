// Rules of images: who reads which, and what a change of details does (contract A1, A4, C3, C20–C22).
import { isStaff, maySeeDetails, permit, accountOf, type Actor, type GuardedImage } from '../auth/guard.ts'
import { findContradiction, type DetailsChange, type Position } from '../shared/classic/details.ts'
import { inSharedTransaction, type Db, type Tx } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { bumpTrailVersion, recordEvent, recordMove } from '../events/outbox.ts'
import {
  findChanged,
  takeBackToPending,
  updateDetails,
  type ChangedImage,
  type DetailsUpdate,
  type Texts,
} from './details-table.ts'
import {
  createGuardedQuery,
  createImageQuery,
  findImage,
  type Image,
  type ImageFilters,
  createListedPage,
  type Listed,
  type ListedFilters,
} from './image-table.ts'
import { saveMeasured } from './along/measure-table.ts'
import { measuredPlace, type FindRuler, type Measured } from './along/miles-along.ts'
import { listListedAlong, listPlacesAlong, type AlongFilters } from './list/along-table.ts'
import { listListedByDay, listTakenMonths, type ByDayFilters } from './list/taken-table.ts'
import {
  captureUpdate,
  nothingOfCapture,
  type ChangedCapture,
  type SentCapture,
} from './capture/sent-capture.ts'
import { listImages } from './list/newest-table.ts'
import { mayChangeUnseen } from './upload/trusted.ts'

export type { Image } from './image-table.ts'

/** A profile cannot show more dots than this apart. */
export const maxPlacesAlong = 2_000

/** Throws if the client's conditions on the image do not hold. */
export type ImagePrecondition = (image: Image) => void

/** How a path names an image: within a trail (classic), or by itself (v2). */
export interface ImagePath {
  readonly imageId: number | undefined
  readonly trailId?: number
}

/** The requested change; undefined leaves a value as it is, and a null position means unknown. */
export type ImageChange = Omit<DetailsChange, 'position'> & {
  readonly position: Position | null | undefined
} & Partial<SentCapture>

async function existing<Found extends GuardedImage>(
  { imageId, trailId }: ImagePath,
  find: (id: number) => Promise<Found | undefined>,
): Promise<Found> {
  const image = imageId === undefined ? undefined : await find(imageId)
  const isThere = image && image.state !== 'deleted' && (trailId === undefined || image.trailId === trailId)
  if (!isThere) throw refuse('invalid-image-id')
  return image
}

function updateOf(change: ImageChange, image: ChangedCapture, siteTimeZone: string): DetailsUpdate {
  const { title, caption, position } = change
  const capture = captureUpdate({ ...nothingOfCapture, ...change }, image, siteTimeZone)
  return {
    ...(title === undefined ? {} : { title }),
    ...(caption === undefined ? {} : { caption }),
    ...(position === undefined ? {} : { position }),
    ...(Object.keys(capture).length === 0 ? {} : { capture }),
  }
}

const isSame = (one: Texts, other: Texts): boolean =>
  one.title === other.title && one.caption === other.caption

/**
 * The accepted texts, if the new ones differ from them; undefined if they do not, or if none were accepted. Without
 * this mark, the texts of an approved image are the accepted ones, and also of an unpublished one, which was approved
 * before: otherwise a text changed while it is unpublished would be listed unseen once it is restored.
 */
function acceptedBefore(image: ChangedImage, texts: Texts): Texts | undefined {
  const { state, acceptedTitle, acceptedCaption } = image
  const isMarked = acceptedTitle !== null && acceptedCaption !== null
  if (!isMarked && state !== 'approved' && state !== 'removed') return undefined
  const accepted = isMarked ? { title: acceptedTitle, caption: acceptedCaption } : image
  return isSame(accepted, texts) ? undefined : { title: accepted.title, caption: accepted.caption }
}

export interface ImagesDependencies {
  readonly db: Db
  readonly now: () => number
  /** Setting EDITED_PHOTOS. */
  readonly edits: 'list' | 'pend'
  /** Setting SITE_TIME_ZONE. */
  readonly siteTimeZone: string
  readonly findRuler: FindRuler
}

export function createImages({ db, now, edits, siteTimeZone, findRuler }: ImagesDependencies) {
  const listListedPage = createListedPage(db)
  const findGuarded = createGuardedQuery(db)
  const findWhole = createImageQuery(db)

  /** EDITED_PHOTOS=require-review: what review has not seen is not listed. @returns the state of the image from then on. */
  async function takeBack(
    tx: Tx,
    actor: Actor,
    { id, trailId, submitterId, state }: ChangedImage,
    at: number,
  ) {
    if (state !== 'approved' || !(await takeBackToPending(tx, id))) return state
    await recordMove(tx, {
      type: 'image.reopened',
      at,
      imageId: id,
      trailId,
      submitterId,
      actorId: accountOf(actor).accountId,
      from: 'approved',
      to: 'pending',
    })
    return 'pending'
  }

  /** The image within the transaction: complete only if the client has conditions. */
  async function requireEditable(
    tx: Tx,
    actor: Actor,
    path: ImagePath,
    precondition: ImagePrecondition | undefined,
  ) {
    if (precondition === undefined) {
      const image = await existing(path, (id) => findChanged(tx, id))
      permit(actor, 'edit-image', image)
      return image
    }
    const image = await existing(path, (id) => findImage(tx, id))
    permit(actor, 'edit-image', image)
    precondition(image)
    return image
  }

  interface ChangeConditions {
    readonly precondition: ImagePrecondition | undefined
    /** For the new position. */
    readonly measured: Measured | undefined
  }

  async function changeIn(
    tx: Tx,
    actor: Actor,
    path: ImagePath,
    change: ImageChange,
    { precondition, measured }: ChangeConditions,
  ) {
    const image: ChangedImage = await requireEditable(tx, actor, path, precondition)
    const contradiction = findContradiction(change, { imageID: image.id, trailID: image.trailId })
    if (contradiction) throw refuse(contradiction.code, { detail: contradiction.detail })
    const update = updateOf(change, image, siteTimeZone)
    if (Object.keys(update).length === 0) return // nothing sent, so nothing changed and nothing to report
    const at = now()
    const texts = { title: image.title, caption: image.caption, ...update }
    const accepted = (await mayChangeUnseen(tx, actor, image)) ? undefined : acceptedBefore(image, texts)
    const isTakenBack = edits === 'pend' && accepted !== undefined && !isSame(image, texts)
    // The state change comes first: the feed never reports an approved image with a text that nobody has reviewed.
    const status = isTakenBack ? await takeBack(tx, actor, image, at) : image.state
    await updateDetails(tx, image.id, update, { accepted, at })
    if (measured) await saveMeasured(tx, { imageId: image.id, trailId: image.trailId }, measured)
    await bumpTrailVersion(tx, image.trailId)
    await recordEvent(tx, {
      type: 'image.updated',
      at,
      imageId: image.id,
      trailId: image.trailId,
      submitterId: image.submitterId,
      from: status,
      to: status,
      data: { imageID: image.id, trailID: image.trailId, status },
    })
  }

  /** Undefined if the position does not change. */
  async function measuredOf({ imageId = 0 }: ImagePath, { position }: ImageChange) {
    const image = position ? await findGuarded({ id: imageId }) : undefined
    return image && measuredPlace(findRuler, image.trailId, position)
  }

  return {
    /** A page of the images that the list of a trail shows, in order of upload. */
    listListedPage: (trailId: number, filters: ListedFilters, limit: number): Promise<Listed[]> =>
      listListedPage(trailId, filters, limit),

    /** The same in order of the day they were taken. */
    listListedByDay: (trailId: number, filters: ByDayFilters, limit: number) =>
      listListedByDay(db, trailId, filters, limit),

    /** And in order along the line of the trail. */
    listListedAlong: (trailId: number, filters: AlongFilters, limit: number) =>
      listListedAlong(db, trailId, filters, limit),

    listTakenMonths: (trailId: number) => listTakenMonths(db, trailId),

    /** Where along the line the trail's images are; if there are very many, an even selection. */
    listPlacesAlong: (trailId: number) => listPlacesAlong(db, trailId, maxPlacesAlong),

    /** @throws refusal `invalid-image-id` if there is none that this actor may see. */
    require: async (actor: Actor, path: ImagePath): Promise<Image> => {
      const image = await existing(path, (id) => findWhole({ id }))
      if (!maySeeDetails(actor, image)) throw refuse('invalid-image-id')
      return image
    },

    /** Undefined if there is none that this actor may see. */
    find: async (actor: Actor, { imageId }: { readonly imageId: number }): Promise<Image | undefined> => {
      const image = await findWhole({ id: imageId })
      return image && maySeeDetails(actor, image) ? image : undefined
    },

    /** Checks that the image exists and the actor may change it, before the body is read (contract C31). */
    requireEditable: async (actor: Actor, path: ImagePath): Promise<void> => {
      permit(actor, 'edit-image', await existing(path, (id) => findGuarded({ id })))
    },

    /**
     * Changes title, caption and position. Everything is checked again inside the transaction, so that of two changes
     * with the same If-Match one wins.
     */
    change: async (
      actor: Actor,
      path: ImagePath,
      change: ImageChange,
      precondition?: ImagePrecondition,
    ): Promise<void> => {
      const measured = await measuredOf(path, change)
      return inSharedTransaction(db, [`image:${path.imageId ?? 0}`], (tx) =>
        changeIn(tx, actor, path, change, { precondition, measured }),
      )
    },

    /** The actor's own images; staff see everyone's. Newest first. */
    list: (actor: Actor, filters: ImageFilters, limit: number): Promise<Image[]> => {
      const { accountId } = accountOf(actor)
      const isOwnOnly = !isStaff(actor)
      // A member who requests another's images gets none, since no member may see them.
      if (isOwnOnly && filters.submitterId !== undefined && filters.submitterId !== accountId)
        return Promise.resolve([])
      if (isOwnOnly) return listImages(db, { ...filters, submitterId: accountId }, limit)
      const reach = actor.trails && { trails: actor.trails, submitterId: accountId }
      return listImages(db, { ...filters, reach }, limit)
    },
  }
}

export type Images = ReturnType<typeof createImages>

// Rules of claims: a reviewer can reserve an image for some minutes; a claim expires by itself.
import { accountOf, permit, type Actor } from '../../auth/guard.ts'
import type { Db, Tx } from '../../database/database.ts'
import { requireWritable } from '../../database/read-only.ts'
import { refuse, type Refusal } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { deleteClaim, deleteEndedClaims, findClaimOfAnother, putClaim } from './claims-table.ts'
import { findReviewedImage } from '../review-table.ts'

/** @throws refusal `claimed` where another reviewer has the image just now. */
export async function requireUnclaimed(
  db: Db,
  imageId: number,
  reviewer: { readonly accountId: number; readonly at: number },
): Promise<void> {
  const claimed = await findClaimed(db, imageId, reviewer)
  if (claimed) throw claimed
}

/** The refusal `claimed`, if another reviewer has claimed the image. */
export async function findClaimed(
  db: Db,
  imageId: number,
  reviewer: { readonly accountId: number; readonly at: number },
): Promise<Refusal | undefined> {
  const claim = await findClaimOfAnother(db, imageId, reviewer)
  if (!claim) return undefined
  const { displayName, until } = claim
  return refuse('claimed', { detail: inEach(({ review }) => review.claimed(displayName, until)) })
}

export interface ClaimOptions {
  readonly minutes: number
  readonly takesOver: boolean
}

export function createClaims(db: Db, now: () => number) {
  async function claimIn(tx: Tx, actor: Actor, imageId: number, options: ClaimOptions): Promise<number> {
    await requireWritable(tx)
    const image = await findReviewedImage(tx, imageId)
    if (!image || image.state === 'deleted') throw refuse('invalid-image-id')
    permit(actor, 'review-image', image)
    const { accountId } = accountOf(actor)
    const at = now()
    const until = at + options.minutes * 60_000
    const isMine = await putClaim(tx, imageId, { accountId, at, until, takesOver: options.takesOver })
    if (!isMine) await requireUnclaimed(tx, imageId, { accountId, at })
    return until
  }

  return {
    /**
     * Claims the image for the reviewer; an own claim gets the new end.
     * @returns when it ends, in milliseconds since 1970 UTC.
     * @throws refusals `invalid-image-id`, `forbidden`, `insufficient-scope`, `claimed`, `read-only`.
     */
    claim: (actor: Actor, imageId: number, options: ClaimOptions): Promise<number> =>
      db.transaction().execute((tx) => claimIn(tx, actor, imageId, options)),

    /**
     * Ends the claim on an image that `Review.requireReviewable` has allowed.
     * @param holder if given, only a claim of this account is ended.
     */
    release: (imageId: number, holder?: number): Promise<void> =>
      db.transaction().execute(async (tx) => {
        await requireWritable(tx)
        await deleteClaim(tx, imageId, holder)
      }),

    /** Forgets claims that have ended, which count for nothing. */
    forgetEnded: (): Promise<void> => db.transaction().execute((tx) => deleteEndedClaims(tx, now())),
  }
}

export type Claims = ReturnType<typeof createClaims>

// SQL of the table claim: which reviewer is looking at an image, and until when.
import { later } from '../../database/together.ts'
import type { Db, Tx } from '../../database/database.ts'

export interface NewClaim {
  readonly accountId: number
  readonly at: number
  readonly until: number
  /** Whether another's claim that has not ended gives way. */
  readonly takesOver: boolean
}

/**
 * Claims the image, or extends the caller's claim. One statement, so that of two at once one succeeds.
 * @returns false if somebody else's claim is active.
 */
export async function putClaim(
  tx: Tx,
  imageId: number,
  { accountId, at, until, takesOver }: NewClaim,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('claim')
    .values({ image_id: imageId, account_id: accountId, expires_at: until })
    .onConflict((conflict) => {
      const mine = conflict.column('image_id').doUpdateSet({ account_id: accountId, expires_at: until })
      return takesOver
        ? mine
        : mine.where(({ eb, or }) =>
            or([eb('claim.account_id', '=', accountId), eb('claim.expires_at', '<=', at)]),
          )
    })
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

export interface Claim {
  readonly displayName: string
  readonly until: number
}

/** Somebody else's claim, unless it has expired. */
export function findClaimOfAnother(
  db: Db,
  imageId: number,
  { accountId, at }: { readonly accountId: number; readonly at: number },
): Promise<Claim | undefined> {
  return db
    .selectFrom('claim')
    .innerJoin('account', 'account.id', 'claim.account_id')
    .select(['account.display_name as displayName', 'claim.expires_at as until'])
    .where('claim.image_id', '=', imageId)
    .where('claim.account_id', '!=', accountId)
    .where('claim.expires_at', '>', at)
    .executeTakeFirst()
}

/** @param accountId if given, another reviewer's claim stays. */
export async function deleteClaim(tx: Tx, imageId: number, accountId?: number): Promise<void> {
  const deletion = tx
    .deleteFrom('claim')
    .where('image_id', '=', imageId)
    .$if(accountId !== undefined, (each) => each.where('account_id', '=', accountId ?? 0))
  await later(tx, deletion.compile())
}

export async function deleteEndedClaims(tx: Tx, at: number): Promise<void> {
  await tx.deleteFrom('claim').where('expires_at', '<=', at).execute()
}

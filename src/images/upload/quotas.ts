// How much an account may store: photos that wait for review, and bytes.
import type { Db } from '../../database/database.ts'
import { refuse, type Refusal } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { usageOf } from '../image-table.ts'

/** 0 means no limit. */
export interface Quotas {
  readonly pendingImages: number
  readonly bytes: number
}

export function createQuotas(quotas: Quotas) {
  /** The refusal of so many bytes more, if the account has no room for them. */
  async function findQuotaReached(
    tx: Db,
    accountId: number,
    moreBytes: number,
  ): Promise<Refusal | undefined> {
    const { pendingImages, bytes } = await usageOf(tx, accountId)
    if (quotas.pendingImages > 0 && pendingImages >= quotas.pendingImages) {
      return refuse('quota-reached', {
        detail: inEach(({ limits }) => limits.pendingImages(quotas.pendingImages, pendingImages)),
      })
    }
    if (quotas.bytes > 0 && bytes + moreBytes > quotas.bytes) {
      return refuse('quota-reached', {
        detail: inEach(({ limits }) => limits.imageBytes(quotas.bytes, bytes)),
      })
    }
    return undefined
  }

  /** @throws refusal `quota-reached`. */
  async function checkQuotas(tx: Db, accountId: number, moreBytes: number): Promise<void> {
    const reached = await findQuotaReached(tx, accountId, moreBytes)
    if (reached) throw reached
  }

  return { findQuotaReached, checkQuotas }
}

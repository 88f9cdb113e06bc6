// How much an account may store: photos that wait for review, and bytes.
import type { Db } from '../../database/database.ts'
import { refuse, type Refusal } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { bytesOf, usageOf, type Usage } from '../usage-table.ts'

/** 0 means no limit. */
export interface Quotas {
  readonly pendingImages: number
  readonly bytes: number
}

export function createQuotas(quotas: Quotas) {
  /** The refusal of so many bytes more, if the account has no room for them. */
  function quotaReached({ pendingImages, bytes }: Usage, moreBytes: number): Refusal | undefined {
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

  return {
    quotaReached,

    findQuotaReached: async (db: Db, accountId: number, moreBytes: number): Promise<Refusal | undefined> =>
      quotaReached(await usageOf(db, accountId), moreBytes),

    /** The same of an account that has just had room for another image: the pending ones are not counted again. */
    findBytesReached: async (db: Db, accountId: number, moreBytes: number): Promise<Refusal | undefined> =>
      quotaReached({ pendingImages: 0, bytes: await bytesOf(db, accountId) }, moreBytes),
  }
}

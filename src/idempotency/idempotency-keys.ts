// Idempotency keys: a request with a key creates one thing, however often it is sent (contract C18).
import { createHash } from 'node:crypto'
import type { Db, Tx } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { deleteExpiredKeys, findRetry, insertRetry, type RetryPlace } from './retry-table.ts'

/** How long a request may be sent again (contract C18). */
export const rememberedForMs = 24 * 3_600_000

/** The path and the account of a key. */
export interface KeyedPlace {
  readonly accountId: number
  /** The canonical path, whatever prefix or spelling was used. */
  readonly path: string
  readonly key: string
}

export interface KeyedRequest extends KeyedPlace {
  readonly bodySha256: string
}

function placeOf({ accountId, path, key }: KeyedPlace): RetryPlace {
  return { accountId, path, keyHash: createHash('sha256').update(key).digest('hex') }
}

/**
 * For every resource with an id. Only the created id is stored, in the transaction that creates it: a refused request
 * may be sent again with its key until it succeeds.
 */
export function createIdempotencyKeys(now: () => number) {
  return {
    /** Was the key used there, with any body? */
    isKnown: async (db: Db, place: KeyedPlace): Promise<boolean> =>
      (await findRetry(db, placeOf(place), now())) !== undefined,

    /**
     * @returns the id that the request created when it was first sent, or undefined if it is new.
     * @throws refusal `idempotency-key-reused`.
     */
    find: async (db: Db, request: KeyedRequest): Promise<number | undefined> => {
      const remembered = await findRetry(db, placeOf(request), now())
      if (remembered && remembered.bodySha256 !== request.bodySha256) throw refuse('idempotency-key-reused')
      return remembered?.madeId
    },

    /**
     * Call it in the transaction that creates the resource, after `find` in the same one. The transaction must have the
     * account as a key, or run alone, so that nobody has used the key in between.
     */
    remember: async (tx: Tx, request: KeyedRequest, madeId: number): Promise<void> => {
      const { accountId, path, keyHash } = placeOf(request)
      const at = now()
      const row = {
        account_id: accountId,
        path,
        key_hash: keyHash,
        body_sha256: request.bodySha256,
        made_id: madeId,
        expires_at: at + rememberedForMs,
      }
      await insertRetry(tx, row, at)
    },

    /** Deletes what is older than a day. @returns how many requests that were. */
    sweep: (db: Db): Promise<number> => deleteExpiredKeys(db, now()),
  }
}

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>

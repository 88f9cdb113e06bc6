// Rules of retries: a request with an Idempotency-Key makes one thing, however often it is sent (contract C18).
import { createHash } from 'node:crypto'
import type { Db, Tx } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { deleteExpiredKeys, findRetry, insertRetry, type RetryPlace } from './retry-table.ts'

/** How long a request may be sent again (contract C18). */
export const rememberedForMs = 24 * 3_600_000

/** Where a key was sent, and by whom. */
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
 * For whatever makes something with an id. Only what was made is remembered, in the transaction that made it: a refused
 * request may be sent again with its key until it succeeds.
 */
export function createIdempotencyKeys(now: () => number) {
  return {
    /** Was the key used there, whatever the body was? */
    isKnown: async (db: Db, place: KeyedPlace): Promise<boolean> =>
      (await findRetry(db, placeOf(place), now())) !== undefined,

    /**
     * @returns the id of what the request made when it was first sent, or undefined where it is new.
     * @throws refusal `idempotency-key-reused`.
     */
    find: async (db: Db, request: KeyedRequest): Promise<number | undefined> => {
      const remembered = await findRetry(db, placeOf(request), now())
      if (remembered && remembered.bodySha256 !== request.bodySha256) throw refuse('idempotency-key-reused')
      return remembered?.madeId
    },

    /**
     * Call in the transaction that makes the thing, after `find` in the same. It must have the account as a key, or run alone:
     * then nobody has used the key since.
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

    /** Forgets what is older than a day. @returns how many requests that were. */
    sweep: (db: Db): Promise<number> => deleteExpiredKeys(db, now()),
  }
}

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>

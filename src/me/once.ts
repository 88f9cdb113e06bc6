// A request with an Idempotency-Key makes one secret, however often it is sent (contract C18).
//
// The answer to the first cannot be given again, since what it showed is stored hashed: a repeat is refused with
// `already-done`, and says when the first was carried out, which is the `createdAt` of what it made.
import { createHash } from 'node:crypto'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import type { Tx } from '../database/database.ts'
import { refuse } from '../errors.ts'
import type { IdempotencyKeys } from '../idempotency/idempotency-keys.ts'

export interface OnceRequest {
  readonly accountId: number
  readonly path: string
  readonly key: string | undefined
  /** As parsed: the same fields with the same values are the same request. */
  readonly body: unknown
}

/**
 * @returns what to do in the transaction that makes the secret, which throws the refusals `already-done`,
 *   `idempotency-key-reused` and `busy`.
 */
export function createOnce(retries: IdempotencyKeys, now: () => number) {
  return function once({ accountId, path, key, body }: OnceRequest) {
    if (key === undefined) return undefined
    const bodySha256 = createHash('sha256').update(JSON.stringify(body)).digest('hex')
    return async (tx: Tx): Promise<void> => {
      const place = { accountId, path, key, bodySha256 }
      const doneAt = await retries.find(tx, place)
      if (doneAt !== undefined) {
        throw refuse('already-done', {
          detail: `This request was already processed, at ${writeTimestamp(doneAt)}.`,
        })
      }
      await retries.remember(tx, place, now())
    }
  }
}

export type Once = ReturnType<typeof createOnce>

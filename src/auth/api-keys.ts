// API keys: `wm_` and 32 random bytes, stored as hashes and shown once. They can only read listed images (contract
// C28).
import { hash, randomBytes } from 'node:crypto'
import { byServer, recordAudit, type AuditActor } from '../accounts/audit/audit.ts'
import { inTransaction, type Db, type Tx } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import {
  createKeyQuery,
  deleteKeys,
  endKey,
  insertKey,
  listKeysOf,
  noteKeyUse,
  type KeyRow,
} from './api-key-table.ts'
import { drawFree } from '../system.ts'
import { visibleName } from './visible-name.ts'

export type { KeyRow } from './api-key-table.ts'

/** The start of the key, stored to tell keys apart: `wm_` and the first eight random characters. */
const prefixLength = 11
/** How stale "last used" may be: updating it with every request would cost a durable write per read. */
const useResolutionMs = 60_000
/** Per account: valid keys, and ended ones that its list still shows. */
export const maxLiveKeys = 100
const maxEndedKeys = 100

export interface KeyRequest {
  readonly name: string
  /** Milliseconds since 1970 UTC; a key without it is valid until it is revoked. */
  readonly expiresAt?: number | undefined
  readonly by?: AuditActor
  /** Further work for the transaction that creates the key. */
  readonly alongside?: ((tx: Tx) => Promise<void>) | undefined
}

export interface KeyRotation {
  readonly by: AuditActor
  /** How long the old key stays valid, up to 7 days. */
  readonly overlapMs: number
  readonly alongside?: KeyRequest['alongside']
}

export interface NewKey {
  /** The key itself; it cannot be had again. */
  readonly apiKey: string
  readonly prefix: string
  readonly name: string
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
  readonly expiresAt: number | null
}

export interface VerifiedKey {
  readonly keyHash: string
  readonly accountId: number
  /** Until when it need not be looked at again: its end, or when its use is to be noted next. */
  readonly until: number
}

const drawKey = (): string => `wm_${randomBytes(32).toString('base64url')}`
export const hashKey = (apiKey: string): string => hash('sha256', apiKey)

/** Does the key open anything at this moment? */
export function keyStatus(
  { revokedAt, expiresAt }: Pick<KeyRow, 'revokedAt' | 'expiresAt'>,
  at: number,
): 'live' | 'expired' | 'revoked' {
  if (revokedAt !== null && revokedAt <= at) return 'revoked'
  return expiresAt !== null && expiresAt <= at ? 'expired' : 'live'
}

export function createApiKeys(db: Db, now: () => number) {
  const findByHash = createKeyQuery(db)
  /**
   * Makes room by deleting keys that ended long ago (the audit log still has them), and refuses if there are too many.
   */
  async function makeRoom(tx: Tx, accountId: number, at: number): Promise<void> {
    const keys = await listKeysOf(tx, accountId)
    const ended = keys.filter((key) => keyStatus(key, at) !== 'live')
    const live = keys.length - ended.length
    if (live >= maxLiveKeys) {
      throw refuse('quota-reached', {
        detail: inEach(({ limits }) => limits.keys(maxLiveKeys, live)),
      })
    }
    const forgotten = ended.slice(0, Math.max(0, ended.length - maxEndedKeys))
    await deleteKeys(
      tx,
      forgotten.map(({ prefix }) => prefix),
    )
  }

  async function insertNew(
    tx: Tx,
    key: { accountId: number; name: string; createdAt: number; expiresAt: number | null },
  ): Promise<NewKey> {
    await makeRoom(tx, key.accountId, key.createdAt)
    const { name, createdAt, expiresAt } = key
    const row = { ...key, expiresAt: expiresAt ?? undefined }
    const prefixOf = (apiKey: string): string => apiKey.slice(0, prefixLength)
    // No two keys share a prefix, since the prefix alone identifies a key to revoke.
    const apiKey = await drawFree('API key prefix', drawKey, (drawn) =>
      insertKey(tx, { ...row, keyHash: hashKey(drawn), prefix: prefixOf(drawn) }),
    )
    return { apiKey, prefix: prefixOf(apiKey), name, createdAt, expiresAt }
  }

  return {
    /** @throws refusals `invalid-field`, `quota-reached`, `read-only`. */
    create: async (accountId: number, request: KeyRequest): Promise<NewKey> => {
      const { expiresAt = null, by = byServer, alongside } = request
      const name = visibleName(request.name)
      return inTransaction(db, async (tx) => {
        await alongside?.(tx)
        const createdAt = now()
        const key = await insertNew(tx, { accountId, name, createdAt, expiresAt })
        const detail = { key: key.prefix, name, expiresAt }
        await recordAudit(tx, { at: createdAt, by, action: 'key.created', accountId, detail })
        return key
      })
    },

    /** Oldest first. */
    list: (accountId: number): Promise<KeyRow[]> => listKeysOf(db, accountId),

    /**
     * Checks that the account has or had such a key, before the body is read (C31). Whether it can still be rotated is
     * checked after repeated requests have been recognised.
     * @throws refusal `invalid-key-prefix`.
     */
    require: async (accountId: number, prefix: string): Promise<void> => {
      const keys = await listKeysOf(db, accountId)
      if (!keys.some((key) => key.prefix === prefix)) throw refuse('invalid-key-prefix')
    },

    /**
     * Creates a key with the same name and expiry, and ends the old one at once or after the overlap.
     * @throws refusals `invalid-key-prefix`, `already-done`, `quota-reached`, `read-only`.
     */
    rotate: (accountId: number, prefix: string, rotation: KeyRotation): Promise<NewKey> =>
      inTransaction(db, async (tx) => {
        const { by, overlapMs, alongside } = rotation
        await alongside?.(tx)
        const at = now()
        const old = (await listKeysOf(tx, accountId)).find((key) => key.prefix === prefix)
        if (!old || keyStatus(old, at) !== 'live') throw refuse('invalid-key-prefix')
        if (old.revokedAt !== null) {
          throw refuse('already-done', {
            detail: 'The key has already been rotated; rotate its successor instead.',
          })
        }
        const endsAt = at + overlapMs
        await endKey(tx, { prefix, ownerId: accountId }, { now: at, endsAt })
        const key = await insertNew(tx, {
          accountId,
          name: old.name,
          createdAt: at,
          expiresAt: old.expiresAt,
        })
        const detail = { key: prefix, successor: key.prefix, endsAt }
        await recordAudit(tx, { at, by, action: 'key.rotated', accountId, detail })
        return key
      }),

    /**
     * Revokes the key permanently; with `ownerId`, only a key of that account. @returns whether there was one to
     * revoke.
     * @throws refusal `read-only`.
     */
    revoke: (prefix: string, by: AuditActor = byServer, ownerId?: number): Promise<boolean> =>
      inTransaction(db, async (tx) => {
        const at = now()
        const ended = await endKey(tx, { prefix, ownerId }, { now: at, endsAt: at })
        if (!ended) return false
        const { accountId } = ended
        await recordAudit(tx, { at, by, action: 'key.revoked', accountId, detail: { key: prefix } })
        return true
      }),

    /**
     * Finds the key by its hash: comparing hashes of a 256-bit secret leaks nothing through timing.
     * @returns undefined if it is unknown, expired or revoked, or its account is suspended.
     */
    verify: async (apiKey: string): Promise<VerifiedKey | undefined> => {
      const keyHash = hashKey(apiKey)
      const row = await findByHash({ keyHash })
      const at = now()
      if (!row || keyStatus(row, at) !== 'live') return undefined
      const isNoted = row.lastUsedAt !== null && row.lastUsedAt >= at - useResolutionMs
      if (!isNoted) await noteKeyUse(db, keyHash, at).catch(() => undefined)
      const usedAt = isNoted ? (row.lastUsedAt ?? at) : at
      const until = Math.min(usedAt + useResolutionMs, row.expiresAt ?? Infinity, row.revokedAt ?? Infinity)
      return { keyHash, accountId: row.accountId, until }
    },
  }
}

export type ApiKeys = ReturnType<typeof createApiKeys>

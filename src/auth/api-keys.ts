// API keys: `wm_` and 32 random bytes, stored hashed, shown once; they read listed images and nothing else (contract C28).
import { createHash, randomBytes } from 'node:crypto'
import type { Db } from '../database/database.ts'
import { findKey, insertKey, listKeysOf, noteKeyUse, revokeKey, type KeyRow } from './api-key-table.ts'

/** Characters of the key that are kept to tell keys apart: `wm_` and the first eight of the random part. */
const prefixLength = 11
/** How stale "last used" may be: writing it at every request would cost a durable write for every read. */
const useResolutionMs = 60_000
/** Two keys never share a prefix, since a prefix alone names a key to revoke; a clash costs one more try. */
const attempts = 5

export interface NewKey {
  /** The key itself; it cannot be had again. */
  readonly apiKey: string
  readonly prefix: string
}

export const hashKey = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex')

export function createApiKeys(db: Db, now: () => number) {
  return {
    /** @param expiresAt milliseconds since 1970 UTC, or undefined for a key that stays until it is revoked. */
    create: async (accountId: number, name: string, expiresAt: number | undefined): Promise<NewKey> => {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const apiKey = `wm_${randomBytes(32).toString('base64url')}`
        const prefix = apiKey.slice(0, prefixLength)
        const isNew = await insertKey(db, {
          keyHash: hashKey(apiKey),
          prefix,
          accountId,
          name,
          createdAt: now(),
          expiresAt,
        })
        if (isNew) return { apiKey, prefix }
      }
      throw new Error(`no free API key prefix in ${attempts} attempts`)
    },

    list: (accountId: number): Promise<KeyRow[]> => listKeysOf(db, accountId),

    /** Revokes at once and for good; says whether a live key had this prefix. */
    revoke: (prefix: string): Promise<boolean> => revokeKey(db, prefix, now()),

    /**
     * The key's row, found by hash: comparing hashes of a 256-bit secret leaks nothing through timing.
     * @returns undefined where it is unknown, expired or revoked.
     */
    verify: async (apiKey: string): Promise<{ keyHash: string; accountId: number } | undefined> => {
      const keyHash = hashKey(apiKey)
      const row = await findKey(db, keyHash)
      const at = now()
      const isLive = row && row.revokedAt === null && (row.expiresAt === null || row.expiresAt > at)
      if (!isLive) return undefined
      if (row.lastUsedAt === null || row.lastUsedAt < at - useResolutionMs)
        await noteKeyUse(db, keyHash, at).catch(() => undefined)
      return { keyHash, accountId: row.accountId }
    },
  }
}

export type ApiKeys = ReturnType<typeof createApiKeys>

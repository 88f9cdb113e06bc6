// Looks up access tokens: opaque, found by hash, believed only as far as the store tells (contract C29, C30).
import type { Db } from '../database/database.ts'
import { findTokenRow, type TokenRow } from './oauth-objects-table.ts'
import { lifetimes } from './oauth-offer.ts'
import { accessTokenKinds, hashId } from './oauth-store.ts'
import { isScope, scopeWords, type Scope } from './scopes.ts'

export interface LiveToken {
  readonly state: 'live'
  readonly clientId: string
  readonly accountId: number
  readonly scopes: ReadonlySet<Scope>
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number
}

/** `unknown` is everything that is no token of ours: never issued, revoked, a code, a key, of a client that is gone. */
export type FoundToken = LiveToken | { readonly state: 'expired' } | { readonly state: 'unknown' }

const unknown: FoundToken = { state: 'unknown' }

const clocksDifferByMs = 60_000
/** The end of a token cannot be further away. */
const longestLifeMs = Math.max(lifetimes.AccessToken, lifetimes.ClientCredentials) * 1_000 + clocksDifferByMs

interface TokenPayload {
  readonly accountId?: string
  readonly scope?: string
}

/** A client-credentials token acts as the client's account; any other as the account that granted it. */
function accountIdOf({ kind, clientAccountId }: TokenRow, { accountId }: TokenPayload): number | undefined {
  if (kind === 'ClientCredentials') return clientAccountId
  const id = Number(accountId)
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

/** What was granted, as far as the client is still registered for it. */
function scopesOf({ clientScope }: TokenRow, { scope = '' }: TokenPayload): ReadonlySet<Scope> {
  const registered = scopeWords(clientScope)
  return new Set(
    scopeWords(scope)
      .filter(isScope)
      .filter((word) => registered.includes(word)),
  )
}

export function createAccessTokens(db: Db, now: () => number) {
  return {
    /** One query by hash. A revoked token has no row; an expired one keeps its row for a while (see sweepExpired). */
    find: async (token: string): Promise<FoundToken> => {
      const row = await findTokenRow(db, accessTokenKinds, hashId(token))
      if (!row || row.expiresAt === null) return unknown
      const payload = JSON.parse(row.payload) as TokenPayload
      const accountId = accountIdOf(row, payload)
      if (accountId === undefined) return unknown
      const left = row.expiresAt - now()
      // Issued by a clock that was ahead, by a year perhaps: it must not open anything for so long.
      if (left <= 0 || left > longestLifeMs) return { state: 'expired' }
      const { clientId, expiresAt } = row
      return { state: 'live', clientId, accountId, scopes: scopesOf(row, payload), expiresAt }
    },
  }
}

export type AccessTokens = ReturnType<typeof createAccessTokens>

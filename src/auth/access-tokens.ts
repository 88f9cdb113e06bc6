// Looks up access tokens: opaque, found by hash, believed only as far as the store tells (contract C29, C30).
import type { Db } from '../database/database.ts'
import type { Role } from '../database/schema.ts'
import { createBoundedCache } from '../shared/bounded-cache.ts'
import { createTokenQuery } from './oauth/oauth-objects-table.ts'
import { lifetimes } from './oauth/oauth-offer.ts'
import { accessTokenKinds, hashId } from './oauth/oauth-store.ts'
import { isScope, scopeWords, type Scope } from './scopes.ts'

export interface LiveToken {
  readonly state: 'live'
  readonly clientId: string
  /** The account's own client by client credentials, an application that the person allowed something, or a trusted issuer. */
  readonly via: 'client' | 'application' | 'issuer'
  readonly accountId: number
  /** The account's at this moment, where the look-up told it along with the token. */
  readonly role?: Role
  /** What the token lends at most, whatever role the account has; undefined where it does not say. */
  readonly maxRole?: Role | undefined
  readonly scopes: ReadonlySet<Scope>
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number
}

/** `unknown` is everything that is no token of ours: never issued, revoked, a code, a key, of a client that is gone. */
export type FoundToken =
  | LiveToken
  | { readonly state: 'expired' }
  | { readonly state: 'unknown'; /** Why not, in a sentence. */ readonly detail?: string }

const unknown: FoundToken = { state: 'unknown' }

const clocksDifferByMs = 60_000
/** The end of a token cannot be further away. */
const maxLifeMs = Math.max(lifetimes.AccessToken, lifetimes.ClientCredentials) * 1_000 + clocksDifferByMs

interface TokenPayload {
  readonly scope?: string
}

/** What was granted, as far as the client is still registered for it. */
function scopesOf(clientScope: string, scope: string): ReadonlySet<Scope> {
  const registered = scopeWords(clientScope)
  return new Set(
    scopeWords(scope)
      .filter(isScope)
      .filter((word) => registered.includes(word)),
  )
}

/** There are few of them, and working one out costs as much as a third of the look-up. */
const maxScopesKept = 1_000

function createScopeMemory() {
  const known = createBoundedCache<ReadonlySet<Scope>>({ max: maxScopesKept })
  return (clientScope: string, scope: string): ReadonlySet<Scope> => {
    const key = `${clientScope}\n${scope}`
    const kept = known.get(key)
    if (kept) return kept
    const scopes = scopesOf(clientScope, scope)
    known.set(key, scopes)
    return scopes
  }
}

export function createAccessTokens(db: Db, now: () => number) {
  const findToken = createTokenQuery(db, accessTokenKinds)
  const scopesIn = createScopeMemory()
  return {
    /** One query by hash. A revoked token has no row; an expired one keeps its row for a while (see sweepExpired). */
    find: async (token: string): Promise<FoundToken> => {
      const row = await findToken({ idHash: hashId(token) })
      if (!row || row.expiresAt === null) return unknown
      const left = row.expiresAt - now()
      // Issued by a clock that was ahead, by a year perhaps: it must not open anything for so long.
      if (left <= 0 || left > maxLifeMs) return { state: 'expired' }
      const { clientId, accountId, role, expiresAt } = row
      const { scope = '' } = JSON.parse(row.payload) as TokenPayload
      const via = row.kind === 'ClientCredentials' ? 'client' : 'application'
      return {
        state: 'live',
        clientId,
        via,
        accountId,
        role,
        scopes: scopesIn(row.clientScope, scope),
        expiresAt,
      }
    },
  }
}

export type AccessTokens = ReturnType<typeof createAccessTokens>

// Looks up access tokens, which are opaque and found by their hash (contract C29, C30).
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
  /** The account's own client by client credentials, an application that the user authorized, or a trusted issuer. */
  readonly via: 'client' | 'application' | 'issuer'
  readonly accountId: number
  /** The account's current role, if the look-up returned it with the token. */
  readonly role?: Role
  /** The highest role the token allows, whatever role the account has; undefined if it sets no limit. */
  readonly maxRole?: Role | undefined
  readonly scopes: ReadonlySet<Scope>
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number
}

/** `unknown` means any token that is not ours: never issued, revoked, a code, a key, or of a client that was deleted. */
export type FoundToken =
  | LiveToken
  | { readonly state: 'expired' }
  | { readonly state: 'unknown'; /** Why not, in a sentence. */ readonly detail?: string }

const unknown: FoundToken = { state: 'unknown' }

const clocksDifferByMs = 60_000
/** No token can expire later than this. */
const maxLifeMs = Math.max(lifetimes.AccessToken, lifetimes.ClientCredentials) * 1_000 + clocksDifferByMs

interface TokenPayload {
  readonly scope?: string
}

/** The granted scopes for which the client is still registered. */
function scopesOf(clientScope: string, scope: string): ReadonlySet<Scope> {
  const registered = scopeWords(clientScope)
  return new Set(
    scopeWords(scope)
      .filter(isScope)
      .filter((word) => registered.includes(word)),
  )
}

/** There are few distinct scope texts, and parsing one costs a third of the look-up. */
const maxScopesKept = 1_000

function createScopeMemory() {
  const known = createBoundedCache<ReadonlySet<Scope>>({ max: maxScopesKept })
  return (clientScope: string, scope: string): ReadonlySet<Scope> => {
    const key = `${clientScope}\n${scope}`
    const cached = known.get(key)
    if (cached) return cached
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
      // Issued by a clock that was ahead, perhaps by a year: it must not stay valid that long.
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

// Tokens whose signature was verified recently, so that the next request costs a hash instead of a verification.
import { createHash } from 'node:crypto'
import { createBoundedCache, type BoundedCache, type CacheValue } from '../../shared/bounded-cache.ts'

const maxTokens = 1_000

export interface VerifiedTokens<Keys extends object, Claims extends CacheValue> {
  find(keys: Keys, token: string): Claims | undefined
  remember(keys: Keys, token: string, claims: Claims): void
}

/**
 * Entries belong to the current keys only: when keys are fetched again, the cache is cleared, so a withdrawn key stops
 * working. Callers check times, account, role and scopes each time.
 */
export function createVerifiedTokens<Keys extends object, Claims extends CacheValue>(): VerifiedTokens<
  Keys,
  Claims
> {
  let present: { readonly keys: Keys; readonly claims: BoundedCache<Claims> } | undefined
  // A token is a secret, so only its hash is stored.
  const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

  return {
    find: (keys, token) => (present?.keys === keys ? present.claims.get(hashOf(token)) : undefined),

    remember: (keys, token, claims) => {
      if (present?.keys !== keys) present = { keys, claims: createBoundedCache({ max: maxTokens }) }
      present.claims.set(hashOf(token), claims)
    },
  }
}

// Tokens whose signature was checked lately, so that the next request with one costs a hash instead (bench/ says how much).
import { createHash } from 'node:crypto'
import { createBoundedCache, type BoundedCache, type CacheValue } from '../../shared/bounded-cache.ts'

const maxTokens = 1_000

export interface VerifiedTokens<Keys extends object, Claims extends CacheValue> {
  find(keys: Keys, token: string): Claims | undefined
  remember(keys: Keys, token: string, claims: Claims): void
}

/**
 * Remembers what was verified with the present keys only: once they are fetched anew, nothing is left, and a key that
 * was withdrawn opens nothing. Times, accounts, roles and scopes are for whoever asks to check each time.
 */
export function createVerifiedTokens<Keys extends object, Claims extends CacheValue>(): VerifiedTokens<
  Keys,
  Claims
> {
  let present: { readonly keys: Keys; readonly claims: BoundedCache<Claims> } | undefined
  // A token is a secret: what is kept is its hash.
  const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

  return {
    find: (keys, token) => (present?.keys === keys ? present.claims.get(hashOf(token)) : undefined),

    remember: (keys, token, claims) => {
      if (present?.keys !== keys) present = { keys, claims: createBoundedCache({ max: maxTokens }) }
      present.claims.set(hashOf(token), claims)
    },
  }
}

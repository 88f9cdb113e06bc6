// A credential that keeps itself fresh: one refresh at a time, a little before the token ends.
import type { Tokens } from './oauth.ts'

export interface TokenSourceOptions {
  /** Gives new tokens, such as `({ refreshToken }) => oauth.refresh(refreshToken)` or `() => oauth.clientCredentials()`. */
  readonly refresh: (tokens: Tokens) => Promise<Tokens>
  /** Keep them: the refresh token before works no more. */
  readonly onTokens?: ((tokens: Tokens) => void | Promise<void>) | undefined
}

/** As long as a slow request may take to arrive. */
const marginMs = 60_000

export function createTokenSource(first: Tokens, { refresh, onTokens }: TokenSourceOptions) {
  let tokens = first
  let underWay: Promise<Tokens> | undefined

  async function renew(): Promise<Tokens> {
    tokens = await refresh(tokens)
    await onTokens?.(tokens)
    return tokens
  }

  /** Whoever comes while a refresh is under way waits for it: two with one refresh token would look like theft. */
  function renewOnce(): Promise<Tokens> {
    underWay ??= renew().finally(() => {
      underWay = undefined
    })
    return underWay
  }

  return {
    /** For `createWaymark({ credential: source })`. */
    bearer: async ({ refused }: { refused?: string } = {}): Promise<string> => {
      const isStale = Date.now() > tokens.expiresAt - marginMs || refused === tokens.accessToken
      return (underWay || isStale ? await renewOnce() : tokens).accessToken
    },
    /** As they are now. */
    tokens: (): Tokens => tokens,
  }
}

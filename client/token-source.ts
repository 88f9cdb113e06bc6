// A credential that refreshes itself: one refresh at a time, shortly before the token expires.
import type { Tokens } from './oauth.ts'

export interface TokenSourceOptions {
  /**
   * Gets new tokens, such as `({ refreshToken }) => oauth.refresh(refreshToken)` or `() =>
   * oauth.clientCredentials()`.
   */
  readonly refresh: (tokens: Tokens) => Promise<Tokens>
  /** Store them: the previous refresh token no longer works. */
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

  /** Callers during a refresh share it: using the same refresh token twice would look like theft. */
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
    /** The current tokens. */
    tokens: (): Tokens => tokens,
  }
}

// Link tokens for routes with visibility `link`: stored as hashes, and derived from the secret, so that owners can
// see them again.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The link's columns in the row of a route; both null if there is no link. */
export interface StoredLink {
  readonly linkHash: string | null
  readonly linkNonce: string | null
}

export interface LinkColumns {
  readonly link_hash: string | null
  readonly link_nonce: string | null
}

export const noLink: LinkColumns = { link_hash: null, link_nonce: null }

/** 32 characters: the log redacts strings of this length, in case one is pasted into a path. */
const tokenBytes = 24

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** Is the token valid for the route? */
export function isLinkToken(token: string, { linkHash }: Pick<StoredLink, 'linkHash'>): boolean {
  if (linkHash === null) return false
  const [one, other] = [Buffer.from(hashOf(token)), Buffer.from(linkHash)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** @param keys of SECRET_FILE, newest first. */
export function createLinkTokens(keys: readonly Buffer[]) {
  const [newest] = keys
  if (!newest) throw new Error('Link tokens take a secret.')
  const tokenOf = (key: Buffer, nonce: string): string =>
    createHmac('sha256', key).update(nonce).digest().subarray(0, tokenBytes).toString('base64url')

  return {
    /** For a new link, different from all earlier ones of any route. */
    make: (): LinkColumns => {
      const nonce = randomBytes(18).toString('base64url')
      return { link_hash: hashOf(tokenOf(newest, nonce)), link_nonce: nonce }
    },

    /**
     * The token of the route's link. Undefined if there is no link, or if it can no longer be shown: from before
     * migration 0010, or created with a secret that is no longer in SECRET_FILE. Such a link still works.
     */
    find: ({ linkHash, linkNonce }: StoredLink): string | undefined => {
      if (linkHash === null || linkNonce === null) return undefined
      return keys.map((key) => tokenOf(key, linkNonce)).find((token) => isLinkToken(token, { linkHash }))
    },
  }
}

export type LinkTokens = ReturnType<typeof createLinkTokens>

// The tokens of routes of visibility `link`: stored as hashes, and derived from the secret, so that owners see them again.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What the row of a route holds of its link; both null where there is none. */
export interface StoredLink {
  readonly linkHash: string | null
  readonly linkNonce: string | null
}

export interface LinkColumns {
  readonly link_hash: string | null
  readonly link_nonce: string | null
}

export const noLink: LinkColumns = { link_hash: null, link_nonce: null }

/** 32 characters: as many as the log takes for a secret, should somebody paste one into a path. */
const tokenBytes = 24

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** Does the token open the route? */
export function isLinkToken(token: string, { linkHash }: Pick<StoredLink, 'linkHash'>): boolean {
  if (linkHash === null) return false
  const [one, other] = [Buffer.from(hashOf(token)), Buffer.from(linkHash)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** @param keys of SECRET_FILE, the newest first. */
export function createLinkTokens(keys: readonly Buffer[]) {
  const [newest] = keys
  if (!newest) throw new Error('Link tokens take a secret.')
  const tokenOf = (key: Buffer, nonce: string): string =>
    createHmac('sha256', key).update(nonce).digest().subarray(0, tokenBytes).toString('base64url')

  return {
    /** Of a new link, which no earlier link of any route equals. */
    make: (): LinkColumns => {
      const nonce = randomBytes(18).toString('base64url')
      return { link_hash: hashOf(tokenOf(newest, nonce)), link_nonce: nonce }
    },

    /**
     * The token of the route's link. Undefined where there is no link, and where there is one that nobody can show any
     * more: from before migration 0010, or made with a secret that is no longer in SECRET_FILE. It opens all the same.
     */
    find: ({ linkHash, linkNonce }: StoredLink): string | undefined => {
      if (linkHash === null || linkNonce === null) return undefined
      return keys.map((key) => tokenOf(key, linkNonce)).find((token) => isLinkToken(token, { linkHash }))
    },
  }
}

export type LinkTokens = ReturnType<typeof createLinkTokens>

// Verifies access tokens (JWT) of trusted issuers: signature, audience, times, token type (C29, C30).
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import type { JWTPayload, JWTVerifyGetKey, ProtectedHeaderParameters } from 'jose'
import { Refusal } from '../../errors.ts'
import type { AccessTokens, FoundToken } from '../access-tokens.ts'
import type { ExternalIdentities } from './external-identities.ts'
import { createIssuerKeys, type IssuerKeys } from './issuer-keys.ts'
import { highestRole } from '../roles.ts'
import { isScope, scopeWords, type Scope } from '../scopes.ts'
import type { TrustedIssuer } from './trusted-issuer.ts'
import { createVerifiedTokens, type VerifiedTokens } from './verified-tokens.ts'

/** The clock difference that is tolerated. */
const toleranceSeconds = 60
/** These tokens cannot be revoked here, so one with a longer lifetime is refused. */
const maxLifeSeconds = 24 * 60 * 60

export interface TrustedIssuersDependencies {
  readonly issuers: readonly TrustedIssuer[]
  readonly identities: ExternalIdentities
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  /** How long an issuer may take to respond. */
  readonly waitMs?: number
}

interface Trusted {
  readonly entry: TrustedIssuer
  readonly keys: IssuerKeys<JWTVerifyGetKey>
  readonly verified: VerifiedTokens<JWTVerifyGetKey, JWTPayload>
}

const refused = (detail: string): FoundToken => ({ state: 'unknown', detail })

/** Three parts in base64url, the last of which is empty in an unsigned token. Our own tokens contain no dot. */
const isJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)

/** The claims of the token, before anything is verified. */
function unchecked(token: string): { header: ProtectedHeaderParameters; issuer: unknown } | undefined {
  try {
    return { header: decodeProtectedHeader(token), issuer: decodeJwt(token).iss }
  } catch {
    return undefined
  }
}

/** RFC 9068 names at+jwt; most issuers still write JWT or nothing. Any other type is not an access token. */
function isAccessTokenType(typ: unknown): boolean {
  if (typ === undefined) return true
  return typeof typ === 'string' && /^(?:application\/)?(?:at\+jwt|jwt)$/i.test(typ)
}

/** Claims that only ID tokens and logout tokens have. */
const claimsOfOthers = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'] as const

/**
 * Why a token that the issuer signed for us is not an access token. An ID token without any of these marks cannot be
 * told from one, but it has no scopes, so it allows nothing.
 */
function kindFault({ typ }: ProtectedHeaderParameters, claims: JWTPayload): string | undefined {
  const mark = claimsOfOthers.find((name) => claims[name] !== undefined)
  if (mark !== undefined)
    return `The token contains ${mark}, so it is an ID token or similar, not an access token.`
  const isSaidToBeAccessToken = typeof typ === 'string' && /at\+jwt$/i.test(typ)
  const { azp, aud } = claims
  // The audience of an ID token is the application that fetched it; that of an access token is us.
  if (!isSaidToBeAccessToken && typeof azp === 'string' && [aud].flat().every((audience) => audience === azp))
    return 'The audience of the token is the application itself, so it is not an access token.'
  // Its holder would have to prove possession of a key (DPoP, mutual TLS), which we do not check: a stolen one would
  // work.
  if (claims['cnf'] !== undefined)
    return 'The token is bound to a key (cnf); proof of possession is not supported.'
  return undefined
}

function timeFault({ exp = 0, iat, nbf }: JWTPayload, nowSeconds: number): string | undefined {
  const issuedAt = iat ?? nbf ?? nowSeconds
  if (issuedAt > nowSeconds + toleranceSeconds) return 'The access token was issued in the future.'
  const isTooLong = exp - issuedAt > maxLifeSeconds
  return isTooLong ? 'The access token is valid for more than 24 hours.' : undefined
}

/** The scopes in `scope` or `scp`, which some issuers send as a list and others as text. */
function scopesOf({ scopes: cap }: TrustedIssuer, { scope, scp }: JWTPayload): ReadonlySet<Scope> {
  const words = [scope ?? scp]
    .flat()
    .filter((item) => typeof item === 'string')
    .flatMap(scopeWords)
  return new Set(words.filter(isScope).filter((word) => cap.has(word)))
}

function maxRoleOf({ roleClaim, roles }: TrustedIssuer, claims: JWTPayload) {
  if (roleClaim === undefined) return undefined
  const values = [claims[roleClaim]].flat()
  return highestRole(values.flatMap((value) => (typeof value === 'string' ? (roles.get(value) ?? []) : [])))
}

/** What is wrong, in a sentence that reveals no more than the token itself. */
function whyNot(error: unknown): FoundToken {
  if (error instanceof errors.JWTExpired) return { state: 'expired' }
  if (error instanceof errors.JWTClaimValidationFailed)
    return refused(`The claim ${error.claim} of the access token is missing or invalid.`)
  if (error instanceof errors.JWKSNoMatchingKey)
    return refused('The access token is signed with a key that its issuer does not publish.')
  if (error instanceof errors.JOSEAlgNotAllowed)
    return refused('The access token is signed with an algorithm that is not allowed.')
  return refused('The access token could not be verified.')
}

async function verify({ entry, keys, verified }: Trusted, token: string, now: number): Promise<JWTPayload> {
  const options = {
    algorithms: [...entry.algorithms],
    issuer: entry.issuer,
    audience: [...entry.audience],
    requiredClaims: ['exp'],
    clockTolerance: toleranceSeconds,
    currentDate: new Date(now),
  }
  const check = async (by: JWTVerifyGetKey): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(token, by, options)
    verified.remember(by, token, payload)
    return payload
  }
  const known = await keys.current()
  const seen = verified.find(known, token)
  if (seen) return seen
  try {
    return await check(known)
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
    const newer = await keys.newerThan(known)
    if (!newer) throw error
    return check(newer)
  }
}

export function createTrustedIssuers({ issuers, identities, now, waitMs }: TrustedIssuersDependencies) {
  const read = (document: { keys: Record<string, unknown>[] }): JWTVerifyGetKey => createLocalJWKSet(document)
  const trusted = new Map<unknown, Trusted>(
    issuers.map((entry) => {
      const { issuer } = entry
      const keys = createIssuerKeys({ issuer, read, now, ...(waitMs && { waitMs }) })
      return [issuer, { entry, keys, verified: createVerifiedTokens() }]
    }),
  )

  async function find(token: string): Promise<FoundToken> {
    const unverified = unchecked(token)
    const issuer = unverified && trusted.get(unverified.issuer)
    if (!issuer) return refused('The issuer of the access token is not trusted.')
    const { entry } = issuer
    // Checked before any key is fetched: strangers must not make us contact an issuer for a token that cannot be valid.
    if (!entry.algorithms.some((algorithm) => algorithm === unverified.header.alg))
      return whyNot(new errors.JOSEAlgNotAllowed())
    if (!isAccessTokenType(unverified.header.typ))
      return refused('The type of the token is not that of an access token.')
    let claims: JWTPayload
    try {
      claims = await verify(issuer, token, now())
    } catch (error) {
      if (error instanceof Refusal) throw error
      return whyNot(error)
    }
    // Verified earlier, so it may have expired since; nothing else about its times can change.
    if ((claims.exp ?? 0) <= now() / 1_000 - toleranceSeconds) return { state: 'expired' }
    const fault = timeFault(claims, now() / 1_000) ?? kindFault(unverified.header, claims)
    if (fault !== undefined) return refused(fault)
    return {
      state: 'live',
      clientId: entry.issuer, // never one of ours, whatever client the token names
      via: 'issuer',
      accountId: await identities.accountOf(entry, claims),
      maxRole: maxRoleOf(entry, claims),
      scopes: scopesOf(entry, claims),
      expiresAt: (claims.exp ?? 0) * 1_000,
    }
  }

  return {
    /** Tokens that look like a JWT are checked with the issuers; all others are looked up as our own. */
    beside: (own: AccessTokens): AccessTokens => ({
      find: (token) => (trusted.size > 0 && isJwt(token) ? find(token) : own.find(token)),
    }),
  }
}

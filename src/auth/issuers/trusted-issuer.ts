// Settings of an issuer whose access tokens are accepted beside our own (contract C29, D2).
import { isIP } from 'node:net'
import type { Role } from '../../database/schema.ts'
import type { Scope } from '../scopes.ts'

/** Asymmetric algorithms only: with a shared secret, anyone who can verify a token can create one. */
export const issuerAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

export type IssuerAlgorithm = (typeof issuerAlgorithms)[number]

export const standardAlgorithms: readonly IssuerAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']

export interface TrustedIssuer {
  /** Exactly as in the `iss` claim of its tokens. */
  readonly issuer: string
  /** One of these must be in `aud`. */
  readonly audience: readonly string[]
  readonly algorithms: readonly IssuerAlgorithm[]
  /** The claim that holds the acctID in digits; undefined if accounts are found by links only. */
  readonly accountClaim: string | undefined
  /** If set, a token gives at most the highest role that a value of this claim maps to. */
  readonly roleClaim: string | undefined
  readonly roles: ReadonlyMap<string, Role>
  /** The maximum scopes of a token of this issuer. */
  readonly scopes: ReadonlySet<Scope>
  /** Whether a user without a linked account gets one at the first request. */
  readonly createAccounts: boolean
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  )
}

/**
 * Whether Waymark may fetch from this URL: https, or http on this machine. The host must be plain ASCII, so that the
 * resolved name, the name in the certificate and the configured name cannot differ.
 */
export function isIssuerAddress({ protocol, hostname, username, password }: URL): boolean {
  const isPlainHost = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/.test(hostname)
  if (!isPlainHost || hostname.includes('..') || username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

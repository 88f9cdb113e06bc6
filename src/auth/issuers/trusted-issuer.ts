// What the operator says of an issuer whose access tokens are accepted beside our own (contract C29, D2).
import { isIP } from 'node:net'
import type { Role } from '../../database/schema.ts'
import type { Scope } from '../scopes.ts'

/** Asymmetric ones only: with a shared secret, whoever can check a token can make one. */
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
  /** Letter for letter as the tokens hold it in `iss`. */
  readonly issuer: string
  /** One of these must be in `aud`. */
  readonly audience: readonly string[]
  readonly algorithms: readonly IssuerAlgorithm[]
  /** The claim that holds the acctID in digits; undefined where links alone decide whose token it is. */
  readonly accountClaim: string | undefined
  /** Where it is set, a token lends at most the highest role that a value of this claim maps to. */
  readonly roleClaim: string | undefined
  readonly roles: ReadonlyMap<string, Role>
  /** The most that a token of this issuer may open. */
  readonly scopes: ReadonlySet<Scope>
  /** Whether a person whom nobody linked gets an account at the first request. */
  readonly createAccounts: boolean
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  )
}

/**
 * Whether Waymark may ask at this address: https, or http on this very machine. The host is of plain letters, so that
 * the name that is resolved, the one in the certificate and the one that was configured cannot differ.
 */
export function isIssuerAddress({ protocol, hostname, username, password }: URL): boolean {
  const isPlainHost = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/.test(hostname)
  if (!isPlainHost || hostname.includes('..') || username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

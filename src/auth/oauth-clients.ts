// Registered OAuth clients: the rules for making one, and what the provider is told about it (contract C29, D4).
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import type { Db } from '../database/database.ts'
import { refuse, type Refusal } from '../errors.ts'
import { findClientRow, insertClient, isAccount, type ClientRow } from './oauth-clients-table.ts'
import { isScope, scopes, scopeWords } from './scopes.ts'

const mostNameCharacters = 200
const mostRedirectUris = 20
const mostUriCharacters = 2_000

export interface NewClient {
  readonly accountId: number
  readonly name: string
  /** Scopes it may ask for, separated by spaces. */
  readonly scope: string
  /** Milliseconds since 1970 UTC. */
  readonly now: number
  /** A public client keeps no secret: an application in a browser or on a phone. */
  readonly isPublic: boolean
  readonly redirectUris: readonly string[]
}

export interface RegisteredClient {
  readonly clientId: string
  /** For a confidential client; it cannot be had again. */
  readonly clientSecret?: string
}

const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

const invalid = (detail: string): Refusal => refuse('invalid-field', { detail })

function checkedScope(text: string): string {
  const words = scopeWords(text)
  const unknown = words.find((word) => !isScope(word))
  if (unknown !== undefined) throw invalid(`scope: ${unknown} is none; the scopes are ${scopes.join(' ')}.`)
  if (words.length === 0) throw invalid(`scope: name at least one of ${scopes.join(' ')}.`)
  return words.join(' ')
}

/** RFC 8252 section 7.3: an application on the user's own machine listens there, without TLS. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost'
}

/** Printable ASCII only: what a parser would drop or turn round (tabs, backslashes) must not hide another host. */
function checkedRedirectUri(text: string): string {
  const rule = 'must be an https address, or http on a loopback host, without fragment, user or password'
  const isPlain = /^https?:\/\/[\x21\x23-\x5b\x5d-\x7e]+$/.test(text) && text.length <= mostUriCharacters
  const uri = isPlain ? URL.parse(text) : null
  const isSafe = uri && !text.includes('#') && uri.username === '' && uri.password === ''
  if (!isSafe || (uri.protocol !== 'https:' && !isLoopback(uri)))
    throw invalid(`redirectUris: ${text} ${rule}.`)
  return text
}

function checkedRedirectUris({ isPublic, redirectUris }: NewClient): string[] {
  if (!isPublic && redirectUris.length > 0) {
    throw invalid('redirectUris: only a public client signs people in, and so needs any.')
  }
  if (isPublic && redirectUris.length === 0)
    throw invalid('redirectUris: a public client needs at least one.')
  if (redirectUris.length > mostRedirectUris) throw invalid(`redirectUris: at most ${mostRedirectUris}.`)
  return [...new Set(redirectUris.map(checkedRedirectUri))]
}

/**
 * Registers a client.
 * @throws refusals `invalid-field`, `invalid-account-id`.
 */
export async function registerClient(db: Db, client: NewClient): Promise<RegisteredClient> {
  const scope = checkedScope(client.scope)
  const redirectUris = checkedRedirectUris(client)
  const name = client.name.trim()
  if (name === '' || Array.from(name).length > mostNameCharacters) {
    throw invalid(`name: 1 to ${mostNameCharacters} characters.`)
  }
  if (!(await isAccount(db, client.accountId))) throw refuse('invalid-account-id')

  const clientId = `wmc_${randomBytes(16).toString('base64url')}`
  const clientSecret = client.isPublic ? undefined : `wms_${randomBytes(32).toString('base64url')}`
  await insertClient(db, {
    id: clientId,
    accountId: client.accountId,
    name,
    secretHash: clientSecret === undefined ? null : hashSecret(clientSecret).toString('hex'),
    scope,
    redirectUris: JSON.stringify(redirectUris),
    createdAt: client.now,
  })
  return clientSecret === undefined ? { clientId } : { clientId, clientSecret }
}

/**
 * A native client may come back on any loopback port (RFC 8252); the provider refuses https on a loopback host for
 * it, so a client with such an address counts as a web one, whose addresses match exactly.
 */
function applicationType(redirectUris: readonly string[]): 'native' | 'web' {
  const loopback = redirectUris.map((uri) => new URL(uri)).filter(isLoopback)
  return loopback.length > 0 && loopback.every(({ protocol }) => protocol === 'http:') ? 'native' : 'web'
}

function metadataOf({ id, name, scope, secretHash, ...row }: ClientRow): AdapterPayload {
  const common = { client_id: id, client_name: name, scope }
  if (secretHash !== null) {
    return {
      ...common,
      // The hash stands where the provider keeps a secret; `isClientSecret` is how it compares.
      client_secret: secretHash,
      // The provider takes either secret method, header or body, from a client registered for one of them.
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
    }
  }
  const redirectUris = JSON.parse(row.redirectUris) as string[]
  return {
    ...common,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: redirectUris,
    application_type: applicationType(redirectUris),
  }
}

/** The client as the provider wants it; undefined where it is unknown or its account is gone. */
export async function findClient(db: Db, clientId: string): Promise<AdapterPayload | undefined> {
  const row = await findClientRow(db, clientId)
  return row && metadataOf(row)
}

/** Compares hashes of equal length in constant time, so that timing tells nothing. */
export function isClientSecret(secret: string, secretHash: string): boolean {
  const expected = Buffer.from(secretHash, 'hex')
  const actual = hashSecret(secret)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

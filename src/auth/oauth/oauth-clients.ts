// Registered OAuth clients: the rules for creating one, and its description for the provider (contract C29, D4).
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import { byServer, recordAudit, type AuditActor } from '../../accounts/audit/audit.ts'
import { inTransaction, type Db, type Tx } from '../../database/database.ts'
import { refuse, type Refusal } from '../../errors.ts'
import {
  deleteClient,
  findClientRow,
  insertClient,
  isAccount,
  replaceClientOrigins,
  updateClient,
  type ClientRow,
} from './oauth-clients-table.ts'
import { deleteObjectsOfClient } from './oauth-objects-table.ts'
import { deviceGrant, type GrantType } from './oauth-offer.ts'
import { isScope, scopes, scopeWords } from '../scopes.ts'
import { visibleName } from '../visible-name.ts'

const maxRedirectUris = 20
const maxUriCharacters = 2_000

export interface NewClient {
  readonly accountId: number
  readonly name: string
  /** Scopes it may request, separated by spaces. */
  readonly scope: string
  /** Milliseconds since 1970 UTC. */
  readonly now: number
  /** A public client has no secret: an application in a browser, on a phone or in a terminal. */
  readonly isPublic: boolean
  /** Its redirect URIs; a client without any can sign users in by device code only. */
  readonly redirectUris: readonly string[]
  readonly by?: AuditActor
  /**
   * Whether its redirect URIs are approved, so that users who never granted it anything may also be redirected there
   * (oauth-forwarding.ts). By default true if the operator registers it.
   */
  readonly isApproved?: boolean
  /** Further work for the transaction that registers it. */
  readonly alongside?: ((tx: Tx) => Promise<void>) | undefined
}

export interface RegisteredClient {
  readonly clientId: string
  /** Of a confidential client; it cannot be shown again. */
  readonly clientSecret?: string
}

const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

const invalid = (detail: string): Refusal => refuse('invalid-field', { detail })

function checkedScope(text: string): string {
  const words = scopeWords(text)
  const unknown = words.find((word) => !isScope(word))
  if (unknown !== undefined)
    throw invalid(`scope: ${unknown} is unknown; the scopes are ${scopes.join(' ')}.`)
  if (words.length === 0) throw invalid(`scope must have at least one of ${scopes.join(' ')}.`)
  return words.join(' ')
}

/** RFC 8252 section 7.3: an application on the user's own machine listens there, without TLS. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost'
}

/**
 * Printable ASCII only: characters that a parser would drop or convert (tabs, backslashes) must not hide another host.
 */
function checkedRedirectUri(text: string): string {
  const rule = 'must be an https URL, or http on a loopback host, without fragment, user or password'
  const isPlain = /^https?:\/\/[\x21\x23-\x5b\x5d-\x7e]+$/.test(text) && text.length <= maxUriCharacters
  const uri = isPlain ? URL.parse(text) : null
  const isSafe = uri && !text.includes('#') && uri.username === '' && uri.password === ''
  if (!isSafe || (uri.protocol !== 'https:' && !isLoopback(uri)))
    throw invalid(`redirectUris: ${text} ${rule}.`)
  return text
}

function checkedRedirectUris(redirectUris: readonly string[]): string[] {
  if (redirectUris.length > maxRedirectUris)
    throw invalid(`redirectUris may have at most ${maxRedirectUris} items.`)
  return [...new Set(redirectUris.map(checkedRedirectUri))]
}

const newSecret = (): string => `wms_${randomBytes(32).toString('base64url')}`

/** Pages of these origins may call the token endpoint and the API (contract D2). */
const originsOf = (redirectUris: readonly string[]): string[] => [
  ...new Set(redirectUris.map((uri) => new URL(uri).origin)),
]

/**
 * Registers a client.
 * @throws refusals `invalid-field`, `invalid-account-id`, `read-only`.
 */
export async function registerClient(db: Db, client: NewClient): Promise<RegisteredClient> {
  const { accountId, isPublic, now, by = byServer, isApproved = by.accountId === null } = client
  const scope = checkedScope(client.scope)
  const redirectUris = checkedRedirectUris(client.redirectUris)
  const name = visibleName(client.name)
  const clientId = `wmc_${randomBytes(16).toString('base64url')}`
  const clientSecret = isPublic ? undefined : newSecret()
  await inTransaction(db, async (tx) => {
    await client.alongside?.(tx)
    if (!(await isAccount(tx, accountId))) throw refuse('invalid-account-id')
    await insertClient(tx, {
      id: clientId,
      accountId,
      name,
      secretHash: clientSecret === undefined ? null : hashSecret(clientSecret).toString('hex'),
      scope,
      redirectUris: JSON.stringify(redirectUris),
      createdAt: now,
      approvedAt: isApproved ? now : null,
    })
    await replaceClientOrigins(tx, clientId, originsOf(redirectUris))
    const detail = { client: clientId, name, scope, redirectUris, isPublic, isApproved }
    await recordAudit(tx, { at: now, by, action: 'client.created', accountId, detail })
  })
  return clientSecret === undefined ? { clientId } : { clientId, clientSecret }
}

export interface ClientChange {
  readonly name?: string | undefined
  readonly scope?: string | undefined
  readonly redirectUris?: readonly string[] | undefined
  readonly isApproved?: boolean | undefined
}

/** Who makes the change; `ownerId` limits it to clients of that account. */
export interface ClientChanger {
  readonly by: AuditActor
  /** Milliseconds since 1970 UTC. */
  readonly now: number
  readonly ownerId?: number
  /** Further work for the transaction of the change. */
  readonly alongside?: ((tx: Tx) => Promise<void>) | undefined
}

export interface ClientEditor extends ClientChanger {
  /**
   * Whether an approval survives the change: only if an admin or the operator makes it, since they could approve it
   * again.
   */
  readonly mayApprove: boolean
}

async function requireClient(tx: Tx, clientId: string, { ownerId }: ClientChanger): Promise<ClientRow> {
  const row = await findClientRow(tx, clientId)
  if (!row || (ownerId !== undefined && row.accountId !== ownerId)) throw refuse('invalid-client-id')
  return row
}

/** An approval covers the URIs that were reviewed, so adding one ends it, unless an admin does so. */
function approvalAfter(
  before: ClientRow,
  { isApproved, redirectUris }: { isApproved: boolean | undefined; redirectUris: readonly string[] },
  { mayApprove, now }: ClientEditor,
): number | null {
  if (isApproved !== undefined) return isApproved ? (before.approvedAt ?? now) : null
  const known = JSON.parse(before.redirectUris) as string[]
  const isMore = redirectUris.some((uri) => !known.includes(uri))
  return isMore && !mayApprove ? null : before.approvedAt
}

/**
 * Changes a client. Its tokens lose the scopes that are no longer registered.
 * @throws refusals `invalid-client-id`, `invalid-field`, `read-only`.
 */
export async function changeClient(
  db: Db,
  clientId: string,
  change: ClientChange,
  changer: ClientEditor,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await changer.alongside?.(tx)
    const before = await requireClient(tx, clientId, changer)
    const known = JSON.parse(before.redirectUris) as string[]
    const name = change.name === undefined ? before.name : visibleName(change.name)
    const scope = change.scope === undefined ? before.scope : checkedScope(change.scope)
    const redirectUris = change.redirectUris === undefined ? known : checkedRedirectUris(change.redirectUris)
    const approvedAt = approvalAfter(before, { isApproved: change.isApproved, redirectUris }, changer)
    await updateClient(tx, clientId, { name, scope, redirectUris: JSON.stringify(redirectUris), approvedAt })
    await replaceClientOrigins(tx, clientId, originsOf(redirectUris))
    const entry = { at: changer.now, by: changer.by, accountId: before.accountId }
    const detail = { client: clientId, name, scope, redirectUris }
    const { isApproved: _, ...changed } = change
    if (Object.values(changed).some((value) => value !== undefined))
      await recordAudit(tx, { ...entry, action: 'client.changed', detail })
    if ((approvedAt === null) !== (before.approvedAt === null)) {
      const action = approvedAt === null ? 'client.approval-withdrawn' : 'client.approved'
      await recordAudit(tx, { ...entry, action, detail: { client: clientId, name, redirectUris } })
    }
  })
}

/**
 * Gives a confidential client a new secret. The old one and everything issued to the client stop working at once.
 * @throws refusals `invalid-client-id`, `invalid-field`, `read-only`.
 */
export async function rotateClientSecret(db: Db, clientId: string, changer: ClientChanger): Promise<string> {
  const clientSecret = newSecret()
  await inTransaction(db, async (tx) => {
    await changer.alongside?.(tx)
    const { accountId, secretHash } = await requireClient(tx, clientId, changer)
    if (secretHash === null) throw invalid('The client is public and has no secret.')
    await updateClient(tx, clientId, { secretHash: hashSecret(clientSecret).toString('hex') })
    await deleteObjectsOfClient(tx, clientId)
    await recordAudit(tx, {
      at: changer.now,
      by: changer.by,
      action: 'client.secret-rotated',
      accountId,
      detail: { client: clientId },
    })
  })
  return clientSecret
}

/**
 * Deletes a client and everything issued to it.
 * @throws refusals `invalid-client-id`, `read-only`.
 */
export async function removeClient(db: Db, clientId: string, changer: ClientChanger): Promise<void> {
  await inTransaction(db, async (tx) => {
    await changer.alongside?.(tx)
    const { accountId, name } = await requireClient(tx, clientId, changer)
    await deleteObjectsOfClient(tx, clientId)
    await deleteClient(tx, clientId)
    await recordAudit(tx, {
      at: changer.now,
      by: changer.by,
      action: 'client.removed',
      accountId,
      detail: { client: clientId, name },
    })
  })
}

/**
 * A native client may use any loopback port (RFC 8252). The provider refuses https on a loopback host for native
 * clients, so a client with such a URI counts as a web client, whose URIs must match exactly.
 */
function applicationType(redirectUris: readonly string[]): 'native' | 'web' {
  const loopback = redirectUris.map((uri) => new URL(uri)).filter(isLoopback)
  return loopback.length > 0 && loopback.every(({ protocol }) => protocol === 'http:') ? 'native' : 'web'
}

/** The grants that sign users in: by code if it has a redirect URI, and by device code. */
function grantsOf(isConfidential: boolean, redirectUris: readonly string[]): GrantType[] {
  const forPeople: GrantType[] = redirectUris.length > 0 ? ['authorization_code'] : []
  const own: GrantType[] = isConfidential ? ['client_credentials'] : []
  const signsIn = !isConfidential || redirectUris.length > 0
  return [...own, ...forPeople, ...(signsIn ? (['refresh_token', deviceGrant] as const) : [])]
}

function metadataOf({ id, name, scope, secretHash, ...row }: ClientRow): AdapterPayload {
  const redirectUris = JSON.parse(row.redirectUris) as string[]
  const grants = grantsOf(secretHash !== null, redirectUris)
  return {
    client_id: id,
    client_name: name,
    scope: grants.includes('refresh_token') ? `openid ${scope}` : scope,
    grant_types: grants,
    response_types: redirectUris.length > 0 ? ['code'] : [],
    redirect_uris: redirectUris,
    application_type: applicationType(redirectUris),
    ...(secretHash === null
      ? { token_endpoint_auth_method: 'none' }
      : {
          // The hash is stored where the provider expects a secret; `isClientSecret` compares them. The provider
          // accepts both secret methods, header and body, from a client that is registered for one of them.
          client_secret: secretHash,
          token_endpoint_auth_method: 'client_secret_basic',
        }),
  }
}

/** The client as the provider expects it; undefined if it is unknown or its account is deleted. */
export async function findClient(db: Db, clientId: string): Promise<AdapterPayload | undefined> {
  const row = await findClientRow(db, clientId)
  return row && metadataOf(row)
}

/** Compares hashes of equal length in constant time, so that timing reveals nothing. */
export function isClientSecret(secret: string, secretHash: string): boolean {
  const expected = Buffer.from(secretHash, 'hex')
  const actual = hashSecret(secret)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

// What the account endpoints show: rows as the documents of shared/v2/account-schemas.ts.
import type { Profile } from '../accounts/account-table.ts'
import { keyStatus, type KeyRow, type NewKey } from '../auth/api-keys.ts'
import type { GrantedApplication } from '../auth/oauth/granted-applications.ts'
import type { AccountActor } from '../auth/guard.ts'
import type { ClientRow } from '../auth/oauth/oauth-clients-table.ts'
import { scopes, scopeWords } from '../auth/scopes.ts'
import type { SessionRow } from '../auth/sessions.ts'
import { isLanguage } from '../shared/languages.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import type { ApiKey, GrantedApp, MadeApiKey, Me, OwnClient, Session } from '../shared/v2/account-schemas.ts'

const writeTimestampOrNull = (at: number | null): string | null => (at === null ? null : writeTimestamp(at))

/** Role and trails are those in force, as the request was let in with them. */
export function meDocument(
  profile: Profile,
  { role, trails, scopes: given, awaitsPasskey }: AccountActor,
): Me {
  const { id, displayName, email, emailVerifiedAt, hasPassword, createdAt, mails, language } = profile
  return {
    acctID: id,
    displayName,
    email,
    emailVerified: emailVerifiedAt !== null,
    hasPassword,
    role,
    ...(awaitsPasskey && { passkeyRequired: true as const }),
    trails: trails === undefined ? null : [...trails].toSorted((one, other) => one - other),
    createdAt: writeTimestamp(createdAt),
    mails,
    language: isLanguage(language) ? language : null,
    scopes: scopes.filter((scope) => given.has(scope)),
  }
}

export function keyDocument(key: KeyRow, now: number): ApiKey {
  const { prefix, name, createdAt, expiresAt, lastUsedAt, revokedAt } = key
  return {
    prefix,
    name,
    status: keyStatus(key, now),
    createdAt: writeTimestamp(createdAt),
    expiresAt: writeTimestampOrNull(expiresAt),
    lastUsedAt: writeTimestampOrNull(lastUsedAt),
    revokedAt: writeTimestampOrNull(revokedAt),
  }
}

export function madeKeyDocument({ apiKey, prefix, name, createdAt, expiresAt }: NewKey): MadeApiKey {
  return {
    apiKey,
    prefix,
    name,
    createdAt: writeTimestamp(createdAt),
    expiresAt: writeTimestampOrNull(expiresAt),
  }
}

export function sessionDocument(session: SessionRow, currentId: string): Session {
  const { id, browser, createdAt, lastSeenAt, expiresAt } = session
  return {
    id,
    browser,
    isCurrent: id === currentId,
    createdAt: writeTimestamp(createdAt),
    lastSeenAt: writeTimestamp(lastSeenAt),
    expiresAt: writeTimestamp(expiresAt),
  }
}

export function appDocument({ clientId, name, publisher, scope, grantedAt }: GrantedApplication): GrantedApp {
  return { clientId, name, publisher, scopes: scopeWords(scope), grantedAt: writeTimestamp(grantedAt) }
}

const redirectUrisOf = ({ redirectUris }: ClientRow): string[] => JSON.parse(redirectUris) as string[]

export function clientDocument(client: ClientRow): OwnClient {
  const { id, name, scope, secretHash, createdAt, approvedAt } = client
  return {
    clientId: id,
    name,
    scopes: scopeWords(scope),
    redirectUris: redirectUrisOf(client),
    isPublic: secretHash === null,
    isApproved: approvedAt !== null,
    createdAt: writeTimestamp(createdAt),
  }
}

// Turns the credentials of a request into an actor (contract C28–C30).
import type { AccountStatus } from '../accounts/accounts.ts'
import type { Role } from '../database/schema.ts'
import { Refusal, refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { ApiKeys } from './api-keys.ts'
import { actions, isForSessionsOnly, type Action } from './actions.ts'
import { anonymous, isForVisitors, scopesOfRole, type AccessStatement, type Actor } from './guard.ts'
import { lesserRole } from './roles.ts'
import type { Scope } from './scopes.ts'
import type { Sessions } from './sessions.ts'

/** The credentials of the request; undefined for those it does not have. */
export interface Credentials {
  readonly authorization: string | undefined
  /** All that were sent: one valid credential is enough. */
  readonly apiKeys: readonly string[]
  /** The session cookie, if the request comes from a page of this site. */
  readonly session: string | undefined
  /** The request comes from a page of ours. */
  readonly isFromOurPage: boolean
}

/** The caller, and how long this holds while nothing is committed. */
export interface Identified {
  readonly actor: Actor
  /** Milliseconds since 1970 UTC; 0 if it must be looked up each time. */
  readonly until: number
}

export interface IdentifyDependencies {
  readonly apiKeys: ApiKeys
  readonly accessTokens: AccessTokens
  readonly sessions: Sessions
  /** Undefined if the account is deleted or suspended; pass a role that was just read to save a query. */
  readonly accountStatusOf: (accountId: number, role?: Role) => Promise<AccountStatus | undefined>
  readonly publicUrl: string
  /** Whether staff may act only in sessions that were started with a passkey. */
  readonly staffSignIn: 'any' | 'passkey'
}

/** For a session whose passkey is missing: listed content, as for visitors. */
const heldScopes: ReadonlySet<Scope> = new Set(['images:read'])

/** What is needed for the action. */
const neededFor = (action: Action) => (isForSessionsOnly(action) ? 'session' : 'token')

/** Without a credential, or with a session that has ended. */
const nobody: Identified = { actor: anonymous, until: Infinity }

export function createIdentify({
  apiKeys,
  accessTokens,
  sessions,
  accountStatusOf,
  publicUrl,
  staffSignIn,
}: IdentifyDependencies) {
  const metadata = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`
  const challenge = (error?: string): Record<string, string> => ({
    'WWW-Authenticate': error ? `Bearer error="${error}", ${metadata}` : `Bearer ${metadata}`,
  })

  const credentialRequired = (what: 'session' | 'token' | 'keyOrToken'): Refusal =>
    refuse('credential-required', {
      detail: inEach(({ access }) => access.takes[what]),
      headers: challenge(),
    })

  /** @param wrong the refusal for a token that is invalid for any reason but its age. */
  async function byToken(
    authorization: string,
    wrong: 'invalid-token' | 'forbidden' = 'invalid-token',
  ): Promise<Identified> {
    const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
    const found = token === undefined ? undefined : await accessTokens.find(token)
    const accountStatus =
      found?.state === 'live' ? await accountStatusOf(found.accountId, found.role) : undefined
    if (found?.state !== 'live' || accountStatus === undefined) {
      const unknown = inEach(({ access }) => (token === undefined ? access.noToken : access.tokenUnknown))
      const detail = (found?.state === 'unknown' ? found.detail : undefined) ?? unknown
      const headers = challenge('invalid_token')
      if (found?.state === 'expired')
        throw refuse('invalid-token', { detail: inEach(({ access }) => access.tokenExpired), headers })
      throw refuse(wrong, { detail, headers })
    }
    const { accountId, scopes, via, maxRole = accountStatus.role, expiresAt } = found
    // Whether the user signed in there with a passkey is unknown.
    const lends = via === 'issuer' && staffSignIn === 'passkey' ? 'member' : maxRole
    const role = lesserRole(accountStatus.role, lends)
    const actor = { kind: 'account', accountId, ...accountStatus, role, scopes, via } as const
    return { actor, until: via === 'issuer' ? 0 : expiresAt } // an issuer's keys are its own to change
  }

  /** Undefined if the session has ended: then the request has no credential. */
  async function bySession(token: string | undefined): Promise<Identified | undefined> {
    const session = token === undefined ? undefined : await sessions.find(token)
    const accountStatus = session && (await accountStatusOf(session.accountId, session.role))
    if (!session || !accountStatus) return undefined
    const { accountId, id: sessionId, displayName, createdAt: signedInAt, how, until } = session
    const shown = { sessionId, signedInAt, displayName }
    if (staffSignIn === 'passkey' && accountStatus.role !== 'member' && how !== 'passkey') {
      const held = { role: 'member', trails: undefined, scopes: heldScopes, awaitsPasskey: true } as const
      return { actor: { kind: 'account', accountId, ...held, via: 'session', ...shown }, until }
    }
    const scopes = scopesOfRole(accountStatus.role)
    const actor = { kind: 'account', accountId, ...accountStatus, scopes, via: 'session', ...shown } as const
    return { actor, until }
  }

  async function byKeys(keys: readonly string[]): Promise<Identified> {
    for (const apiKey of keys) {
      const key = await apiKeys.verify(apiKey)
      if (key)
        return { actor: { kind: 'key', keyHash: key.keyHash, accountId: key.accountId }, until: key.until }
    }
    throw refuse('invalid-api-key', { headers: challenge() })
  }

  /** One valid credential is enough: the token is tried first, since it may allow more than a key. */
  async function byEither({ authorization, apiKeys: keys, session }: Credentials): Promise<Identified> {
    if (authorization === undefined) {
      return (await bySession(session)) ?? (keys.length === 0 ? nobody : byKeys(keys))
    }
    try {
      return await byToken(authorization)
    } catch (error) {
      if (keys.length === 0 || !(error instanceof Refusal)) throw error
      return { ...(await byKeys(keys)), until: 0 } // the token is looked at again, since it comes first
    }
  }

  /** Staff without a passkey session see what visitors see; /v2/site tells them what is missing. */
  function asVisitor(found: Identified, { action }: { readonly action: Action }): Identified {
    const { actor } = found
    const isHeld = actor.kind === 'account' && actor.awaitsPasskey && action !== 'view-site'
    return isHeld ? { ...found, actor: anonymous } : found
  }

  /**
   * @returns the caller of an endpoint with this access statement.
   * @throws refusals `credential-required`, `invalid-token`, `invalid-api-key`.
   */
  return async function identify(access: AccessStatement, credentials: Credentials): Promise<Identified> {
    switch (access.credential) {
      case 'open':
        return nobody
      case 'public':
        // A stale token in a gallery must not break pictures that anyone may see; a key adds no rights here.
        return byEither({ ...credentials, apiKeys: [] }).then(
          (found) => asVisitor(found, access),
          (error: unknown) => {
            if (error instanceof Refusal) return { actor: anonymous, until: 0 }
            throw error
          },
        )
      case 'reader': {
        const found = asVisitor(await byEither(credentials), access)
        const { actor } = found
        // One valid credential is enough (C28): a token without the scope does not spoil the key beside it.
        const scope = actions[access.action]
        const isShort = actor.kind === 'account' && scope !== null && !actor.scopes.has(scope)
        if (isShort && credentials.apiKeys.length > 0) return byKeys(credentials.apiKeys).catch(() => found)
        const isVisit = credentials.isFromOurPage && isForVisitors(access)
        if (actor.kind === 'anonymous' && !isVisit) throw credentialRequired('keyOrToken')
        return found
      }
      case 'bearer': {
        if (credentials.authorization !== undefined)
          return byToken(credentials.authorization, access.wrongToken)
        const found = await bySession(credentials.session)
        if (!found) throw credentialRequired(neededFor(access.action))
        return found
      }
      case 'visitor':
        if (credentials.authorization !== undefined) return byToken(credentials.authorization)
        return asVisitor((await bySession(credentials.session)) ?? nobody, access)
      case 'page':
        return (await bySession(credentials.session)) ?? nobody
    }
  }
}

export type Identify = ReturnType<typeof createIdentify>

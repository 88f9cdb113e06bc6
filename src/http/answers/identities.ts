// Who calls, by the text of the credentials, for as long as nothing was committed that may change it.
import { anonymous, type AccessStatement, type Actor } from '../../auth/guard.ts'
import type { Credentials, Identified } from '../../auth/identify.ts'
import type { Changes } from '../../commits.ts'
import type { Refusal } from '../../errors.ts'
import { createBoundedCache } from '../../shared/bounded-cache.ts'

export interface Identity {
  /** Undefined if the credential is invalid. */
  readonly actor: Actor | undefined
  /** False if the endpoint refuses them: then only the refusal may be answered from memory. */
  readonly opens: boolean
  /** Equal for actors who are shown the same. */
  readonly viewer: string
}

/** Requests without a credential to endpoints that need one. */
const nobody: Identity = { actor: anonymous, opens: false, viewer: 'nobody' }

const maxRefusedMs = 60_000

interface Known extends Identity {
  readonly since: number
  readonly from: number
  readonly until: number
}

const maxIdentities = 10_000
/** A token of another issuer may be longer; it is verified each time. */
const maxCredentialLength = 1_000

const needsCredential: ReadonlySet<AccessStatement['credential']> = new Set(['reader', 'bearer'])

const tags = ['credentials'] as const

/** Everything about the actor that a response may depend on. */
function viewerOf(actor: Actor): string {
  if (actor.kind !== 'account') return actor.kind
  const { accountId, role, trails, scopes, via, awaitsPasskey = false } = actor
  const limits = trails === undefined ? '' : [...trails].join(' ')
  return `${accountId} ${role} ${via} ${awaitsPasskey} ${[...scopes].toSorted().join(' ')} (${limits})`
}

export interface IdentitiesDependencies {
  readonly changes: Changes
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
}

export function createIdentities({ changes, now }: IdentitiesDependencies) {
  const known = createBoundedCache<Known>({ max: maxIdentities })
  /** Each endpoint's own statement is one object. */
  const accessIds = new Map<AccessStatement, number>()

  function keyOf(access: AccessStatement, credentials: Credentials): string {
    const id = accessIds.get(access) ?? accessIds.size
    if (id === accessIds.size) accessIds.set(access, id)
    const { authorization, apiKeys, session, isFromOurPage } = credentials
    const keys = apiKeys.length === 1 ? apiKeys[0] : apiKeys.join('\n')
    // An empty credential is invalid, and none at all may be valid.
    const parts = `${isFromOurPage} ${authorization !== undefined} ${session !== undefined} ${apiKeys.length}`
    return `${id} ${parts}\n${authorization ?? ''}\n${session ?? ''}\n${keys}`
  }

  return {
    /** @returns undefined if it must be looked up. */
    find: (access: AccessStatement, credentials: Credentials): Identity | undefined => {
      const { authorization, apiKeys, session, isFromOurPage } = credentials
      const isBare = (authorization ?? apiKeys[0] ?? session) === undefined
      if (isBare && !isFromOurPage && needsCredential.has(access.credential)) return nobody
      const found = known.get(keyOf(access, credentials))
      if (found === undefined || !changes.isUnchangedSince(found.since, tags)) return undefined
      const at = now()
      return at >= found.from && at < found.until ? found : undefined
    },

    /** @param since the count of commits before it was looked up. */
    learn: (
      access: AccessStatement,
      credentials: Credentials,
      { actor, until }: Identified,
      since: number,
    ): Identity => {
      const viewer = viewerOf(actor)
      const from = now()
      const key = keyOf(access, credentials)
      const identity = { actor, opens: true, viewer }
      if (until > from && key.length <= maxCredentialLength)
        known.set(key, { ...identity, since, from, until })
      return identity
    },

    /** An invalid credential stays invalid until a commit changes that. */
    learnRefused: (
      access: AccessStatement,
      credentials: Credentials,
      { code, detail = '' }: Refusal,
      since: number,
    ): Identity => {
      const { authorization, apiKeys, session } = credentials
      if ((authorization ?? apiKeys[0] ?? session) === undefined) return nobody
      const from = now()
      const key = keyOf(access, credentials)
      const identity = { actor: undefined, opens: false, viewer: `${code} ${detail}` }
      // What another issuer refuses now it may accept next: its keys are its own to change.
      const isOurs = authorization === undefined || !authorization.includes('.')
      if (isOurs && key.length <= maxCredentialLength)
        known.set(key, { ...identity, since, from, until: from + maxRefusedMs })
      return identity
    },
  }
}

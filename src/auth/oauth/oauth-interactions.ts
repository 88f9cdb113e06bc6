// Sign-in and consent while an application waits; the results go back to the provider.
//
// /oauth/authorize or /device ──▶ /oauth/interaction/{uid} ──▶ sign-in and consent pages ──▶ resume ──▶ the application
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SessionNotFound } from 'oidc-provider/lib/helpers/errors.js'
import type { Provider } from 'oidc-provider'
import { recordAudit, type AuditActor } from '../../accounts/audit/audit.ts'
import type { Db } from '../../database/database.ts'
import { refuse } from '../../errors.ts'
import { findConsent, saveConsent } from './consent-table.ts'
import { scopesOfRole, type AccountActor } from '../guard.ts'
import { findClientRow } from './oauth-clients-table.ts'
import { isScope, scopeWords, type Scope } from '../scopes.ts'

export interface Interaction {
  readonly uid: string
  readonly asks: 'who' | 'whether'
  /** Sign-ins before this time do not count, in milliseconds since 1970 UTC; undefined if any does. */
  readonly signInSince: number | undefined
  readonly client: { readonly id: string; readonly name: string; readonly publisher: string }
  /** Where the browser returns to; undefined for a device, which waits elsewhere. */
  readonly redirectUri: string | undefined
  readonly scopes: readonly Scope[]
  /** The account that the provider considers signed in; undefined if none. */
  readonly accountId: number | undefined
  /** Must the user be asked even if they have consented before? */
  readonly mustAsk: boolean
}

export interface InteractionsDependencies {
  readonly provider: Provider
  readonly db: Db
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

/** The reasons to require a new sign-in. */
const anewReasons: ReadonlySet<string> = new Set(['login_prompt', 'max_age'])
/**
 * The reasons to ask for consent again: the application requests it, or it runs on the user's own machine, where any
 * program can impersonate it (RFC 8252 section 8.6).
 */
const askReasons: ReadonlySet<string> = new Set(['consent_prompt', 'native_client_prompt'])

/** The request of the application, as it sent it. */
function askedWords({ scope }: Details['params']): string[] {
  return typeof scope === 'string' ? scopeWords(scope) : []
}

export function createInteractions({ provider, db, now }: InteractionsDependencies) {
  async function detailsOf(request: FastifyRequest, reply: FastifyReply): Promise<Details> {
    try {
      return await provider.interactionDetails(request.raw, reply.raw)
    } catch (error) {
      // No cookie, another browser, expired, or signed out since.
      if (error instanceof SessionNotFound) throw refuse('link-used', { detail: lostRequest })
      throw error
    }
  }

  /** When it began, by the clock that sessions use; the provider has its own. */
  const begunAt = ({ iat }: Details): number => now() - (Date.now() - iat * 1_000)

  async function read(details: Details): Promise<Interaction> {
    const { prompt, params, uid, session, deviceCode } = details
    const client = await findClientRow(db, String(params['client_id']))
    if (!client) throw refuse('link-used', { detail: 'The application is no longer registered here.' })
    const isDevice = deviceCode !== undefined
    const accountId = Number(session?.accountId)
    const registered = scopeWords(client.scope)
    return {
      uid,
      asks: prompt.name === 'login' ? 'who' : 'whether',
      signInSince: prompt.reasons.some((reason) => anewReasons.has(reason)) ? begunAt(details) : undefined,
      client: { id: client.id, name: client.name, publisher: client.publisher },
      redirectUri: isDevice ? undefined : String(params['redirect_uri']),
      scopes: askedWords(params).filter((word): word is Scope => isScope(word) && registered.includes(word)),
      accountId: Number.isSafeInteger(accountId) && accountId > 0 ? accountId : undefined,
      // A device is elsewhere, perhaps with another person: remembering consent would let a stranger's code pass
      // unnoticed.
      mustAsk: isDevice || prompt.reasons.some((reason) => askReasons.has(reason)),
    }
  }

  /** The requested scopes that the account may grant. Consent never grants the others (auth/guard.ts). */
  function grantable(interaction: Interaction, actor: AccountActor): Scope[] {
    const own = scopesOfRole(actor.role)
    return interaction.scopes.filter((scope) => own.has(scope))
  }

  async function remember(
    actor: AccountActor,
    by: AuditActor,
    clientId: string,
    scopes: Scope[],
  ): Promise<void> {
    await db.transaction().execute(async (tx) => {
      const known = await findConsent(tx, actor.accountId, clientId)
      const before = scopeWords(known?.scope ?? '')
      // An application that only identifies the user has no scope, and is remembered, listed and revoked like any
      // other.
      if (known && scopes.every((scope) => before.includes(scope))) return
      const scope = [...new Set([...before, ...scopes])].join(' ')
      const at = now()
      await saveConsent(tx, { accountId: actor.accountId, clientId, scope, grantedAt: at })
      await recordAudit(tx, {
        at,
        by,
        action: 'consent.given',
        accountId: actor.accountId,
        detail: { client: clientId, scope },
      })
    })
  }

  /** @throws refusal `forbidden` if the prompt is not for the signed-in user. */
  function requireAsked({ asks, accountId }: Interaction, actor: AccountActor): void {
    if (asks === 'whether' && accountId === actor.accountId) return
    throw refuse('forbidden', { detail: 'The request was made for another account.' })
  }

  return {
    /** @throws refusal `link-used` if this browser has no such request in progress. */
    find: async (request: FastifyRequest, reply: FastifyReply): Promise<Interaction> =>
      read(await detailsOf(request, reply)),

    grantable,

    /** Has the user consented to all of this before? */
    isRemembered: async (interaction: Interaction, actor: AccountActor): Promise<boolean> => {
      const consent = await findConsent(db, actor.accountId, interaction.client.id)
      const allowed = scopeWords(consent?.scope ?? '')
      return consent !== undefined && grantable(interaction, actor).every((scope) => allowed.includes(scope))
    },

    /** Tells the provider who is signed in. @returns where the browser continues. */
    signedIn: async (
      request: FastifyRequest,
      reply: FastifyReply,
      accountId: number,
      signedInAt: number,
    ): Promise<string> => {
      const details = await detailsOf(request, reply)
      const known = details.session?.accountId
      if (known !== undefined && known !== String(accountId)) {
        // It was begun by another user, whose provider session ends with this (oauth-session-mirror.ts). The request
        // continues without that session, because the provider would take the change of user for an attack.
        details.session = undefined
        await details.save(details.exp - Math.floor(Date.now() / 1_000))
      }
      return provider.interactionResult(request.raw, reply.raw, {
        login: { accountId: String(accountId), ts: Math.floor(signedInAt / 1_000) },
      })
    },

    /**
     * Grants the application what it requests, as far as the account may, and remembers the consent.
     * @returns where the browser continues. @throws refusals `link-used`, `forbidden`, `read-only`.
     */
    allow: async (request: FastifyRequest, reply: FastifyReply, actor: AccountActor): Promise<string> => {
      const details = await detailsOf(request, reply)
      const interaction = await read(details)
      requireAsked(interaction, actor)
      const accountId = String(actor.accountId)
      const clientId = interaction.client.id
      const scopes = grantable(interaction, actor)
      await remember(actor, { accountId: actor.accountId, via: 'session' }, clientId, scopes)
      const known = details.grantId === undefined ? undefined : await provider.Grant.find(details.grantId)
      const grant = known ?? new provider.Grant({ accountId, clientId })
      const asked = askedWords(details.params)
      const given = asked.filter((word) => !isScope(word) || scopes.includes(word))
      const kept = asked.filter((word) => !given.includes(word))
      grant.addOIDCScope(given.join(' '))
      if (kept.length > 0) grant.rejectOIDCScope(kept.join(' '))
      const grantId = await grant.save()
      return provider.interactionResult(request.raw, reply.raw, { consent: { grantId } })
    },

    /**
     * Reports the refusal to the application. The user has seen where they will be redirected (oauth-forwarding.ts), so
     * only a user who was asked can refuse. @returns where the browser continues. @throws refusals `link-used`,
     * `forbidden`.
     */
    deny: async (request: FastifyRequest, reply: FastifyReply, actor: AccountActor): Promise<string> => {
      requireAsked(await read(await detailsOf(request, reply)), actor)
      return provider.interactionResult(request.raw, reply.raw, {
        error: 'access_denied',
        error_description: 'The person refused.',
      })
    },
  }
}

const lostRequest =
  'The request of the application is over, or was begun in another browser. Go back to the application and start again.'

export type Interactions = ReturnType<typeof createInteractions>

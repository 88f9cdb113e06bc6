// Decides whether the authorization server redirects a user to an application; all others see a page of ours (RFC 9700
// section 4.11.2): members can register any URI, and a link to this site must not lead strangers there.
import instance from 'oidc-provider/lib/helpers/weak_cache.js'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import { findConsent } from './consent-table.ts'
import { findClientRow } from './oauth-clients-table.ts'
import type { AskOnce } from './oauth-failures.ts'

/** What the page says instead. */
export interface HeldAnswer {
  readonly client: { readonly name: string; readonly publisher: string }
  /** Where the application wanted to redirect them. */
  readonly host: string
  readonly error: string
  readonly description: string | undefined
}

export interface ForwardingDependencies {
  readonly db: Db
  readonly signedInAs: (cookies: string | undefined) => Promise<number | undefined>
  /** Queries the database, unless it has already failed this request. */
  readonly askOnce: AskOnce
  readonly renderHeld: (ctx: KoaContextWithOIDC, held: HeldAnswer) => void
}

/** Did the user just press "Refuse"? That page has shown where they would go (oauth-interactions.ts). */
function hasRefused({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.entities.Interaction?.result?.error === 'access_denied'
}

/**
 * Intercepts every way in which the provider responds to an application through a browser: redirect, fragment, or a
 * self-submitting form. A code passes, since its user is signed in and has authorized the application.
 */
export function guardForwarding(
  provider: Provider,
  { db, signedInAs, askOnce, renderHeld }: ForwardingDependencies,
): void {
  async function findHeld(ctx: KoaContextWithOIDC): Promise<HeldAnswer['client'] | undefined> {
    const clientId = ctx.oidc.client?.clientId ?? ''
    const client = await findClientRow(db, clientId)
    if (!client) return { name: clientId, publisher: 'nobody any more' } // just deleted, or its account suspended
    if (client.approvedAt !== null) return undefined
    const accountId = await signedInAs(ctx.req.headers.cookie)
    if (accountId === undefined) return client
    return (await findConsent(db, accountId, clientId)) === undefined ? client : undefined
  }

  const { responseModes } = instance(provider)
  for (const [name, send] of responseModes) {
    responseModes.set(name, async (ctx, redirectUri, answer) => {
      const error = answer['error']
      if (error === undefined || hasRefused(ctx)) return send(ctx, redirectUri, answer)
      const client = await askOnce(() => findHeld(ctx))
      if (!client) return send(ctx, redirectUri, answer)
      if (ctx.status < 400) ctx.status = 400 // the provider's 303 for a sign-in that may not prompt
      return renderHeld(ctx, {
        client,
        host: new URL(redirectUri).host,
        error,
        description: answer['error_description'],
      })
    })
  }
}

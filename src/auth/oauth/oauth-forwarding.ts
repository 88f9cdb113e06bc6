// Whom the authorization server sends on to an application's own address; anybody else gets a page of ours (RFC 9700 section
// 4.11.2): a member registers any address, and a link to this site must not lead strangers there.
import instance from 'oidc-provider/lib/helpers/weak_cache.js'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import { findConsent } from './consent-table.ts'
import { findClientRow } from './oauth-clients-table.ts'
import type { AskOnce } from './oauth-failures.ts'

/** What the person is told instead of being sent on. */
export interface HeldAnswer {
  readonly client: { readonly name: string; readonly publisher: string }
  /** Where the application wanted them. */
  readonly host: string
  readonly error: string
  readonly description: string | undefined
}

export interface ForwardingDependencies {
  readonly db: Db
  readonly signedInAs: (cookies: string | undefined) => Promise<number | undefined>
  /** Asks the database, unless it has failed the request already. */
  readonly askOnce: AskOnce
  readonly renderHeld: (ctx: KoaContextWithOIDC, held: HeldAnswer) => void
}

/** Did the person just press "Refuse"? They have read there where they would go (oauth-interactions.ts). */
function hasRefused({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.entities.Interaction?.result?.error === 'access_denied'
}

/**
 * Stands before every way in which the provider answers an application through a browser: by redirect, fragment or a form
 * that sends itself. A code passes, since it is for somebody who is signed in and has allowed the application just that.
 */
export function guardForwarding(
  provider: Provider,
  { db, signedInAs, askOnce, renderHeld }: ForwardingDependencies,
): void {
  async function findHeld(ctx: KoaContextWithOIDC): Promise<HeldAnswer['client'] | undefined> {
    const clientId = ctx.oidc.client?.clientId ?? ''
    const client = await findClientRow(db, clientId)
    if (!client) return { name: clientId, publisher: 'nobody any more' } // removed, or its account suspended, just now
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
      if (ctx.status < 400) ctx.status = 400 // the provider's 303 of a sign-in that may not be asked for
      return renderHeld(ctx, {
        client,
        host: new URL(redirectUri).host,
        error,
        description: answer['error_description'],
      })
    })
  }
}

// Limits how often a device may poll (RFC 8628 section 3.5), which the provider does not do.
import type { KoaContextWithOIDC } from 'oidc-provider'
import { hashId } from './oauth-store.ts'

const intervalSeconds = 5

/** Included in the response with the device code. */
export function tellInterval(body: Record<string, unknown>): void {
  body['interval'] = intervalSeconds
}

/**
 * Returns `slow_down` instead of `authorization_pending` if a poll came too early. Once the user has decided, the
 * response is the decision, however early the poll.
 */
export function slowDownPolls(isPollTooFast: (device: string) => Promise<boolean>) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next()
    const { error } = (ctx.body ?? {}) as { readonly error?: unknown }
    if (error !== 'authorization_pending') return
    const code: unknown = ctx.oidc.params?.['device_code']
    if (typeof code !== 'string' || !(await isPollTooFast(hashId(code)))) return
    ctx.body = {
      error: 'slow_down',
      error_description: 'you are polling too quickly: wait five seconds longer between polls from now on',
    }
  }
}

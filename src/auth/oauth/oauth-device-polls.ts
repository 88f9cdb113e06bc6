// Devices that ask too often whether they were allowed in: RFC 8628 section 3.5, which the provider leaves to us.
import type { KoaContextWithOIDC } from 'oidc-provider'
import { hashId } from './oauth-store.ts'

const intervalSeconds = 5

/** What a device is told when it gets its code. */
export function tellInterval(body: Record<string, unknown>): void {
  body['interval'] = intervalSeconds
}

/**
 * Answers `slow_down` in the place of `authorization_pending` where a poll came too soon. Once the person has decided,
 * the answer is that, however soon it is asked for.
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

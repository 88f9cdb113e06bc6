// Signing in by passkey: what the script of the sign-in pages calls (site/assets/passkeys.js).
import type { FastifyInstance } from 'fastify'
import type { Passkeys } from '../auth/passkeys.ts'
import type { Sessions } from '../auth/sessions.ts'
import { PasskeySignIn } from '../contract/v2-passkey-schemas.ts'
import { addressBucket, type RateLimits } from '../http/rate-limits.ts'
import { createBodyReader } from '../http/v2-body.ts'
import { browserOf, pageAccess } from './page-parts.ts'

export interface PasskeyEndpointsDependencies {
  readonly passkeys: Passkeys
  readonly sessions: Sessions
  readonly spend: RateLimits['spend']
}

export function registerPasskeySignIn(
  app: FastifyInstance,
  { passkeys, sessions, spend }: PasskeyEndpointsDependencies,
): void {
  const readSignIn = createBodyReader(PasskeySignIn)

  // Asked for by every sign-in page that is opened, so it is no attempt: the limit on requests of an address counts it.
  app.post('/sign-in/passkey/options', { config: pageAccess }, async (_request, reply) => {
    return reply.header('Cache-Control', 'no-store').send(await passkeys.beginSignIn())
  })

  app.post('/sign-in/passkey', { config: pageAccess }, async (request, reply) => {
    await spend('sign-in', addressBucket(request.ip))
    const session = await passkeys.signIn(await readSignIn(request), browserOf(request))
    return reply
      .header('Set-Cookie', sessions.cookieOf(session))
      .header('Cache-Control', 'no-store')
      .code(204)
      .send()
  })
}

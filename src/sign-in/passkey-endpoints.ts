// Signing in with a passkey: the endpoints for the script of the sign-in pages (site/assets/passkeys.js).
import type { FastifyInstance } from 'fastify'
import type { KnownDevices } from '../auth/known-devices.ts'
import type { Passkeys } from '../auth/passkeys/passkeys.ts'
import type { Sessions } from '../auth/sessions.ts'
import { PasskeySignIn } from '../shared/v2/passkey-schemas.ts'
import type { RateLimits } from '../http/rates/rate-limits.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import { browserOf, countingGuesses, pageAccess, signedInCookies } from './page-parts.ts'

export interface PasskeyEndpointsDependencies {
  readonly passkeys: Passkeys
  readonly sessions: Sessions
  readonly devices: KnownDevices
  readonly spend: RateLimits['spend']
}

export function registerPasskeySignIn(
  app: FastifyInstance,
  { passkeys, sessions, devices, spend }: PasskeyEndpointsDependencies,
): void {
  const readSignIn = createBodyReader(PasskeySignIn)

  // Requested whenever a sign-in page is opened, so it is not an attempt: only the general limit per address counts it.
  app.post('/sign-in/passkey/options', { config: pageAccess }, async (_request, reply) => {
    return reply.header('Cache-Control', 'no-store').send(await passkeys.beginSignIn())
  })

  app.post('/sign-in/passkey', { config: pageAccess }, async (request, reply) => {
    const assertion = await readSignIn(request)
    const session = await countingGuesses(request, spend, () =>
      passkeys.signIn(assertion, browserOf(request)),
    )
    return reply
      .header('Set-Cookie', await signedInCookies(request, { sessions, devices }, session))
      .header('Cache-Control', 'no-store')
      .code(204)
      .send()
  })
}

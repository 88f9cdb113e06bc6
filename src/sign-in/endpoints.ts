// Builds everything needed for signing in, and registers its pages.
import type { FastifyInstance } from 'fastify'
import type { Incidents } from '../accounts/audit/incidents.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { createInteractions } from '../auth/oauth/oauth-interactions.ts'
import type { OauthServer } from '../auth/oauth/oauth-server.ts'
import type { KnownDevices } from '../auth/known-devices.ts'
import type { Passkeys } from '../auth/passkeys/passkeys.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { Db } from '../database/database.ts'
import type { Attempts } from '../http/rates/attempts.ts'
import type { RateLimits } from '../http/rates/rate-limits.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Site } from '../site/site.ts'
import { registerInteractionEndpoints } from './interaction-endpoints.ts'
import { registerJoiningEndpoints } from './joining-endpoints.ts'
import { createJoining, type JoiningService, type SignUp } from './joining.ts'
import type { MapOffer } from './map-offer.ts'
import { registerPasskeySignIn } from './passkey-endpoints.ts'
import { registerRecoveryEndpoints } from './recovery-endpoints.ts'
import { createRecovery, type Recovery } from './recovery.ts'
import { registerSignInEndpoints } from './sign-in-endpoints.ts'
import { createSignIn } from './sign-in.ts'

export interface SignInRoomDependencies {
  readonly db: Db
  readonly site: Site
  readonly now: () => number
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly devices: KnownDevices
  readonly passkeys: Passkeys
  readonly mailer: Mailer | undefined
  readonly oauth: OauthServer
  readonly publicUrl: string
  readonly siteWords: () => readonly string[]
  readonly signUp: SignUp
  readonly spend: RateLimits['spend']
  readonly attempts: Attempts
  readonly noteIncident: Incidents['note']
  readonly mapOffer: MapOffer | undefined
}

export interface SignInRoom {
  readonly joining: JoiningService
  readonly recovery: Recovery
}

export function registerSignIn(app: FastifyInstance, dependencies: SignInRoomDependencies): SignInRoom {
  const { db, site, now, sessions, devices, passkeys, oauth, spend, attempts, signUp } = dependencies
  const signIn = createSignIn({
    db,
    sessions,
    devices,
    attempts,
    noteIncident: dependencies.noteIncident,
    hasPasskeys: passkeys.isOffered,
    canMail: dependencies.mailer !== undefined,
  })
  const recovery = createRecovery(dependencies)
  const { makeResetLink } = recovery
  const joining = createJoining({ ...dependencies, asking: { mayMail: attempts.mayMail, makeResetLink } })
  const interactions = createInteractions({ provider: oauth.provider, db, now })
  registerSignInEndpoints(app, {
    site,
    signIn,
    sessions,
    devices,
    spend,
    passkeys,
    isSignUpOpen: signUp === 'open',
  })
  registerJoiningEndpoints(app, { site, joining, sessions, devices, spend, mapOffer: dependencies.mapOffer })
  registerRecoveryEndpoints(app, { site, recovery, sessions, devices, spend })
  registerInteractionEndpoints(app, { site, interactions, signIn, sessions, devices, spend, passkeys })
  registerPasskeySignIn(app, { passkeys, sessions, devices, spend })
  return { joining, recovery }
}

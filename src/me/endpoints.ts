// Puts together what people look after their own account with: /v2/me…, which the app's pages under /account use.
import type { FastifyInstance } from 'fastify'
import type { ApiKeys } from '../auth/api-keys.ts'
import { createGrantedApplications } from '../auth/oauth/granted-applications.ts'
import type { KnownDevices } from '../auth/known-devices.ts'
import type { Passkeys } from '../auth/passkeys/passkeys.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { Db } from '../database/database.ts'
import type { IdempotencyKeys } from '../idempotency/idempotency-keys.ts'
import type { Recovery } from '../sign-in/recovery.ts'
import { createOnce } from './once.ts'
import { createOwnClients } from './own-clients.ts'
import { registerPasskeyEndpoints } from './passkey-endpoints.ts'
import { registerOwnClientEndpoints } from './v2-clients.ts'
import { registerKeyEndpoints } from './v2-keys.ts'
import { registerProfileEndpoints } from './v2-profile.ts'
import { registerSessionEndpoints } from './v2-sessions.ts'

export interface MeDependencies {
  readonly db: Db
  readonly now: () => number
  readonly apiKeys: ApiKeys
  readonly sessions: Sessions
  readonly devices: KnownDevices
  readonly passkeys: Passkeys
  readonly recovery: Recovery
  readonly retries: IdempotencyKeys
}

export function registerMe(app: FastifyInstance, dependencies: MeDependencies): void {
  const { db, now, apiKeys, sessions, devices, passkeys, recovery, retries } = dependencies
  const once = createOnce(retries, now)
  const grantedApplications = createGrantedApplications(db, now)
  const ownClients = createOwnClients(db, now)

  registerProfileEndpoints(app, { db, now, recovery, devices })
  registerKeyEndpoints(app, { apiKeys, once, now })
  registerSessionEndpoints(app, { sessions, devices, grantedApplications })
  registerOwnClientEndpoints(app, { ownClients, once })
  registerPasskeyEndpoints(app, { passkeys, recovery })
}

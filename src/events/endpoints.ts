// Puts feed and stream together.
import type { FastifyInstance } from 'fastify'
import type { Identify } from '../auth/identify.ts'
import type { Db } from '../database/database.ts'
import type { Jobs } from '../jobs/runner.ts'
import { registerChangesEndpoint } from './changes-endpoint.ts'
import { createEventNotifier } from './event-notifier.ts'
import { registerStreamEndpoint } from './stream-endpoint.ts'
import { createStreams } from './streams.ts'

/** Proxies and browsers close connections that are silent for about a minute. */
const maxHeartbeatMs = 15_000

export interface EventsDependencies {
  readonly db: Db
  readonly jobs: Jobs
  readonly publicUrl: string
  readonly identify: Identify
  readonly sessionTokenIn: (cookies: string | undefined) => string | undefined
  readonly limits: { readonly idleSeconds: number; readonly maxStreamsPerAccount: number }
  /** Shorter for tests. */
  readonly heartbeatMs?: number | undefined
}

export function registerEvents(app: FastifyInstance, dependencies: EventsDependencies) {
  const { db, publicUrl, identify, sessionTokenIn, limits } = dependencies
  const onFault = (error: unknown): void => app.log.error({ err: error }, 'an event stream failed')
  // Where connections may idle for less, silence must be shorter too.
  const heartbeatMs = dependencies.heartbeatMs ?? Math.min(maxHeartbeatMs, (limits.idleSeconds * 1_000) / 3)
  const eventNotifier = createEventNotifier({ db, jobs: dependencies.jobs })
  const maxPerAccount = limits.maxStreamsPerAccount
  const streams = createStreams({ db, eventNotifier, heartbeatMs, maxPerAccount, onFault })
  registerChangesEndpoint(app, { db, publicUrl })
  registerStreamEndpoint(app, { db, streams, identify, sessionTokenIn, onFault })
  return { eventNotifier, streams }
}

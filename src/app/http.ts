// The HTTP server and what every request passes through, before any endpoint is registered.
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createIncidents, type Incidents } from '../accounts/audit/incidents.ts'
import { isClientOrigin } from '../auth/oauth/oauth-clients-table.ts'
import { scopes } from '../auth/scopes.ts'
import { createWritableCheck } from '../database/read-only.ts'
import { createAddressOf } from '../http/connections/proxied-address.ts'
import { createFront, type Front } from '../http/answers/front.ts'
import { createRequestIds } from '../http/logs/request-ids.ts'
import { registerOpenapi } from '../http/openapi/openapi.ts'
import { createAttempts, type Attempts } from '../http/rates/attempts.ts'
import { createCountsInMemory } from '../http/rates/counts-in-memory.ts'
import { createRateLimits, type RateLimits } from '../http/rates/rate-limits.ts'
import { createServer } from '../http/server.ts'
import { watchMisuse } from '../sign-in/misuse.ts'
import type { Module } from './module.ts'
import type { Given } from './given.ts'
import type { Observability } from './observability.ts'
import type { People } from './people.ts'

export interface Http {
  readonly server: FastifyInstance
  readonly front: Front
  readonly rateLimits: RateLimits
  readonly attempts: Attempts
  readonly incidents: Incidents
}

export const http: Module<Given & Observability & People, Http> = {
  name: 'http',
  start: async ({
    options,
    config,
    db,
    database,
    now,
    log,
    jobs,
    traffic,
    metrics,
    site,
    liveBrand,
    sessions,
    identify,
  }) => {
    const { publicUrl, corsOrigins, trustProxy } = config
    const hstsSubdomains = config.hstsSubdomains === 'on'
    const { sharedCounts } = database
    const rateLimits = createRateLimits(config, sharedCounts && { counts: sharedCounts, jobs })
    const shared = { rateLimits, traffic, publicUrl, limits: config, sessionTokenIn: sessions.tokenIn }
    const nextRequestId = createRequestIds()
    const front = createFront({
      ...shared,
      changes: database.changes,
      maxBytes: config.answerCacheMegabytes * 1024 ** 2,
      now,
      nextRequestId,
      addressOf: createAddressOf(trustProxy),
    })
    const server = await createServer({
      ...shared,
      front,
      spoolFolder: path.join(config.dataDir, 'spool'),
      nextRequestId,
      identify,
      hstsSubdomains,
      corsOrigins,
      site,
      noticeBrand: liveBrand.notice,
      isApplicationOrigin: (origin) => isClientOrigin(db, origin),
      trustProxy,
      requireWritable: createWritableCheck(db, database.changes),
      log,
      writeLine: options.logger?.stream.writeLine,
    })
    const incidents = createIncidents({
      db,
      now,
      onFault: (error) => log.error({ err: error }, 'an incident could not be recorded in the audit log'),
    })
    metrics.readFrom({ answersFromMemory: front.answered, answerBytes: front.bytes })
    watchMisuse(traffic, incidents.note)
    await registerOpenapi(server, publicUrl, scopes)
    return {
      gives: {
        server,
        front,
        rateLimits,
        attempts: createAttempts({
          counts: sharedCounts ?? createCountsInMemory(options.guessClock),
          figures: config,
        }),
        incidents,
      },
      close: async () => {
        await incidents.close()
        await rateLimits.close()
      },
    }
  },
}

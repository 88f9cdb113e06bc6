// GET /v2/admin/jobs: what the server does in the background, and how the last runs went (contract, Part D).
import type { FastifyInstance } from 'fastify'
import { permit } from '../auth/guard.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { secretly } from '../http/representation.ts'
import type { JobStatus } from '../jobs/runner.ts'
import { JobSet } from '../shared/v2/job-schemas.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'

export function registerJobsEndpoint(app: FastifyInstance, status: () => readonly JobStatus[]): void {
  app.get(
    '/v2/admin/jobs',
    {
      config: { access: { credential: 'bearer', action: 'view-administration' } },
      schema: v2Operation({
        summary: 'List background jobs',
        description:
          'For admins with a browser session. The jobs of the server that handles the request, since its start.',
        answer: JobSet,
        refusals: ['forbidden'],
      }),
    },
    (request, reply) => {
      permit(request.actor, 'view-administration')
      const items = status().map(({ name, isRunning, failures, ...last }) => ({
        name,
        isRunning,
        failures,
        lastEndedAt: last.lastEndedAt === undefined ? null : writeTimestamp(last.lastEndedAt),
        lastDurationMs: last.lastDurationMs === undefined ? null : Math.round(last.lastDurationMs),
        lastError: last.lastError
          ? { at: writeTimestamp(last.lastError.at), code: last.lastError.what }
          : null,
      }))
      return secretly(reply).send({ items, next: null } satisfies JobSet)
    },
  )
}

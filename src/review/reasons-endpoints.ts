// GET /v2/review/reasons for staff, and PUT /v2/admin/review-reasons for admins.
import type { FastifyInstance } from 'fastify'
import { auditActorOf, permit } from '../auth/guard.ts'
import { ReviewReasons, ReviewReasonSet } from '../shared/v2/review-schemas.ts'
import type { Db } from '../database/database.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { secretly, sendRepresentation } from '../http/representation.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import { readReasons, saveReasons } from './reasons.ts'

export interface ReasonsEndpointsDependencies {
  readonly db: Db
  readonly now: () => number
}

export function registerReasonsEndpoints(
  app: FastifyInstance,
  { db, now }: ReasonsEndpointsDependencies,
): void {
  const readChosen = createBodyReader(ReviewReasons)
  const documentOf = async () => ({ items: await readReasons(db), next: null })

  app.get(
    '/v2/review/reasons',
    {
      config: { access: { credential: 'bearer', action: 'view-queue' } },
      schema: v2Operation({
        summary: 'List the review reasons',
        description:
          'Codes for decisions with their labels, in the order chosen by the operator. Other well-formed codes are also accepted.',
        answer: ReviewReasonSet,
        refusals: ['forbidden', 'insufficient-scope'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'view-queue')
      const body = JSON.stringify(await documentOf())
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )

  app.put(
    '/v2/admin/review-reasons',
    {
      config: { access: { credential: 'bearer', action: 'administer' } },
      schema: v2Operation({
        summary: 'Replace the review reasons',
        description: 'For admins with a browser session. Earlier decisions keep their codes.',
        body: ReviewReasons,
        answer: ReviewReasonSet,
        refusals: ['forbidden', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const { items } = await readChosen(request)
      await saveReasons(db, items, { by: auditActorOf(request.actor), at: now() })
      return secretly(reply).send(await documentOf())
    },
  )
}

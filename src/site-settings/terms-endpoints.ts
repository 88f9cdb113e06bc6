// GET /v2/terms for everybody and PUT /v2/admin/terms: the photo licence and the terms of uploads.
import type { FastifyInstance } from 'fastify'
import { auditActorOf, permit } from '../auth/guard.ts'
import { NewPhotoTerms, PhotoTerms } from '../shared/v2/image-schemas.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { requireMatch, secretly, sendRepresentation } from '../http/representation.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import type { Terms } from './terms.ts'

export function registerTermsEndpoints(app: FastifyInstance, { terms }: { readonly terms: Terms }): void {
  const readNew = createBodyReader(NewPhotoTerms)

  app.get(
    '/v2/terms',
    {
      config: { access: { credential: 'open' } },
      schema: v2Operation({
        summary: 'Get the photo licence and upload terms',
        description: 'Public. The current version is stored with each uploaded image.',
        answer: PhotoTerms,
        refusals: [],
      }),
    },
    async (request, reply) => {
      const body = JSON.stringify(await terms.read())
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )

  app.put(
    '/v2/admin/terms',
    {
      config: { access: { credential: 'bearer', action: 'administer' } },
      schema: v2Operation({
        summary: 'Set the photo licence and upload terms',
        description:
          'For admins with a browser session. Uploads with another version are refused from then on.',
        body: NewPhotoTerms,
        answer: PhotoTerms,
        refusals: ['forbidden', 'precondition-failed', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const wanted = await readNew(request)
      const chosen = await terms.choose(auditActorOf(request.actor), wanted, (current) =>
        requireMatch(request.headers['if-match'], () => [JSON.stringify(current)]),
      )
      return secretly(reply).send(chosen)
    },
  )
}

// POST /v2/review/claims and DELETE /v2/review/claims/{imageID}.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { accountOf, permit } from '../../auth/guard.ts'
import { parseId } from '../../shared/classic/classic-paths.ts'
import { writeTimestamp } from '../../shared/v2/timestamps.ts'
import { ClaimRequest, ClaimResults } from '../../shared/v2/review-schemas.ts'
import { v2Operation } from '../../http/openapi/openapi.ts'
import { secretly } from '../../http/representation.ts'
import { queryWord } from '../../http/paging.ts'
import { createBodyReader } from '../../http/bodies/v2-body.ts'
import { forEachImage } from '../bulk.ts'
import type { Claims } from './claims.ts'
import type { Review } from '../review.ts'

export interface ClaimsEndpointsDependencies {
  readonly claims: Claims
  readonly review: Review
  readonly publicUrl: string
}

const reviewing = { access: { credential: 'bearer', action: 'review-image' } } as const
const usualMinutes = 10

const releaseQuery = Type.Object({
  own: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: ['true', 'false'],
      default: 'false',
      description: "true: leave another reviewer's claim alone.",
    }),
  ),
})

export function registerClaimsEndpoints(
  app: FastifyInstance,
  { claims, review, publicUrl }: ClaimsEndpointsDependencies,
): void {
  const readClaim = createBodyReader(ClaimRequest)

  app.post(
    '/v2/review/claims',
    {
      config: reviewing,
      schema: v2Operation({
        summary: 'Claim images for review',
        description:
          'While a claim is active, no one else can decide on the image. It ends when it expires, with a decision, or when it is released; claiming again extends it. The response has a result for each ID.',
        body: ClaimRequest,
        answer: ClaimResults,
        refusals: ['forbidden', 'insufficient-scope', 'read-only'],
      }),
    },
    async (request, reply) => {
      const { actor } = request
      permit(actor, 'review-image')
      const { ids, minutes = usualMinutes, takeOver: takesOver = false } = await readClaim(request)
      await claims.forgetEnded()
      const work = async (imageID: number) => ({
        imageID,
        claimedUntil: writeTimestamp(await claims.claim(actor, imageID, { minutes, takesOver })),
      })
      return secretly(reply).send({ results: await forEachImage({ request, publicUrl, ids, work }) })
    },
  )

  app.delete<{ Params: { imageID: string } }>(
    '/v2/review/claims/:imageID',
    {
      config: reviewing,
      schema: v2Operation({
        ids: ['imageID'],
        summary: 'Release a claim',
        description: 'Your own, or that of another reviewer of the trail; if there is none, nothing happens.',
        query: releaseQuery,
        refusals: ['invalid-image-id', 'forbidden', 'insufficient-scope', 'read-only', 'invalid-query'],
      }),
    },
    async (request, reply) => {
      const { actor } = request
      const isOwn = queryWord(request, 'own', ['true', 'false']) === 'true'
      const imageId = await review.requireReviewable(actor, parseId(request.params.imageID))
      await claims.release(imageId, isOwn ? accountOf(actor).accountId : undefined)
      return secretly(reply).code(204).send()
    },
  )
}

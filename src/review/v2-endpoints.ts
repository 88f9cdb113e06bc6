// POST /v2/images/{imageID}/review.
import type { FastifyInstance } from 'fastify'
import type { Actor } from '../auth/guard.ts'
import { parseId } from '../contract/classic-paths.ts'
import { Image, ReviewDecision } from '../contract/v2-schemas.ts'
import { createBodyReader } from '../http/v2-body.ts'
import { v2Operation } from '../http/openapi.ts'
import type { Review } from './review.ts'

export interface ReviewEndpointsDependencies {
  readonly review: Review
  /** The image as v2 shows it, after the decision. */
  readonly showImage: (actor: Actor, imageId: number) => Promise<Image>
}

export function registerReviewEndpoints(
  app: FastifyInstance,
  { review, showImage }: ReviewEndpointsDependencies,
): void {
  const readDecision = createBodyReader(ReviewDecision)

  app.post<{ Params: { imageID: string } }>(
    '/v2/images/:imageID/review',
    {
      config: { access: { credential: 'bearer', deed: 'review-image' } },
      schema: v2Operation({
        ids: ['imageID'],
        summary: 'Decide on an image',
        description:
          'Moves the image to another state. Of two reviewers at once one wins, the other gets 409.',
        body: ReviewDecision,
        answer: Image,
        refusals: ['invalid-image-id', 'forbidden', 'insufficient-scope', 'already-decided', 'invalid-field'],
      }),
    },
    async (request, reply) => {
      const imageId = await review.requireReviewable(request.actor, parseId(request.params.imageID))
      const { decision, reason, note } = await readDecision(request)
      await review.decide(request.actor, imageId, { decision, reason, note })
      return reply.header('Cache-Control', 'private, no-store').send(await showImage(request.actor, imageId))
    },
  )
}

// POST /v2/images/{imageID}/review and …/undo, and POST /v2/review/bulk.
import type { FastifyInstance } from 'fastify'
import { permit, type Actor } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { BulkDecision, BulkResults, UndoRequest } from '../shared/v2/review-schemas.ts'
import { Image, ReviewDecision } from '../shared/v2/schemas.ts'
import type { Db } from '../database/database.ts'
import { hasBody } from '../http/bodies/incoming.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { requireMatch, secretly } from '../http/representation.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import { forEachImage } from './bulk.ts'
import { requireFreeReason } from './reasons.ts'
import type { Review, ReviewPrecondition } from './review.ts'
import type { Undo } from './undo.ts'

export interface ReviewEndpointsDependencies {
  readonly review: Review
  readonly undo: Undo
  /** The image as v2 shows it, after the decision. */
  readonly showImage: (actor: Actor, imageId: number) => Promise<Image>
  /** Every body that a GET of the image may return to this actor now, to compare with If-Match. */
  readonly representations: (db: Db, actor: Actor, imageId: number) => Promise<readonly string[]>
  readonly publicUrl: string
}

const reviewing = { access: { credential: 'bearer', action: 'review-image' } } as const

export function registerReviewEndpoints(
  app: FastifyInstance,
  { review, undo, showImage, representations, publicUrl }: ReviewEndpointsDependencies,
): void {
  const readDecision = createBodyReader(ReviewDecision)
  const readBulk = createBodyReader(BulkDecision)
  const readUndo = createBodyReader(UndoRequest)

  app.post<{ Params: { imageID: string } }>(
    '/v2/images/:imageID/review',
    {
      config: reviewing,
      schema: v2Operation({
        ids: ['imageID'],
        summary: 'Decide on an image',
        description:
          'Moves the image to another state. If two reviewers decide at the same time, one gets 409. With If-Match, the decision is refused if the texts have changed since they were read.',
        body: ReviewDecision,
        answer: Image,
        refusals: [
          'invalid-image-id',
          'forbidden',
          'insufficient-scope',
          'already-decided',
          'claimed',
          'precondition-failed',
          'read-only',
        ],
      }),
    },
    async (request, reply) => {
      const { actor, headers, params } = request
      const imageId = await review.requireReviewable(actor, parseId(params.imageID))
      const { decision, reason, note } = await readDecision(request)
      const precondition: ReviewPrecondition = async (tx) => {
        const found = await representations(tx, actor, imageId)
        requireMatch(headers['if-match'], () => found)
      }
      const hasCondition = headers['if-match'] !== undefined
      await review.decide(actor, imageId, { decision, reason, note }, hasCondition ? precondition : undefined)
      return secretly(reply).send(await showImage(actor, imageId))
    },
  )

  app.post<{ Params: { imageID: string } }>(
    '/v2/images/:imageID/undo',
    {
      config: reviewing,
      schema: v2Operation({
        ids: ['imageID'],
        summary: 'Undo the last decision on an image',
        description:
          'Moves the image back to its previous state; undoing an undo restores the decision. Refused once anything else has happened to the image. The body may be empty.',
        body: UndoRequest,
        answer: Image,
        refusals: [
          'invalid-image-id',
          'forbidden',
          'insufficient-scope',
          'already-decided',
          'not-undoable',
          'claimed',
          'read-only',
        ],
      }),
    },
    async (request, reply) => {
      const imageId = await review.requireReviewable(request.actor, parseId(request.params.imageID))
      const { note, position } = hasBody(request) ? await readUndo(request) : {}
      await undo.undo(request.actor, imageId, { note, position })
      return secretly(reply).send(await showImage(request.actor, imageId))
    },
  )

  app.post(
    '/v2/review/bulk',
    {
      config: reviewing,
      schema: v2Operation({
        summary: 'Decide on many images',
        description:
          'Each image is decided on separately, in the order of the IDs; a refused one does not stop the others. The response has a result for each. Duplicate IDs are processed once.',
        body: BulkDecision,
        answer: BulkResults,
        refusals: ['forbidden', 'insufficient-scope', 'read-only'],
      }),
    },
    async (request, reply) => {
      const { actor } = request
      permit(actor, 'review-image')
      const { ids, decision, reason, note } = await readBulk(request)
      requireFreeReason(reason)
      const work = async (imageID: number) => ({
        imageID,
        status: await review.decide(actor, imageID, { decision, reason, note }),
      })
      return secretly(reply).send({ results: await forEachImage({ request, publicUrl, ids, work }) })
    },
  )
}

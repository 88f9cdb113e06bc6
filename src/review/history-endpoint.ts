// GET /v2/images/{imageID}/history: every move of an image, for its submitter and for staff.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { isOwner, maySeeReviewers, permit, type Actor } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import { HistorySet, type HistoryEntry } from '../shared/v2/review-schemas.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { pageQuery, readPage, sendPage, wrongParameter } from '../http/paging.ts'
import { listHistory, type HistoryRow } from './history-table.ts'
import { readReasonLabels } from './reasons.ts'
import { findReviewedImage, type ReviewedImage } from './review-table.ts'

export interface HistoryEndpointDependencies {
  readonly db: Db
  readonly publicUrl: string
}

async function requireHistory(db: Db, actor: Actor, imageId: number | undefined): Promise<ReviewedImage> {
  const image = imageId === undefined ? undefined : await findReviewedImage(db, imageId)
  if (!image) throw refuse('invalid-image-id')
  permit(actor, 'view-history', image)
  return image
}

function presenterFor(actor: Actor, image: ReviewedImage, labels: ReadonlyMap<string, string>) {
  const isWhole = maySeeReviewers(actor, image)
  return ({ position, at, actorId, displayName, from, to, reason, note }: HistoryRow): HistoryEntry => {
    const isNamed = isWhole || isOwner(actor, { accountId: actorId })
    return {
      position,
      at: writeTimestamp(at),
      actor: isNamed ? { acctID: actorId, displayName } : null,
      from,
      to,
      reason,
      reasonLabel: (reason === null ? undefined : labels.get(reason)) ?? null,
      note: isWhole ? note : null,
    }
  }
}

export function registerHistoryEndpoint(
  app: FastifyInstance,
  { db, publicUrl }: HistoryEndpointDependencies,
): void {
  app.get<{ Params: { imageID: string } }>(
    '/v2/images/:imageID/history',
    {
      config: { access: { credential: 'bearer', action: 'view-history' } },
      schema: v2Operation({
        ids: ['imageID'],
        summary: 'Get the history of an image',
        description:
          'All moves, oldest first. Staff see everything; the submitter sees when and why, but not which staff member decided, nor their notes.',
        query: Type.Object(pageQuery),
        answer: HistorySet,
        refusals: ['invalid-image-id', 'forbidden', 'insufficient-scope', 'invalid-query'],
      }),
    },
    async (request, reply) => {
      const image = await requireHistory(db, request.actor, parseId(request.params.imageID))
      const { limit, after } = readPage(request, 1)
      const position = after === undefined ? 0 : parseId(after[0] ?? '')
      if (position === undefined) throw wrongParameter('cursor', 'the "next" of a previous response')
      const rows = await listHistory(db, image.id, { after: position, limit: limit + 1 })
      const show = presenterFor(request.actor, image, await readReasonLabels(db))
      return sendPage(request, reply, {
        rows,
        limit,
        show,
        cursorOf: ({ position: last }) => [last],
        publicUrl,
      })
    },
  )
}

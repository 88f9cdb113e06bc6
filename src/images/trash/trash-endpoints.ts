// DELETE /v2/images/{imageID}, POST /v2/images/{imageID}/restore and GET /v2/trash.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { maySeeReviewers, permit, type Actor } from '../../auth/guard.ts'
import { parseId } from '../../shared/classic/classic-paths.ts'
import { writeTimestamp } from '../../shared/v2/timestamps.ts'
import { trashDays, TrashSet, type TrashedImage } from '../../shared/v2/image-schemas.ts'
import { Image } from '../../shared/v2/schemas.ts'
import { v2Operation } from '../../http/openapi/openapi.ts'
import { pageQuery, readPage, sendPage, wrongParameter } from '../../http/paging.ts'
import { requireMatch, secretly } from '../../http/representation.ts'
import type { Images } from '../images.ts'
import type { Present } from '../present.ts'
import type { TrashRow } from './trash-table.ts'
import { trashMs, type Trash } from './trash.ts'

export interface TrashEndpointsDependencies {
  readonly trash: Trash
  readonly images: Images
  readonly present: Present
  readonly publicUrl: string
}

type OnImage = { Params: { imageID: string } }

const changing = { access: { credential: 'bearer', action: 'delete-image' } } as const

function showTo(actor: Actor, row: TrashRow): TrashedImage {
  const deletedAt = row.deletedAt ?? 0
  const isDeleterShown =
    row.deleterId === row.submitterId || maySeeReviewers(actor, { ...row, state: 'deleted' })
  return {
    imageID: row.id,
    trailID: row.trailId,
    trailName: row.trailName,
    title: row.title,
    caption: row.caption,
    status: row.deletedFrom ?? '',
    submitterID: row.submitterId,
    displayName: row.displayName,
    deletedAt: writeTimestamp(deletedAt),
    deletedBy: isDeleterShown ? { acctID: row.deleterId, displayName: row.deleterName } : null,
    goneAt: writeTimestamp(deletedAt + trashMs),
  }
}

function cursorIn(after: readonly string[] | undefined) {
  if (after === undefined) return undefined
  const [deletedAt = Number.NaN, id = Number.NaN] = after.map(Number)
  if (Number.isSafeInteger(deletedAt) && Number.isSafeInteger(id)) return { deletedAt, id }
  throw wrongParameter('cursor', 'the "next" of a previous response')
}

export function registerTrashEndpoints(app: FastifyInstance, dependencies: TrashEndpointsDependencies): void {
  const { trash, images, present, publicUrl } = dependencies

  app.delete<OnImage>(
    '/v2/images/:imageID',
    {
      config: changing,
      schema: v2Operation({
        ids: ['imageID'],
        summary: 'Delete an image',
        description: `For the submitter and staff, in any state. It can be restored for ${trashDays} days; everywhere else it is treated as unknown.`,
        refusals: ['invalid-image-id', 'insufficient-scope', 'forbidden', 'precondition-failed', 'read-only'],
      }),
    },
    async (request, reply) => {
      const { actor, headers } = request
      const imageId = await trash.requireDeletable(actor, parseId(request.params.imageID))
      await trash.remove(actor, imageId, (image) =>
        requireMatch(headers['if-match'], () => present.representations(actor, image)),
      )
      return secretly(reply).code(204).send()
    },
  )

  app.post<OnImage>(
    '/v2/images/:imageID/restore',
    {
      config: changing,
      schema: v2Operation({
        ids: ['imageID'],
        summary: 'Restore an image from the trash',
        description: 'For the submitter and staff. It returns to its previous state.',
        answer: Image,
        refusals: [
          'invalid-image-id',
          'insufficient-scope',
          'forbidden',
          'not-deleted',
          'quota-reached',
          'read-only',
        ],
      }),
    },
    async (request, reply) => {
      const imageId = parseId(request.params.imageID)
      await trash.restore(request.actor, imageId)
      const image = await images.require(request.actor, { imageId })
      return secretly(reply).send(present.v2Image(request.actor, image))
    },
  )

  app.get(
    '/v2/trash',
    {
      config: { access: { credential: 'bearer', action: 'list-images' } },
      schema: v2Operation({
        summary: 'List deleted images',
        description: `Your own; with images:review, staff also get those of the trails they review. Most recently deleted first, each for ${trashDays} days.`,
        query: Type.Object(pageQuery),
        answer: TrashSet,
        refusals: ['invalid-query', 'insufficient-scope', 'forbidden'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'list-images')
      const { limit, after } = readPage(request, 2)
      const rows = await trash.list(request.actor, cursorIn(after), limit + 1)
      const show = (row: TrashRow): TrashedImage => showTo(request.actor, row)
      const cursorOf = ({ deletedAt, id }: TrashRow) => [deletedAt ?? 0, id]
      return sendPage(request, reply, { rows, limit, show, cursorOf, publicUrl })
    },
  )
}

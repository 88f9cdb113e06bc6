// GET /v2/images; GET and PATCH /v2/images/{imageID}.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { permit } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { decidedStates } from '../shared/image-states.ts'
import { ImagePatch } from '../shared/v2/image-schemas.ts'
import { Image, ImageSet } from '../shared/v2/schemas.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { idQuery, boxQuery, pageQuery, sendPageOfTexts, takenQuery } from '../http/paging.ts'
import { ifMatchPrecondition, sendRepresentation } from '../http/representation.ts'
import { createBodyReader, requireJsonBody } from '../http/bodies/v2-body.ts'
import type { ImageTexts } from './image-texts.ts'
import type { Image as StoredImage, Images } from './images.ts'
import type { Present } from './present.ts'
import { readSentDetails } from './v2-details.ts'
import { cursorOf, readPageRequest } from './v2-query.ts'
import { stringEnum } from '../shared/v2/schema-parts.ts'

export interface V2ImageEndpointsDependencies {
  readonly images: Images
  readonly present: Present
  readonly texts: ImageTexts
  readonly publicUrl: string
}

const since = Type.Optional(
  Type.String({ format: 'date-time', description: 'Uploaded at or after this time.' }),
)

/** The filters of every set of images. */
export const placeAndTimeQuery = { bbox: boxQuery, since, ...takenQuery }

const listQuery = Type.Object({
  status: Type.Optional(stringEnum(decidedStates)),
  trailID: idQuery(),
  submitterID: idQuery(),
  ...placeAndTimeQuery,
  ...pageQuery,
})

export function registerV2ImageEndpoints(
  app: FastifyInstance,
  dependencies: V2ImageEndpointsDependencies,
): void {
  const { images, present, texts, publicUrl } = dependencies
  const readPatch = createBodyReader(ImagePatch)

  app.get(
    '/v2/images',
    {
      config: { access: { credential: 'bearer', action: 'list-images' } },
      schema: v2Operation({
        summary: 'List your images; for staff, all',
        description: 'Your own images in any state; with images:review, staff get all images. Newest first.',
        query: listQuery,
        answer: ImageSet,
        refusals: ['invalid-query', 'insufficient-scope'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'list-images')
      const { filters, limit } = readPageRequest(request)
      // One more than the page tells whether there is a next one.
      request.cacheAnswer({ dependsOn: ['photos'] })
      const rows = await images.list(request.actor, filters, limit + 1)
      const show = (image: StoredImage): string => texts.of(request.actor, image, request.commitsBefore)
      return sendPageOfTexts(request, reply, { rows, limit, show, cursorOf, publicUrl })
    },
  )

  app.get<{ Params: { imageID: string } }>(
    '/v2/images/:imageID',
    {
      config: { access: { credential: 'reader', action: 'view-image', isForVisitors: true } },
      schema: v2Operation({
        ids: ['imageID'],
        summary: 'Get an image',
        description: 'Published images with any API key or token; in any state for the submitter and staff.',
        answer: Image,
        refusals: ['invalid-image-id', 'insufficient-scope'],
      }),
    },
    async (request, reply) => {
      const image = await images.require(request.actor, { imageId: parseId(request.params.imageID) })
      permit(request.actor, 'view-image', image)
      request.cacheAnswer({ dependsOn: [`image:${image.id}`] })
      const body = JSON.stringify(present.v2Image(request.actor, image))
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )

  app.patch<{ Params: { imageID: string } }>(
    '/v2/images/:imageID',
    {
      config: { access: { credential: 'bearer', action: 'edit-image' } },
      schema: v2Operation({
        ids: ['imageID'],
        summary: 'Change the details of an image',
        description:
          'Omitted fields are not changed. If the title or caption of a published image changes, it stays published and is marked as edited for review, or becomes pending again, depending on the setting EDITED_PHOTOS.',
        body: ImagePatch,
        answer: Image,
        refusals: ['invalid-image-id', 'insufficient-scope', 'forbidden', 'precondition-failed', 'read-only'],
      }),
    },
    async (request, reply) => {
      const { actor } = request
      const path = { imageId: parseId(request.params.imageID) }
      const precondition = ifMatchPrecondition(request, (image: StoredImage) =>
        present.representations(actor, image),
      )
      await images.requireEditable(actor, path)
      requireJsonBody(request)
      precondition?.(await images.require(actor, path))
      const details = readSentDetails(await readPatch(request))
      await images.change(actor, path, { ...details, imageID: undefined, trailID: undefined }, precondition)
      const body = JSON.stringify(present.v2Image(actor, await images.require(actor, path)))
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )
}

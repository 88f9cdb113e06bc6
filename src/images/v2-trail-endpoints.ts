// /v2/trails/{trailID}/images: the listed images of a trail, and an upload with its details in one call (contract, Part D).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { daysSearchableBy, permit, type TakenAtSetting } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { listedUploadTypes, mayBeDeclaredAsUpload } from '../shared/formats/converted-formats.ts'
import { ImageDetails } from '../shared/v2/image-schemas.ts'
import { stringEnum } from '../shared/v2/schema-parts.ts'
import { Image, ImageSet } from '../shared/v2/schemas.ts'
import { clip } from '../shared/xml/xml-names.ts'
import { refuse } from '../errors.ts'
import { makesOnce, v2Operation } from '../http/openapi/openapi.ts'
import { pageQuery, sendPageOfTexts } from '../http/paging.ts'
import { secretly } from '../http/representation.ts'
import { openForm } from '../http/bodies/multipart.ts'
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts'
import type { ImageTexts } from './image-texts.ts'
import type { Images } from './images.ts'
import type { Present } from './present.ts'
import type { Upload } from './upload/upload.ts'
import { readUploadDetails } from './v2-details.ts'
import { placeAndTimeQuery } from './v2-endpoints.ts'
import {
  listedCursorOf,
  listedOrders,
  readListedRequest,
  type ListedRequest,
  type ListedRow,
} from './v2-query.ts'

export interface V2TrailImagesDependencies {
  readonly images: Images
  readonly upload: Upload
  readonly present: Present
  readonly texts: ImageTexts
  /** @throws refusal `invalid-trail-id`. */
  readonly requireTrail: (trailId: number | undefined) => Promise<{ readonly id: number }>
  readonly publicUrl: string
  /** Setting TAKEN_AT. */
  readonly takenAt: TakenAtSetting
}

const order = Type.Optional(
  stringEnum(
    listedOrders,
    'By upload, by the day they were taken, or along the line of the trail; those without a day or milesAlong last. Where the days are hidden (setting TAKEN_AT), by upload instead.',
  ),
)

type OnTrail = { Params: { trailID: string } }

/** Of the boundaries and the headers of the parts. */
const framingBytes = 16 * 1024

/** @throws refusal `unsupported-image-type`. */
function checkFile(type: string | undefined): void {
  if (mayBeDeclaredAsUpload(type)) return
  throw refuse('unsupported-image-type', {
    detail: `The Content-Type of the part file is ${clip(String(type))}; use ${listedUploadTypes}, or omit it.`,
  })
}

/** The form of an upload; nothing of it is read yet. @throws refusal `unsupported-media-type`. */
function openUpload(request: FastifyRequest) {
  const { maxImageBytes, maxDetailsBytes } = request.server.limits
  return openForm(request, {
    file: 'file',
    fields: ['details'],
    maxFieldBytes: maxDetailsBytes,
    maxBytes: maxImageBytes + maxDetailsBytes + framingBytes,
    checkFile,
  })
}

const uploadedFile =
  'A JPEG, GIF, PNG, BMP, HEIC, AVIF or WebP of at most 8 MB. Of the last three, the first picture is shown, converted to JPEG, or to PNG if it has transparency.'

const uploadForm = {
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: {
          file: { type: 'string', format: 'binary', description: uploadedFile },
          details: { ...ImageDetails, description: 'JSON; before or after the file; optional.' },
        },
        required: ['file'],
      },
      encoding: { details: { contentType: 'application/json' } },
    },
  },
}

const uploadOperation = v2Operation({
  ids: ['trailID'],
  summary: 'Upload an image with its details',
  description:
    'Both are stored, or neither. The image is pending until it is reviewed. A position in the details overrides the one in the file.',
  status: 201,
  isLocated: true,
  answer: Image,
  refusals: [
    'invalid-trail-id',
    'insufficient-scope',
    'forbidden',
    'quota-reached',
    'invalid-header',
    'idempotency-key-reused',
    'already-done',
    'other-terms',
    'request-timeout',
    'malformed-body',
    'invalid-field',
    'body-too-large',
    'empty-image',
    'image-too-large',
    'unsupported-image-type',
    'unsupported-media-type',
    'broken-image',
    'image-dimensions-too-large',
    'read-only',
  ],
})

export function registerV2TrailImageEndpoints(
  app: FastifyInstance,
  dependencies: V2TrailImagesDependencies,
): void {
  const { images, upload, present, texts, requireTrail, publicUrl, takenAt } = dependencies

  function listedPage(trailId: number, { limit, ...asked }: ListedRequest): Promise<readonly ListedRow[]> {
    if (asked.order === 'along') return images.listListedAlong(trailId, asked.filters, limit + 1)
    return asked.order === 'posted'
      ? images.listListedPage(trailId, asked.filters, limit + 1)
      : images.listListedByDay(trailId, asked.filters, limit + 1)
  }

  app.get<OnTrail>(
    '/v2/trails/:trailID/images',
    {
      config: { access: { credential: 'reader', action: 'list-images', isForVisitors: true } },
      schema: v2Operation({
        ids: ['trailID'],
        summary: 'List the images of a trail',
        description:
          'Published images in order of upload, of the day they were taken, or along the trail; the same ones for everyone, including staff.',
        query: Type.Object({ ...placeAndTimeQuery, order, ...pageQuery }),
        answer: ImageSet,
        refusals: ['invalid-trail-id', 'invalid-api-key', 'insufficient-scope', 'invalid-query'],
      }),
    },
    async (request, reply) => {
      const trail = await requireTrail(parseId(request.params.trailID))
      permit(request.actor, 'list-images')
      const asked = readListedRequest(request, daysSearchableBy(request.actor, trail.id, takenAt))
      const { limit } = asked
      request.cacheAnswer({ dependsOn: [`trail:${trail.id}`] })
      const rows = await listedPage(trail.id, asked)
      const found = await texts.find(
        request.actor,
        rows.slice(0, limit).map(({ id }) => id),
      )
      const show = ({ id }: ListedRow): string | undefined => {
        const text = found.get(id)
        return text?.state === 'approved' ? text.json : undefined // removed since its id was read
      }
      return sendPageOfTexts(request, reply, { rows, limit, show, cursorOf: listedCursorOf, publicUrl })
    },
  )

  const { 201: made, ...problems } = uploadOperation.response as Record<string, object>
  const found = {
    ...made,
    description:
      'The pending image that the same bytes created in the last 24 hours without details or Idempotency-Key, if its details were never set.',
  }

  app.post<OnTrail>(
    '/v2/trails/:trailID/images',
    {
      config: { access: { credential: 'bearer', action: 'upload-image' }, isUpload: true },
      schema: {
        ...uploadOperation,
        ...makesOnce,
        body: uploadForm,
        response: { 200: found, 201: made, ...problems },
      },
    },
    async (request, reply) => {
      const { actor, headers, raw } = request
      const { id: trailId } = await requireTrail(parseId(request.params.trailID))
      permit(actor, 'upload-image')
      const form = openUpload(request)
      const key = readIdempotencyKey(raw.headersDistinct['idempotency-key'])
      const path = `/v2/trails/${trailId}/images`
      const into = await upload.requireRoom(actor, { trailId, key, path, takes: 'any' })
      const { maxDetailsBytes } = app.limits
      upload.requireSmall(Number(headers['content-length'] ?? 0) - maxDetailsBytes - framingBytes)
      const { imageId, how } = await upload.take(actor, into, form.file, () =>
        readUploadDetails(form.field('details')),
      )
      const image = await images.find(actor, { imageId })
      if (!image)
        throw refuse('already-done', {
          detail: `This request created the image ${imageId}, which has been deleted since.`,
        })
      return secretly(reply)
        .code(how === 'made' ? 201 : 200)
        .header('Location', `${publicUrl}/v2/images/${imageId}`)
        .send(present.v2Image(actor, image))
    },
  )
}

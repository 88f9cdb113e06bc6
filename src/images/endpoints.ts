// The classic image endpoints: /Trails/<trailID>/Images and /Trails/<trailID>/Images/<imageID> (contract A4, C3).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { permit } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { readDetails, type DetailsChange } from '../shared/classic/details.ts'
import { defaultFormType } from '../shared/classic/media-types.ts'
import { listedMimeTypes, mayBeDeclared } from '../shared/formats/image-formats.ts'
import { writeJsonBoolean, writeJsonLong } from '../shared/json/json.ts'
import { clip } from '../shared/xml/xml-names.ts'
import { writeXmlBoolean, writeXmlLong } from '../shared/xml/xml.ts'
import { Refusal, refuse } from '../errors.ts'
import {
  addVary,
  answerFormat,
  bodyOf,
  declaredFormat,
  declaredType,
  readBody,
  type DeclaredFormat,
} from '../http/codec.ts'
import { changeImage, getImage, listTrailImages, uploadImage } from './classic-operations.ts'
import { ifMatchPrecondition, sendMade, sendRepresentation } from '../http/representation.ts'
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts'
import type { Image, ImagePath, Images } from './images.ts'
import type { ListBodies } from './list/list-bodies.ts'
import type { Present } from './present.ts'
import { imagesPath } from './upload/repeated-upload.ts'
import type { Upload } from './upload/upload.ts'

export interface ImageEndpointsDependencies {
  readonly images: Images
  readonly listBodies: ListBodies
  readonly upload: Upload
  readonly present: Present
  /** @throws refusal `invalid-trail-id`. */
  readonly requireTrail: (trailId: number | undefined) => Promise<{ readonly id: number }>
  readonly publicUrl: string
}

type OnTrail = { Params: { trailID: string } }
type OnImage = { Params: { trailID: string; imageID: string } }

/** @throws refusal `unsupported-image-type` for an upload that is declared as something else than an image. */
function requireImageDeclared(request: FastifyRequest): void {
  const { essence } = declaredType(request)
  if (mayBeDeclared(essence) || essence === defaultFormType) return
  throw refuse('unsupported-image-type', {
    detail: `The Content-Type is ${clip(String(essence))}; send the raw bytes as ${listedMimeTypes}.`,
  })
}

async function readChange(
  request: FastifyRequest,
  { formatOf, charset }: DeclaredFormat,
): Promise<DetailsChange> {
  const body = await readBody(request)
  const reading = readDetails(formatOf(body), body, charset)
  if (!reading.ok) throw refuse(reading.fault.code, { detail: reading.fault.detail })
  return reading.value
}

export function registerImageEndpoints(app: FastifyInstance, dependencies: ImageEndpointsDependencies): void {
  const { images, listBodies, upload, present, requireTrail, publicUrl } = dependencies

  /** Looks up the trail only if the image is not found on it, so that the response says which of the two is missing. */
  async function onPath<Found>(
    { params }: FastifyRequest<OnImage>,
    find: (path: Required<ImagePath>) => Promise<Found>,
  ): Promise<Found> {
    const trailId = parseId(params.trailID)
    if (trailId === undefined) throw refuse('invalid-trail-id')
    try {
      return await find({ trailId, imageId: parseId(params.imageID) })
    } catch (error) {
      if (error instanceof Refusal && error.code === 'invalid-image-id') await requireTrail(trailId)
      throw error
    }
  }

  app.get<OnTrail>('/Trails/:trailID/Images', listTrailImages, async (request, reply) => {
    const trail = await requireTrail(parseId(request.params.trailID))
    permit(request.actor, 'list-images')
    const { name: format, mediaType } = answerFormat(request, reply)
    addVary(reply, 'Accept-Encoding')
    const acceptEncoding = request.headers['accept-encoding']
    const { body, hold, isFinal, etags } = await listBodies.answer(request.actor, trail.id, {
      format,
      acceptEncoding,
    })
    if (isFinal) request.cacheAnswer({ dependsOn: [`trail:${trail.id}`] })
    if (hold !== undefined && !reply.raw.closed) reply.raw.once('close', hold())
    return sendMade(request, reply, { mediaType, body, etags })
  })

  app.post<OnTrail>('/Trails/:trailID/Images', uploadImage, async (request, reply) => {
    const trail = await requireTrail(parseId(request.params.trailID))
    permit(request.actor, 'upload-image')
    const { name, mediaType } = answerFormat(request, reply)
    requireImageDeclared(request)
    const key = readIdempotencyKey(request.raw.headersDistinct['idempotency-key'])
    const into = await upload.requireRoom(request.actor, { trailId: trail.id, key })
    upload.requireSmall(Number(request.headers['content-length'] ?? 0))
    const { imageId, how } = await upload.take(request.actor, into, bodyOf(request))
    return reply
      .code(how === 'made' ? 201 : 200)
      .header('Location', `${publicUrl}${imagesPath(trail.id)}/${imageId}`)
      .header('Cache-Control', 'private, no-store')
      .header('Content-Type', `${mediaType}; charset=utf-8`)
      .send(name === 'json' ? writeJsonLong(imageId) : writeXmlLong(imageId))
  })

  app.get<OnImage>('/Trails/:trailID/Images/:imageID', getImage, async (request, reply) => {
    const image = await onPath(request, (path) => images.require(request.actor, path))
    permit(request.actor, 'view-image', image)
    const { name, mediaType } = answerFormat(request, reply)
    request.cacheAnswer({ dependsOn: [`image:${image.id}`] })
    return sendRepresentation(request, reply, {
      mediaType,
      body: present.details(request.actor, image, name),
    })
  })

  app.put<OnImage>('/Trails/:trailID/Images/:imageID', changeImage, async (request, reply) => {
    const { actor } = request
    const path = await onPath(request, async (named) => {
      await images.requireEditable(actor, named)
      return named
    })
    const { name, mediaType } = answerFormat(request, reply)
    const type = declaredFormat(request, 'details')
    const precondition = ifMatchPrecondition(request, (current: Image) =>
      present.representations(actor, current),
    )
    precondition?.(await images.require(actor, path))
    await images.change(actor, path, await readChange(request, type), precondition)
    return reply
      .header('Cache-Control', 'private, no-store')
      .header('Content-Type', `${mediaType}; charset=utf-8`)
      .send(name === 'json' ? writeJsonBoolean(true) : writeXmlBoolean(true))
  })
}

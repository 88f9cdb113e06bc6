// The image handler: GET /ImageHandler?id=&t=&f= gives an image in one of its sizes (contract A5, C24–C27).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import parseRange from 'range-parser'
import { maySeeFile, viewerOf } from '../auth/guard.ts'
import { parseId } from '../contract/classic-paths.ts'
import { defaultImageSize, isImageSize, renditionMimeTypes, type ImageSize } from '../contract/image-sizes.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { viewImage } from '../http/classic-operations.ts'
import { addVary } from '../http/codec.ts'
import { giveBackOnceSent } from '../http/give-back.ts'
import { isNotModified } from '../http/representation.ts'
import { findImageFile, type ImageFile } from './image-table.ts'
import type { RenditionStore } from './rendition-store.ts'

export interface HandlerDependencies {
  readonly db: Db
  readonly store: RenditionStore
  /** Setting IMAGE_MAX_AGE, in seconds. */
  readonly imageMaxAge: number
  /** Setting PENDING_VIEW. */
  readonly pendingView: 'anyone' | 'owner'
}

interface View {
  /** undefined for a well-formed number that no image can have. */
  readonly imageId: number | undefined
  readonly size: ImageSize
  readonly isWebp: boolean
}

function readView(query: Readonly<Record<string, unknown>>): View {
  const { id, t = defaultImageSize, f } = query
  if (typeof id !== 'string' || !/^\d+$/.test(id)) {
    throw refuse('invalid-query', { detail: 'The parameter id must be the id of an image.' })
  }
  if (typeof t !== 'string' || !isImageSize(t)) {
    throw refuse('invalid-query', { detail: 'The parameter t must be sm, 150, md, 640 or lg.' })
  }
  if (f !== undefined && f !== 'webp') {
    throw refuse('invalid-query', { detail: 'The parameter f may only be webp.' })
  }
  return { imageId: parseId(id), size: t, isWebp: f === 'webp' }
}

/** `sm.jpeg` → `image/jpeg`; size lg has the type of the upload. */
function mediaTypeOf(name: string, image: ImageFile): string {
  const format = name.split('.')[1]
  const known = Object.entries(renditionMimeTypes).find(([candidate]) => candidate === format)
  return known?.[1] ?? image.mimeType
}

/** The one range asked for, or undefined for the whole; several at once are answered with the whole, as RFC 9110 allows. */
function wantedRange(
  request: FastifyRequest,
  bytes: number,
  etag: string,
): { start: number; end: number } | undefined {
  const { range, 'if-range': ifRange } = request.headers
  // A range is defined for GET alone, and one in another unit than bytes says nothing (RFC 9110, section 14.2).
  if (range === undefined || request.method !== 'GET' || !/^bytes=/i.test(range)) return undefined
  if (ifRange !== undefined && ifRange !== etag) return undefined
  // More of the end than there is means all of it, which range-parser takes for unsatisfiable.
  const suffix = /^bytes=\s*-(\d+)\s*$/i.exec(range)?.[1]
  if (suffix !== undefined && Number(suffix) >= bytes) return { start: 0, end: bytes - 1 }
  const ranges = parseRange(bytes, range)
  if (ranges === -1) {
    throw refuse('range-not-satisfiable', { headers: { 'Content-Range': `bytes */${bytes}` } })
  }
  const [only, ...others] = ranges === -2 ? [] : ranges
  return others.length === 0 ? only : undefined
}

export function registerHandlerEndpoint(app: FastifyInstance, dependencies: HandlerDependencies): void {
  const { db, store, imageMaxAge, pendingView } = dependencies

  function setHeaders(reply: FastifyReply, image: ImageFile, mediaType: string, digest: string): string {
    const etag = `"${digest.slice(0, 32)}"`
    const isListed = image.state === 'approved'
    void reply.headers({
      ETag: etag,
      'Content-Type': mediaType,
      'Content-Disposition': 'inline',
      'Cache-Control': isListed ? `public, max-age=${imageMaxAge}` : 'private, no-store',
      // An upload that also reads as a page or a script is never run as one, whoever opens or embeds it.
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ...(isListed ? {} : { 'X-Robots-Tag': 'noindex' }),
    })
    if (!isListed) addVary(reply, 'Authorization')
    return etag
  }

  async function sendSmall(request: FastifyRequest, reply: FastifyReply, image: ImageFile, view: View) {
    const names = view.isWebp ? [`${view.size}.webp`] : [`${view.size}.jpeg`, `${view.size}.png`]
    const { rendition, taken } = await store.readSmall(image.sha256, names)
    const etag = setHeaders(reply, image, mediaTypeOf(rendition.name, image), rendition.digest)
    return isNotModified(request, etag) ? reply.code(304).send() : reply.send(taken)
  }

  async function sendLarge(request: FastifyRequest, reply: FastifyReply, image: ImageFile) {
    const { rendition, taken: blob } = await store.openLarge(image.sha256)
    let isStreamed = false
    try {
      const etag = setHeaders(reply, image, image.mimeType, rendition.digest)
      void reply.header('Accept-Ranges', 'bytes')
      if (isNotModified(request, etag)) return await reply.code(304).send()
      const range = wantedRange(request, blob.bytes, etag)
      const { start, end } = range ?? { start: 0, end: blob.bytes - 1 }
      if (range) void reply.code(206).header('Content-Range', `bytes ${start}-${end}/${blob.bytes}`)
      void reply.header('Content-Length', end - start + 1)
      isStreamed = true
      giveBackOnceSent(reply.raw)
      return await reply.send(blob.stream(start, end))
    } finally {
      if (!isStreamed) await blob.close()
    }
  }

  app.get('/ImageHandler', viewImage, async (request, reply) => {
    const view = readView(request.query as Record<string, unknown>)
    const image = view.imageId === undefined ? undefined : await findImageFile(db, view.imageId)
    if (!image || !maySeeFile(viewerOf(request.actor), image, pendingView)) throw refuse('invalid-image-id')
    return view.size === 'lg' ? sendLarge(request, reply, image) : sendSmall(request, reply, image, view)
  })
}

// The image handler: GET /ImageHandler?id=&t=&f= gives an image in one of its sizes (contract A5, C24–C27).
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { maySeeFile, viewerOf } from '../../auth/guard.ts'
import { parseId } from '../../shared/classic/classic-paths.ts'
import { defaultImageSize, isImageSize, listedSizes, type ImageSize } from '../../shared/image-sizes.ts'
import type { Db } from '../../database/database.ts'
import { refuse, Refusal, type RefusalCode } from '../../errors.ts'
import { wantedRange } from '../../http/byte-ranges.ts'
import { viewImage } from '../classic-operations.ts'
import type { CachePolicy } from '../../http/answers/cache-policy.ts'
import { addVary } from '../../http/codec.ts'
import { releaseOnceSent } from '../../http/bodies/release-memory.ts'
import { costOfBytes } from '../../http/rates/rate-limits.ts'
import { isNotModified } from '../../http/representation.ts'
import { createFileQuery, type ImageFile } from '../image-table.ts'
import type { StoredRendition } from '../storage/rendition-table.ts'
import { cachedRendition, createRenditionCache } from './rendition-cache.ts'
import type { Offload } from './offload.ts'
import type { RenditionStore } from './rendition-store.ts'
import { headersOfView, namesOf } from './view-headers.ts'

export interface HandlerDependencies {
  readonly db: Db
  readonly store: RenditionStore
  /** Setting IMAGE_MAX_AGE, in seconds. */
  readonly imageMaxAge: number
  /** Setting IMAGE_CACHE_MEGABYTES. */
  readonly imageCacheMegabytes: number
  /** Setting PENDING_VIEW. */
  readonly pendingView: 'anyone' | 'owner'
  /** Leaves size lg to a proxy, where one asks for it. */
  readonly offload: Offload
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
    throw refuse('invalid-query', { detail: 'The parameter id must be the ID of an image.' })
  }
  if (typeof t !== 'string' || !isImageSize(t)) {
    throw refuse('invalid-query', { detail: `The parameter t must be ${listedSizes}.` })
  }
  if (f !== undefined && f !== 'webp') {
    throw refuse('invalid-query', { detail: 'The parameter f must be webp.' })
  }
  return { imageId: parseId(id), size: t, isWebp: f === 'webp' }
}

const isOfWorker: ReadonlySet<RefusalCode> = new Set(['busy', 'broken-image'])

export function registerHandlerEndpoint(app: FastifyInstance, dependencies: HandlerDependencies): void {
  const { db, store, imageMaxAge, pendingView, offload } = dependencies
  const findFile = createFileQuery(db)
  const cache = createRenditionCache(dependencies.imageCacheMegabytes)

  function setHeaders(reply: FastifyReply, image: ImageFile, rendition: StoredRendition): string {
    const headers = headersOfView(image, rendition, imageMaxAge)
    void reply.headers(headers)
    if (image.state !== 'approved') addVary(reply, 'Authorization')
    return headers.etag
  }

  /** What is listed is the same for everybody; whether anything else is shown depends on who asks. */
  function cacheAnswer(
    request: FastifyRequest,
    image: ImageFile,
    policy: Pick<CachePolicy, 'body' | 'lend'>,
  ): void {
    if (image.state === 'approved')
      request.cacheAnswer({ dependsOn: [`image:${image.id}`], isForEveryone: true, ...policy })
  }

  /** Where WebP cannot be made, or there is no time for it, the picture goes out as it is without it. */
  async function sendSmall(request: FastifyRequest, reply: FastifyReply, image: ImageFile, view: View) {
    try {
      return await sendAsked(request, reply, image, view)
    } catch (error) {
      if (!view.isWebp || !(error instanceof Refusal) || !isOfWorker.has(error.code)) throw error
      const { rendition, bytes } = await readSmall(image, namesOf({ ...view, isWebp: false }))
      setHeaders(reply, image, rendition)
      return reply.header('Cache-Control', 'no-store').send(bytes)
    }
  }

  async function sendAsked(request: FastifyRequest, reply: FastifyReply, image: ImageFile, view: View) {
    const names = namesOf(view)
    const cached = cache.findSmall(image.sha256, names)
    if (cached === undefined && request.headers['if-none-match'] !== undefined) {
      const known = await store.describeSmall(image.sha256, names)
      if (isNotModified(request, setHeaders(reply, image, known))) {
        cacheAnswer(request, image, {})
        return reply.code(304).send()
      }
    }
    if (cached === undefined && request.method === 'HEAD')
      return tellOf(reply, image, await store.findSmall(image.sha256, names))
    const { rendition, bytes } = cached ?? (await readSmall(image, names))
    cacheAnswer(request, image, { body: () => cache.findSmall(image.sha256, names)?.body })
    const etag = setHeaders(reply, image, rendition)
    return isNotModified(request, etag) ? reply.code(304).send() : reply.send(bytes)
  }

  /**
   * What a GET would say, without its bytes. That they are there is asked all the same: a HEAD that said so of what is lost
   * would be wrong, and to whoever checks links this is the whole question.
   */
  function tellOf(reply: FastifyReply, image: ImageFile, rendition: StoredRendition) {
    setHeaders(reply, image, rendition)
    // Of an empty text Fastify would tell the length; of a stream it says what is set.
    return reply.header('Content-Length', rendition.bytes).send(Readable.from([]))
  }

  async function readSmall({ sha256 }: ImageFile, names: readonly string[]) {
    const { rendition, taken: bytes } = await store.readSmall(sha256, names)
    const read = cachedRendition(rendition, bytes)
    cache.keepSmall(sha256, names, read)
    return read
  }

  /** The whole of it in memory, where there is room: to send it in many pieces costs four times what one does. */
  async function readWhole(reply: FastifyReply, { sha256 }: ImageFile, bytes: number) {
    if (reply.raw.closed) return undefined // it would tell of its end no more
    const release = cache.reserve(bytes)
    if (release === undefined) return undefined
    reply.raw.once('close', release)
    const { rendition, taken } = await store.readLarge(sha256)
    const read = cachedRendition(rendition, taken)
    cache.keepLarge(sha256, read)
    return read
  }

  /** Opened last of all, and not to be told what the database knows: a store may be a network away. */
  async function sendLarge(request: FastifyRequest, reply: FastifyReply, image: ImageFile) {
    const known = await store.describeLarge(image.sha256)
    const etag = setHeaders(reply, image, known)
    void reply.header('Accept-Ranges', 'bytes')
    if (isNotModified(request, etag)) {
      cacheAnswer(request, image, {})
      return reply.code(304).send()
    }
    if (request.method === 'HEAD') {
      const { rendition, taken: blob } = await store.openLarge(image.sha256)
      await blob.close()
      return tellOf(reply, image, rendition)
    }
    const range = wantedRange(request, known.bytes, etag)
    const handedOver = offload(request, image.sha256)
    const { start, end } = range ?? { start: 0, end: known.bytes - 1 }
    if (handedOver === undefined) request.charge(costOfBytes(end - start + 1))
    const isWhole = range === undefined && handedOver === undefined
    const whole = isWhole ? await readWhole(reply, image, known.bytes) : undefined
    if (whole === undefined) return streamLarge(request, reply, image, handedOver)
    setHeaders(reply, image, whole.rendition) // which may have been remade meanwhile
    cacheAnswer(request, image, {
      body: () => cache.findLarge(image.sha256)?.body,
      lend: () => {
        const cached = cache.findLarge(image.sha256)
        return cached && cache.lend(cached)
      },
    })
    return reply.send(whole.bytes)
  }

  async function streamLarge(
    request: FastifyRequest,
    reply: FastifyReply,
    image: ImageFile,
    handedOver: ReturnType<Offload>,
  ) {
    const { rendition, taken: blob } = await store.openLarge(image.sha256)
    /** Or closed. */
    let isStreamed = false
    try {
      const etag = setHeaders(reply, image, rendition)
      // Ranges are then the sender's, who says so itself.
      if (handedOver) return await reply.removeHeader('Accept-Ranges').headers(handedOver).send('')
      const range = wantedRange(request, blob.bytes, etag)
      const { start, end } = range ?? { start: 0, end: blob.bytes - 1 }
      if (range) void reply.code(206).header('Content-Range', `bytes ${start}-${end}/${blob.bytes}`)
      void reply.header('Content-Length', end - start + 1)
      isStreamed = true
      releaseOnceSent(reply.raw)
      return await reply.send(blob.stream(start, end))
    } finally {
      if (!isStreamed) await blob.close()
    }
  }

  app.get('/ImageHandler', viewImage, async (request, reply) => {
    const view = readView(request.query as Record<string, unknown>)
    const image = view.imageId === undefined ? undefined : await findFile({ id: view.imageId })
    if (!image || !maySeeFile(viewerOf(request.actor), image, pendingView)) throw refuse('invalid-image-id')
    return view.size === 'lg' ? sendLarge(request, reply, image) : sendSmall(request, reply, image, view)
  })
}

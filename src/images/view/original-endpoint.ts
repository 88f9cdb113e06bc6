// GET /v2/images/{imageID}/original: the file as it was uploaded, for its submitter and for admins (decision 0137).
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { accountOf, auditActorOf, isSubmitter, permit, type Actor } from '../../auth/guard.ts'
import type { Db } from '../../database/database.ts'
import { refuse } from '../../errors.ts'
import { wantedRange } from '../../http/byte-ranges.ts'
import { partRefusals, v2Operation } from '../../http/openapi/openapi.ts'
import { costOfBytes } from '../../http/rates/rate-limits.ts'
import { isNotModified, secretly } from '../../http/representation.ts'
import { createBoundedCache } from '../../shared/bounded-cache.ts'
import { parseId } from '../../shared/classic/classic-paths.ts'
import { uploadFormatOf, uploadFormats } from '../../shared/formats/converted-formats.ts'
import { createSemaphore } from '../../shared/semaphore.ts'
import type { Blobs } from '../../storage/port.ts'
import type { Image, Images } from '../images.ts'
import { openOriginal } from '../storage/originals.ts'
import { listRenditions } from '../storage/rendition-table.ts'

export interface OriginalRead {
  readonly at: number
  readonly by: ReturnType<typeof auditActorOf>
  readonly image: Pick<Image, 'id' | 'trailId' | 'submitterId'>
}

export interface OriginalEndpointDependencies {
  readonly db: Db
  readonly blobs: Pick<Blobs, 'open'>
  readonly now: () => number
  /** Stores in the audit that somebody got the original of another person's photo. */
  readonly auditOriginal: (entry: OriginalRead) => Promise<void>
  readonly images: Pick<Images, 'require'>
}

type Chunks = AsyncIterable<Uint8Array>

/** Each is in memory while its hash is checked: a few times 8 MB. */
const maxOpening = 2
const maxWaiting = 50
/** What an admin gets again within the hour, as in ranges, is one entry. */
const auditEveryMs = 3_600_000
const maxRemembered = 10_000

const binary = 'application/octet-stream'

/** From one byte to another, both included. */
async function* partOf(chunks: Chunks, start: number, end: number): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const chunk of chunks) {
    const from = Math.max(start - at, 0)
    const to = Math.min(end + 1 - at, chunk.length)
    if (from < to) yield chunk.subarray(from, to)
    at += chunk.length
    if (at > end) return
  }
}

/** Closes what is open also where nobody reads it: a generator that has not begun does nothing at its end. */
function bodyOf(
  { stream, close }: { readonly stream: () => Chunks; readonly close: () => Promise<void> },
  start: number,
  end: number,
): Readable {
  let hasBegun = false
  async function* reading(): AsyncGenerator<Uint8Array> {
    hasBegun = true
    yield* partOf(stream(), start, end)
  }
  const body = Readable.from(reading(), { objectMode: false })
  return body.once('close', () => {
    if (!hasBegun) void close().catch(() => undefined)
  })
}

const sha256Of = (hex: string): string => `sha-256=:${Buffer.from(hex, 'hex').toString('base64')}:`

export function registerOriginalEndpoint(
  app: FastifyInstance,
  { db, blobs, now, auditOriginal, images }: OriginalEndpointDependencies,
): void {
  const opening = createSemaphore(maxOpening, {
    maxWaiting,
    whenFull: () => refuse('busy', { headers: { 'Retry-After': '5' } }),
  })
  const audited = createBoundedCache<number>({ max: maxRemembered, sizeOf: () => 1 })

  /** The result does not hold the whole file in memory, since clients may read slowly. */
  async function open({ sha256, bytes }: Image) {
    const opened = await openOriginal(blobs, { sha256, bytes }, await listRenditions(db, sha256))
    if ('fault' in opened) throw opened.error ?? refuse('original-gone')
    const format = uploadFormatOf(opened.whole)
    const { stream, close } = opened
    return { stream, close, format: format && uploadFormats[format] }
  }

  /** Before a byte is sent. Of what submitters do with their own photos the audit tells nothing. */
  async function audit(actor: Actor, image: Image): Promise<void> {
    if (isSubmitter(actor, image)) return
    const at = now()
    const key = `${accountOf(actor).accountId} ${image.id}`
    if (at - (audited.get(key) ?? -Infinity) < auditEveryMs) return
    await auditOriginal({ at, by: auditActorOf(actor), image })
    audited.set(key, at)
  }

  async function send(request: FastifyRequest, reply: FastifyReply, image: Image) {
    const { id, sha256, bytes } = image
    const etag = `"${sha256.slice(0, 32)}"`
    void secretly(reply).header('ETag', etag)
    if (isNotModified(request, etag)) return reply.code(304).send()
    const range = wantedRange(request, bytes, etag)
    const { start, end } = range ?? { start: 0, end: bytes - 1 }
    const isHead = request.method === 'HEAD'
    request.charge(costOfBytes(bytes)) // all of it is checked, whatever is sent
    const { stream, close, format } = await opening.run(() => open(image))
    /** The body closes what is open, or nobody gets one. */
    let isHandedOver = false
    try {
      if (!isHead) await audit(request.actor, image)
      if (reply.raw.closed) return await reply.send('') // the client has left
      if (range) void reply.code(206).header('Content-Range', `bytes ${start}-${end}/${bytes}`)
      void reply.headers({
        'Accept-Ranges': 'bytes',
        'Content-Length': end - start + 1,
        'Content-Type': format?.mimeType ?? binary,
        'Content-Disposition': `attachment; filename="${id}.${format?.extensions[0] ?? 'bin'}"`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Repr-Digest': sha256Of(sha256),
        'X-Robots-Tag': 'noindex',
      })
      if (isHead) return await reply.send(Readable.from([]))
      isHandedOver = true
      return await reply.send(bodyOf({ stream, close }, start, end))
    } finally {
      if (!isHandedOver) await close()
    }
  }

  const operation = v2Operation({
    ids: ['imageID'],
    summary: 'Get the original of an image',
    description:
      'The file as it was uploaded, byte for byte, with all metadata. Only for the submitter, and for admins with images:review in a browser session or with a client of their own account, whose downloads are audited; for everyone else the image is unknown here. `Repr-Digest` has its SHA-256.',
    refusals: ['invalid-image-id', 'insufficient-scope', 'forbidden', 'original-gone', ...partRefusals],
  })
  const { 204: _, ...problems } = operation.response as Record<string, object>
  const schema = { type: 'string', format: 'binary' }
  const types = [...Object.values(uploadFormats).map(({ mimeType }) => mimeType), binary]
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  const files = {
    200: { description: 'The file.', content },
    206: { description: 'A range of the file.', content },
  }

  app.get<{ Params: { imageID: string } }>(
    '/v2/images/:imageID/original',
    {
      config: { access: { credential: 'bearer', action: 'view-original' } },
      schema: { ...operation, response: { ...files, ...problems } },
    },
    async (request, reply) => {
      const image = await images.require(request.actor, { imageId: parseId(request.params.imageID) })
      permit(request.actor, 'view-original', image)
      return send(request, reply, image)
    },
  )
}

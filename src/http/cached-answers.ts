// Long bodies that are the same for everybody who may have them: made once, cached as they are and compressed.
//
//   identity ─▶ ETag ─▶ known to the client, or HEAD of what is no file? ─▶ answered, and nothing is made
//                              │ no
//                              ▼
//                      cached in this coding? ─ no ─▶ charged (decision 0090) ─▶ made, one body at a time
//                              │ yes                                                   │
//                              └──────────────────────────▶ sent ◀─────────────────────┘
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createBorrowedBytes } from '../shared/borrowed-bytes.ts'
import { createBoundedCache, entryBytes } from '../shared/bounded-cache.ts'
import { withTurns } from '../shared/text/text-chunks.ts'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { addVary } from './codec.ts'
import { codedEtag, createCodingsReader } from './content-codings.ts'
import { costOfBytes } from './rates/rate-limits.ts'
import type { MeasuredBody } from './measured-bodies.ts'
import { describeBody, isNotModified, sendMeasured, type Chunks } from './representation.ts'

export interface CachedAnswer extends Pick<Chunks, 'mediaType' | 'identity'> {
  /** As of `Chunks`. A range is of the uncompressed body. */
  readonly isFile?: boolean | undefined
  /** Whether compressing it is worth while: known before it is made. */
  readonly isLong: boolean
  /** What making it costs, in units of the rate limits. */
  readonly cost: number
  /** @throws a refusal if it cannot be made; nothing has been sent by then. */
  readonly chunks: () => Promise<Iterable<string>>
}

export interface CachedAnswersOptions {
  readonly maxBytes: number
  /** Of bodies that are not or no longer cached, and that slow readers still use. */
  readonly maxLentBytes: number
}

type Coding = 'gzip' | 'identity'

const compress = promisify(gzip)
/** Six takes four times as long for a sixth less. */
const gzipLevel = 2
const chunkSize = 256 * 1024

async function join(chunks: Iterable<string>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const chunk of withTurns(chunks)) parts.push(Buffer.from(chunk, 'utf8'))
  return Buffer.concat(parts)
}

export function createCachedAnswers({ maxBytes, maxLentBytes }: CachedAnswersOptions) {
  const bodies = createBoundedCache<Buffer>({ max: maxBytes, sizeOf: (body) => entryBytes + body.length })
  const readCodings = createCodingsReader()
  let lastMade: Promise<unknown> = Promise.resolve()
  /** Bodies that answers hold: a slow reader holds one even after the cache has dropped it. */
  const borrowed = createBorrowedBytes<Buffer>({ max: maxLentBytes, sizeOf: ({ length }) => length })

  const codingFor = ({ headers }: FastifyRequest, { isLong, isFile = false }: CachedAnswer): Coding => {
    if (!isLong || (isFile && headers.range !== undefined)) return 'identity'
    const accepted = readCodings(headers['accept-encoding']?.toString())
    return (
      accepted.find((coding): coding is Coding => coding === 'gzip' || coding === 'identity') ?? 'identity'
    )
  }

  /** One after the other: each takes a multiple of the body's bytes while it is made. */
  function inOrder(make: () => Promise<Buffer>): Promise<Buffer> {
    const made = lastMade.then(make)
    lastMade = made.catch(() => undefined)
    return made
  }

  async function make(
    keys: Readonly<Record<Coding, string>>,
    coding: Coding,
    answer: CachedAnswer,
  ): Promise<Buffer> {
    const plain = bodies.get(keys.identity) ?? (await join(await answer.chunks()))
    return coding === 'identity' ? plain : compress(plain, { level: gzipLevel, chunkSize })
  }

  function borrow(body: Buffer, reply: FastifyReply): void {
    if (reply.raw.closed) return // it left while the body was made, so its close event has already fired
    const release = borrowed.borrow(body)
    if (release === undefined)
      throw refuse('busy', {
        detail: inEach(({ limits }) => limits.slowResponses),
        headers: { 'Retry-After': '5' },
      })
    reply.raw.once('close', release)
  }

  return {
    /** 200 with the body, 304 if the client has it in any encoding, and the same headers for HEAD. */
    send: async (
      request: FastifyRequest,
      reply: FastifyReply,
      answer: CachedAnswer,
    ): Promise<FastifyReply> => {
      const { etag, cacheControl, contentType } = describeBody(request.actor, answer)
      const coding = codingFor(request, answer)
      const keys = { identity: etag, gzip: codedEtag(etag, 'gzip') }
      addVary(reply, 'Accept-Encoding')
      const known = Object.values(keys).find((tag) => isNotModified(request, tag))
      void reply.header('ETag', known ?? keys[coding]).header('Cache-Control', cacheControl)
      if (known !== undefined) return reply.code(304).send()
      const key = keys[coding]
      void reply.header('Content-Type', contentType)
      if (coding !== 'identity') void reply.header('Content-Encoding', coding)
      if (request.method === 'HEAD' && answer.isFile !== true) return reply.send(Readable.from([]))
      if (!bodies.has(key)) request.charge(answer.cost)
      const body = await bodies.find(key, () => inOrder(() => make(keys, coding, answer)))
      request.charge(costOfBytes(body.length))
      borrow(body, reply)
      if (answer.isFile !== true) return reply.send(body)
      const read: MeasuredBody['read'] = ({ start, end } = { start: 0, end: body.length - 1 }) =>
        body.subarray(start, end + 1)
      const file = { bytes: body.length, sha256: undefined, read, discard: () => undefined }
      return sendMeasured(request, reply, { body: file, etag: key })
    },
  }
}

export type CachedAnswers = ReturnType<typeof createCachedAnswers>

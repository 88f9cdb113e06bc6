// Sends a representation with its strong ETag, answers 304 and 412, and sets the caching that fits who asked (C39, C40).
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { withTurns } from '../shared/text/text-chunks.ts'
import type { Actor } from '../auth/guard.ts'
import { refuse } from '../errors.ts'
import { wantedRange } from './byte-ranges.ts'
import type { MeasuredBodies, MeasuredBody } from './measured-bodies.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly measuredBodies: MeasuredBodies
  }
}

const tagOf = (digest: string): string => `"${digest.slice(0, 27)}"`

/** A strong ETag: a hash of the very bytes, so that it can never say "unchanged" of something that changed. */
export function etagOf(body: string | Uint8Array): string {
  return tagOf(hash('sha256', body, 'base64url'))
}

/** The entity tags of If-Match or If-None-Match; a `W/` that a proxy added is overlooked. */
function tagsIn(header: string): string[] {
  return [...header.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)].map(([, tag = '']) => tag)
}

function matches(header: string, tags: readonly string[]): boolean {
  return header.trim() === '*' || tagsIn(header).some((tag) => tags.includes(tag))
}

export function isNotModified(request: FastifyRequest, etag: string): boolean {
  const header = request.headers['if-none-match']
  return header !== undefined && matches(header, [etag])
}

/**
 * Checks If-Match against every representation that the resource has for this client.
 * @param representations makes them; called only if there is a condition.
 * @throws refusal `precondition-failed`.
 */
export function requireMatch(ifMatch: string | undefined, representations: () => readonly string[]): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  if (!matches(ifMatch, representations().map(etagOf))) throw refuse('precondition-failed')
}

/**
 * The same for a resource that is checked twice: before the body is read, and again in the transaction. If it has not
 * changed in between, its representations are not made again. Undefined without If-Match, so that nothing has to be
 * looked up.
 */
export function ifMatchPrecondition<Thing extends object>(
  { headers }: FastifyRequest,
  representations: (thing: Thing) => readonly string[],
): ((thing: Thing) => void) | undefined {
  const ifMatch = headers['if-match']
  if (ifMatch === undefined) return undefined
  let checked: string | undefined
  return (thing) => {
    const found = JSON.stringify(thing)
    if (found === checked) return
    requireMatch(ifMatch, () => representations(thing))
    checked = found
  }
}

/** Answers to an API key are the same for every key, yet private; answers to a token must not even be kept. */
export function cacheControlFor(actor: Actor): string {
  return actor.kind === 'account' ? 'private, no-store' : 'private, no-cache'
}

/** No cache keeps it: it holds a secret, or is one account's. */
export const secretly = (reply: FastifyReply): FastifyReply =>
  reply.header('Cache-Control', 'private, no-store')

/** 200 with the body, or 304 where the client has it already. */
export function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, body }: { readonly mediaType: string; readonly body: string },
): FastifyReply {
  const etag = etagOf(body)
  void reply.header('ETag', etag).header('Cache-Control', cacheControlFor(request.actor))
  if (isNotModified(request, etag)) return reply.code(304).send()
  // As a text, which node:http writes together with the headers.
  return reply.header('Content-Type', `${mediaType}; charset=utf-8`).send(body)
}

/** A body that was made beforehand, for many answers. */
export interface MadeBody {
  readonly bytes: Buffer
  /** The same bytes as latin1, where they are few: node:http writes a text together with the headers. */
  readonly text: string | undefined
  readonly etag: string
  readonly contentType: string
  readonly contentEncoding: string | undefined
}

/** A body that is too long to be put together: its pieces, which others may be sent as well. */
export interface MadePieces extends Omit<MadeBody, 'bytes' | 'text'> {
  readonly pieces: readonly Buffer[]
  /** Of all of them. */
  readonly length: number
}

/** Each write costs as much as some 100 KB of what is written: small pieces go together, when it is their turn. */
function* inFewer(pieces: readonly Buffer[]): Generator<Buffer> {
  let small: Buffer[] = []
  let bytes = 0
  for (const piece of pieces) {
    small.push(piece)
    bytes += piece.length
    if (bytes < chunkBytes) continue
    const [only = piece] = small
    yield small.length === 1 ? only : Buffer.concat(small)
    small = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(small)
}

/**
 * 200 with the body, or 304 where the client has it, in whichever coding.
 * @param etags of the body in every coding that this client accepts.
 */
export function sendMade(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, body, etags }: { mediaType: string; body: MadeBody | MadePieces; etags: readonly string[] },
): FastifyReply {
  const asked = request.headers['if-none-match']
  const known = asked === undefined ? undefined : etags.find((etag) => matches(asked, [etag]))
  void reply.header('ETag', known ?? body.etag).header('Cache-Control', cacheControlFor(request.actor))
  if (known !== undefined) return reply.code(304).send()
  if (body.contentEncoding !== undefined) void reply.header('Content-Encoding', body.contentEncoding)
  void reply.header('Content-Type', `${mediaType}; charset=utf-8`)
  if (!('pieces' in body)) return reply.send(body.bytes)
  void reply.header('Content-Length', body.length)
  // Fastify would have all of it read, to throw it away.
  return reply.send(Readable.from(request.method === 'HEAD' ? [] : inFewer(body.pieces)))
}

type MadeChunks = string | Iterable<string> | AsyncIterable<string>

/** A body in one text when it is short, else in pieces, sent as they are made, so that nobody waits while it is written. */
export interface Chunks {
  readonly mediaType: string
  /** What the body is made of, as a text: two bodies are the same where these are. */
  readonly identity: string
  readonly chunks: () => MadeChunks | Promise<MadeChunks>
  /** A file that programs read in parts: it has a Content-Length, for HEAD too, and supports ranges. */
  readonly isFile?: boolean | undefined
}

/** What a 200 with such a body tells of it to this client. */
export function describeBody(actor: Actor, { mediaType, identity }: Omit<Chunks, 'pieces'>) {
  return {
    etag: etagOf(identity),
    cacheControl: cacheControlFor(actor),
    contentType: `${mediaType}; charset=utf-8`,
  }
}

/** Whether the client has the body that is made of this: `sendPieces` will answer 304, and have nothing made. */
export const isBodyKnown = (request: FastifyRequest, identity: string): boolean =>
  isNotModified(request, etagOf(identity))

/** Whether `sendPieces` will have the body made: neither HEAD nor a client that has it needs one. */
export const isBodySent = (request: FastifyRequest, { identity }: Omit<Chunks, 'pieces'>): boolean =>
  request.method !== 'HEAD' && !isBodyKnown(request, identity)

/** Sends what may be long: 200 with the pieces, or 304 before any of them is made. */
export async function sendChunks(
  request: FastifyRequest,
  reply: FastifyReply,
  described: Chunks,
): Promise<FastifyReply> {
  const { etag, cacheControl, contentType } = describeBody(request.actor, described)
  void reply.header('ETag', etag).header('Cache-Control', cacheControl)
  if (isNotModified(request, etag)) return reply.code(304).send()
  void reply.header('Content-Type', contentType)
  const made = await described.chunks()
  if (described.isFile === true) {
    const body = await request.server.measuredBodies.gather(typeof made === 'string' ? [made] : made)
    return sendMeasured(request, reply, { body, etag })
  }
  if (typeof made === 'string') return reply.send(made)
  // Fastify would have all of it made, to throw it away.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  // A stream asks for the next piece at once: nobody else would have a turn before the last.
  const source = Symbol.asyncIterator in made ? made : withTurns(made)
  return reply.send(Readable.from(source, { objectMode: false, highWaterMark: chunkBytes }))
}

/** 200 or 206 with a body whose length is known, in all likelihood, and its headers alone to HEAD. */
export function sendMeasured(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag }: { readonly body: MeasuredBody; readonly etag: string },
): FastifyReply {
  const { bytes } = body
  const isHead = request.method === 'HEAD'
  if (isHead) body.discard()
  if (bytes === undefined) return reply.send(isHead ? Readable.from([]) : body.read())
  const range = rangeOf(request, body, etag)
  void reply.header('Accept-Ranges', 'bytes')
  if (range) void reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${bytes}`)
  void reply.header('Content-Length', range ? range.end - range.start + 1 : bytes)
  return reply.send(isHead ? Readable.from([]) : body.read(range))
}

/** @throws refusal `range-not-satisfiable`. */
function rangeOf(request: FastifyRequest, { bytes = 0, discard }: MeasuredBody, etag: string) {
  try {
    return wantedRange(request, bytes, etag)
  } catch (error) {
    discard()
    throw error
  }
}

const chunkBytes = 64 * 1024

/** May a shared cache keep the answer, and give it to others? */
function isForSharedCaches(reply: FastifyReply): boolean {
  return reply.statusCode < 400 && String(reply.getHeader('Cache-Control') ?? '').startsWith('public')
}

/**
 * Documents that are the same for everyone (pages, metadata, OpenAPI) get their tag here, whoever sends them; and no answer
 * that is for everyone tells where one client stands with its rate limit: a cache would tell it to all the others.
 */
export function tagPublicDocuments(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isPublic = isForSharedCaches(reply)
    if (isPublic) void reply.removeHeader('RateLimit').removeHeader('RateLimit-Policy')
    if (isPublic && reply.statusCode === 200 && !reply.hasHeader('ETag') && typeof payload === 'string') {
      const etag = etagOf(payload)
      void reply.header('ETag', etag)
      if (isNotModified(request, etag)) void reply.code(304).removeHeader('Content-Type')
    }
    if (reply.statusCode !== 304) return done(null, payload)
    // To HEAD, Fastify would tell the length of nothing; in a 304 it would have to be that of the 200 (RFC 9110, 8.6).
    done(null, request.method === 'HEAD' ? Readable.from([]) : null)
  })
}

// Every failure of a request as a problem document: ours, the framework's and the system's (contract C37).
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, refuse, refusals, type DetailIn, type RefusalCode } from '../errors.ts'
import { addVary, problemFormat } from './codec.ts'
import { bodyEndedEarly, hasClientLeft } from './bodies/incoming.ts'
import { problemLanguage, problemOf, writeProblem } from './problem.ts'
import { pathForLog } from './logs/redact.ts'
import type { RouteIndex } from './route-index.ts'
import { html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import { languageOf, realLanguage } from '../texts/request-language.ts'
import { textsIn } from '../texts/texts.ts'

/** Failures of the file system that mean the disk is full: ENOSPC, EDQUOT (quota), EFBIG (a file-size limit). */
const fullDisk: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/**
 * Failures of the system that no request causes: a disk that fails (EIO), is gone (ENXIO, ENODEV, ESTALE) or was mounted
 * read-only (EROFS), files that may not be touched (EACCES, EPERM), no descriptor or memory left, an answer that never came.
 */
const failedSystem: ReadonlySet<unknown> = new Set([
  'EIO',
  'ENXIO',
  'ENODEV',
  'ESTALE',
  'EROFS',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ETIMEDOUT',
])

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

/** What is refused with a 5xx though nothing is wrong with the server or its disk: somebody asked for it, or it is busy. */
const expected: ReadonlySet<RefusalCode> = new Set(['read-only', 'busy'])

/** What an operator should look at, and not the causes of what a client did. */
function note(request: FastifyRequest, refusal: Refusal, error: unknown): void {
  const { status } = refusals[refusal.code]
  const about = { method: request.method, path: pathForLog(request.url), status, code: refusal.code }
  const isFault = !expected.has(refusal.code) || failedSystem.has(codeOf(refusal.cause))
  if (status >= 500 && isFault) request.log.error({ ...about, err: error }, 'request failed')
  else if (refusal.cause !== undefined && !hasClientLeft(refusal))
    request.log.warn({ ...about, cause: refusal.cause }, 'request refused')
}

/** What the framework refuses by itself, in our words. */
const frameworkRefusals: Readonly<Record<string, RefusalCode>> = {
  FST_ERR_BAD_URL: 'bad-request',
  FST_ERR_ASYNC_CONSTRAINT: 'bad-request',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad-request',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_MAX_PARAM_LENGTH: 'uri-too-long',
}

/** A refusal as it is; what is known to be no fault of ours as the refusal it is; the rest as internal-error. */
export function refusalFor(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const code = codeOf(error)
  if (code === 'EBUSY') return refuse('busy', { headers: { 'Retry-After': '1' }, cause: error })
  if (fullDisk.has(code)) return refuse('insufficient-storage', { cause: error })
  if (failedSystem.has(code))
    return refuse('storage-unavailable', { headers: { 'Retry-After': '5' }, cause: error })
  if (code === 'ECONNRESET') return bodyEndedEarly(error)
  const known = frameworkRefusals[String(code)]
  return refuse(known ?? 'internal-error', { cause: error })
}

/** What a request failed with that somebody else than Fastify answers, counted and logged like any other. */
export function noteFailure(request: FastifyRequest, error: unknown): void {
  const refusal = refusalFor(error)
  request.refusal = refusal
  note(request, refusal, error)
}

/** @param isKept where it depends on the address and the credential alone: whoever asks again is told so from memory. */
function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  { publicUrl, isKept }: { readonly publicUrl: string; readonly isKept: boolean },
): FastifyReply {
  request.refusal = refusal
  const format = problemFormat(request.headers.accept)
  // The classic surface speaks English alone; v2 says the detail in the language of the request.
  const language = request.url.startsWith('/v2/') ? languageOf(request.headers) : 'en'
  request.cacheAnswer(isKept ? { dependsOn: [], isByLanguage: request.url.startsWith('/v2/') } : undefined)
  const problem = problemOf(refusal, publicUrl, request.id, language)
  const spoken = problemLanguage(refusal, language)
  addVary(reply, 'Accept')
  if (spoken !== undefined) void reply.header('Content-Language', spoken)
  return reply
    .code(problem.status)
    .headers(refusal.headers)
    .header('Cache-Control', 'no-store')
    .header('Content-Type', `application/problem+${format}; charset=utf-8`)
    .send(writeProblem(problem, format))
}

/** On a page for people, a page says it, with the id by which the operator finds it in the log. */
function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  { site, isKept }: { readonly site: Site; readonly isKept: boolean },
): FastifyReply {
  request.refusal = refusal
  request.cacheAnswer(isKept && site.isPresent() ? { dependsOn: [], isByLanguage: true } : undefined)
  const language = languageOf(request.headers)
  const { documents, refusals: texts } = textsIn(language)
  const { title, help } = texts[refusal.code]
  return site.send(reply.headers(refusal.headers), {
    title,
    status: refusals[refusal.code].status,
    // The help is for every case of the code, and for developers too: where there is a detail, that says it better.
    body: html`<p class="lead">${refusal.detailIn(realLanguage(language)) ?? help}</p>
      <p><a href="${site.href('/')}">${documents.toStart}</a></p>
      <dl class="facts">
        <dt>${documents.request}</dt>
        <dd><code>${request.id}</code></dd>
      </dl>`,
  })
}

/** Said of a body that is not sent: a client would decompress, save or cache the refusal instead. */
const ofBody = ['content-encoding', 'content-disposition', 'etag']

export interface RefusalsDependencies {
  readonly publicUrl: string
  readonly index: RouteIndex
  readonly site: Site
}

export function registerRefusals(
  app: FastifyInstance,
  { publicUrl, index, site }: RefusalsDependencies,
): void {
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    // If the client left before the body began, Fastify closes the body and reports that as a fault of it.
    const hasLeft = reply.raw.closed && codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE'
    const refusal = hasLeft ? bodyEndedEarly(error) : refusalFor(error)
    note(request, refusal, error)
    for (const name of ofBody) void reply.removeHeader(name)
    // A page's own script asks for JSON, and shows the sentence itself.
    const isScript = request.headers.accept === 'application/json'
    const isPage = request.routeOptions.config.access?.credential === 'page'
    if (isPage && !isScript) return sendPage(request, reply, refusal, { site, isKept: false })
    return sendProblem(request, reply, refusal, { publicUrl, isKept: request.refusedCredential === refusal })
  })

  app.setNotFoundHandler((request, reply) => {
    const allowed = index.methodsAt(request.url)
    // A preflight for what pages of other origins may not do: an answer without CORS headers is the refusal.
    if (request.method === 'OPTIONS' && allowed.length > 0) return reply.code(204).send()
    const refusal =
      allowed.length === 0
        ? refuse('not-found')
        : refuse('method-not-allowed', { headers: { Allow: allowed.join(', ') } })
    // Somebody mistyped an address in a browser, or followed an old link: programs never say this.
    const isVisit = request.headers['sec-fetch-dest'] === 'document' && request.method === 'GET'
    if (isVisit && refusal.code === 'not-found') {
      const detail: DetailIn = (language) => textsIn(language).documents.noPage
      return sendPage(request, reply, refuse('not-found', { detail }), { site, isKept: true })
    }
    return sendProblem(request, reply, refusal, { publicUrl, isKept: true })
  })
}

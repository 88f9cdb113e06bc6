// Every failure as a problem document: ours, the framework's, and those of the network parser (contract C37).
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, refuse, refusals, type RefusalCode } from '../errors.ts'
import { addVary, problemFormat } from './codec.ts'
import { problemOf, writeProblem } from './problem.ts'
import type { RouteIndex } from './route-index.ts'

/** Failures of the file system that mean the disk is full: ENOSPC, EDQUOT (quota), EFBIG (a file-size limit). */
const fullDisk: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

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
function refusalFor(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EBUSY') return refuse('busy', { headers: { 'Retry-After': '1' }, cause: error })
  if (fullDisk.has(code)) return refuse('insufficient-storage', { cause: error })
  if (code === 'ECONNRESET') return refuse('bad-request', { detail: 'The body ended early.', cause: error })
  const known = frameworkRefusals[String(code)]
  return refuse(known ?? 'internal-error', { cause: error })
}

function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  publicUrl: string,
): FastifyReply {
  const format = problemFormat(request.headers.accept)
  const problem = problemOf(refusal, publicUrl, request.id)
  addVary(reply, 'Accept')
  return reply
    .code(problem.status)
    .headers(refusal.headers)
    .header('Cache-Control', 'no-store')
    .header('Content-Type', `application/problem+${format}; charset=utf-8`)
    .send(writeProblem(problem, format))
}

export function registerRefusals(app: FastifyInstance, publicUrl: string, index: RouteIndex): void {
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    const refusal = refusalFor(error)
    const { status } = refusals[refusal.code]
    if (status >= 500) request.log.error({ err: error, code: refusal.code }, 'request failed')
    else if (refusal.cause !== undefined)
      request.log.warn({ code: refusal.code, cause: refusal.cause }, 'request refused')
    return sendProblem(request, reply, refusal, publicUrl)
  })

  app.setNotFoundHandler((request, reply) => {
    const allowed = index.methodsAt(request.url)
    // A preflight for what pages of other origins may not do: an answer without CORS headers is the refusal.
    if (request.method === 'OPTIONS' && allowed.length > 0) return reply.code(204).send()
    const refusal =
      allowed.length === 0
        ? refuse('not-found')
        : refuse('method-not-allowed', { headers: { Allow: allowed.join(', ') } })
    return sendProblem(request, reply, refusal, publicUrl)
  })
}

/** What the HTTP parser refuses before there is a request. */
const parserRefusals: Readonly<Record<string, RefusalCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

const lingerMs = 1_000

/** Node hangs the response that a socket is busy with on the socket itself; its own handler asks the same. */
function hasAnswerUnderWay(socket: Socket & { _httpMessage?: { headersSent: boolean } | null }): boolean {
  return socket._httpMessage?.headersSent === true
}

/** Answers a connection on which no request could be read, and closes it: two parsers might disagree on what follows. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, publicUrl: string): void {
  // Where an answer is under way, anything written would stand in the middle of it.
  if (error.code === 'ECONNRESET' || !socket.writable || hasAnswerUnderWay(socket)) {
    socket.destroy()
    return
  }
  const refusal = refuse(parserRefusals[error.code ?? ''] ?? 'bad-request')
  const problem = problemOf(refusal, publicUrl, 'unread')
  const body = writeProblem(problem, 'json')
  // A client that never closes its side would otherwise hold the descriptor for ever.
  setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.status === 400 ? 'Bad Request' : problem.title}\r\n` +
      'Content-Type: application/problem+json; charset=utf-8\r\nCache-Control: no-store\r\n' +
      'X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

// Responses without a request: input that the parser could not read, CONNECT, and bodies that another handler reads.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { Refusal, refusals, refuse } from '../../errors.ts'
import type { Connections } from './connections.ts'
import { createPace } from './pace.ts'
import { bodyEndedEarly } from '../bodies/incoming.ts'
import type { ServerLimits } from '../limits.ts'
import { problemOf, writeProblem } from '../problem.ts'
import { addressBucket, type RateLimits } from '../rates/rate-limits.ts'
import type { RouteIndex } from '../route-index.ts'
import { securityHeaders } from '../security-headers.ts'

/** An error of Node's parser; `bytesParsed` is the position in `rawPacket` at which it stopped. */
export type ParserError = Error & {
  readonly code?: string | undefined
  readonly rawPacket?: unknown
  readonly bytesParsed?: number
}

export interface UnreadableOptions {
  readonly publicUrl: string
  readonly hstsSubdomains: boolean
  readonly limits: ServerLimits
  readonly connections: Connections
  readonly rateLimits: RateLimits
  readonly index: RouteIndex
  /** The address of a request as the router sees it. */
  readonly rewrite: (url: string) => string
  readonly log: FastifyBaseLogger
  /** Called for each response. */
  readonly onAnswer: (refusal: Refusal) => void
}

/** The client has left. */
const lost: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE'])

const maxOfRequestLine = 8_192
const maxOfMethod = 40

/** The target of a request line in which only the method is unknown: it is a valid token, as in `FOO / HTTP/1.1`. */
function targetOfUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  if (code !== 'HPE_INVALID_METHOD' || !(rawPacket instanceof Uint8Array)) return undefined
  const start = Buffer.from(rawPacket.subarray(0, maxOfRequestLine)).toString('latin1')
  const [, method = '', target] =
    /^([!#$%&'*+.^_`|~\w-]{1,40}) (\/[!-~]{0,8000}) HTTP\/1\.[01]\r\n/.exec(start) ?? []
  // Further on, the error is one of another request in the same packet.
  return bytesParsed <= method.length ? target : undefined
}

/**
 * Whether the packet begins with a request line whose target alone is too long; unknown if the line began in an earlier
 * packet.
 */
function hasLongTarget({ rawPacket }: ParserError, maxBytes: number): boolean {
  if (!(rawPacket instanceof Uint8Array)) return false
  const start = Buffer.from(rawPacket.subarray(0, maxBytes + maxOfMethod)).toString('latin1')
  const [, target = ''] = start.split(' ', 2)
  return target.length > maxBytes
}

export function createUnreadable(options: UnreadableOptions) {
  const { publicUrl, limits, connections, rateLimits, index, rewrite, log, onAnswer } = options
  /** Node checks for late headers every two seconds, and reports all of them at once. */
  const pace = createPace()
  const fixedHeaders = Object.entries({ ...securityHeaders(options), 'Cache-Control': 'no-store' })

  function methodRefusal(methods: readonly string[]): Refusal {
    if (methods.length === 0) return refuse('not-found')
    return refuse('method-not-allowed', { headers: { Allow: methods.join(', ') } })
  }

  function refusalFor(error: ParserError): Refusal {
    if (error.code === 'HPE_HEADER_OVERFLOW') {
      if (hasLongTarget(error, limits.maxUrlBytes)) {
        return refuse('uri-too-long', { detail: `The URL is longer than ${limits.maxUrlBytes} bytes.` })
      }
      const max = limits.maxHeaderBytes + limits.maxUrlBytes
      return refuse('headers-too-large', { detail: `The URL and headers are larger than ${max} bytes.` })
    }
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      return refuse('request-timeout', { detail: 'The complete headers were not received in time.' })
    }
    const target = targetOfUnknownMethod(error)
    return target === undefined ? refuse('bad-request') : methodRefusal(index.methodsAt(rewrite(target)))
  }

  /** Garbage is counted like a call without a credential. */
  async function counted(refusal: Refusal, address: string | undefined): Promise<Refusal> {
    if (address === undefined) return refusal
    try {
      await rateLimits.spend('address', addressBucket(address))
      return refusal
    } catch (error) {
      return error instanceof Refusal ? error : refusal
    }
  }

  function write(socket: Socket, refusal: Refusal, requestId: string): void {
    const { status } = refusals[refusal.code]
    const body = writeProblem(problemOf(refusal, publicUrl, requestId), 'json')
    const headers = [
      ...fixedHeaders,
      ...Object.entries(refusal.headers),
      ['Content-Type', 'application/problem+json; charset=utf-8'],
      ['Content-Length', Buffer.byteLength(body)],
      ['Date', new Date().toUTCString()],
      ['Connection', 'close'],
    ]
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${body}`)
  }

  /** One line in the log, one problem on the wire, and the end: two readers might disagree on what follows. */
  function answer(socket: Socket, refusal: Refusal, parserCode?: string): void {
    if (socket.destroyed) return
    const requestId = randomUUID()
    const { status } = refusals[refusal.code]
    const address = socket.remoteAddress
    const line = { reqId: requestId, code: refusal.code, status, address, parser: parserCode }
    log.info(line, 'unreadable request')
    onAnswer(refusal)
    if (socket.writable) write(socket, refusal, requestId)
    connections.closeGently(socket)
  }

  async function refuseUnreadable(socket: Socket, error: ParserError): Promise<void> {
    const refusal = refusalFor(error)
    const isGarbage = refusal.code !== 'request-timeout'
    answer(socket, isGarbage ? await counted(refusal, socket.remoteAddress) : refusal, error.code)
  }

  /** The error is inside a body. */
  function endBody(socket: Socket, error: ParserError): void {
    const { code, detail, cause } =
      error.code === 'HPE_INVALID_EOF_STATE' ? bodyEndedEarly(error) : refusalFor(error)
    connections.endBody(socket, refuse(code, { detail, cause, headers: { Connection: 'close' } }))
  }

  return {
    answer,

    /**
     * Node's `clientError`. A connection gets one response to unreadable input, and none if another response is
     * pending.
     */
    onClientError: (error: ParserError, socket: Socket): void => {
      const connection = connections.connectionOf(socket)
      const { newest, isClosing, isFull } = connection
      if (isClosing) return
      if (!socket.writable || lost.has(error.code)) return void socket.destroy()
      socket.pause() // the parser has stopped, and would report every further packet
      if (newest !== undefined && !newest.request.complete) return endBody(socket, error)
      connection.isClosing = true
      const isOwed = connections.isOwed(socket)
      // After "Connection: close" nothing should arrive, and what does is ignored.
      if (isFull || error.code === 'HPE_CLOSED_CONNECTION') return isOwed ? undefined : void socket.destroy()
      const refuseInTurn = () => pace(() => void refuseUnreadable(socket, error))
      if (isOwed) newest?.response.once('finish', refuseInTurn)
      else refuseInTurn()
    },

    /** Without a listener, Node would close the connection without a word. */
    onConnect: (request: IncomingMessage): void => {
      const { socket, url = '' } = request
      socket.on('error', () => socket.destroy())
      if (connections.isOwed(socket)) return void socket.destroy()
      const methods = url.startsWith('/') ? index.methodsAt(rewrite(url)) : index.allMethods()
      answer(socket, methodRefusal(methods))
    },
  }
}

export type Unreadable = ReturnType<typeof createUnreadable>

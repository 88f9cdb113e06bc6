// A request body while it arrives: its reader, its deadline, and what happens to a body that nobody reads.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { inSeconds, refuse, type Refusal } from '../../errors.ts'
import { releaseMemory } from './release-memory.ts'
import type { ServerLimits } from '../limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    incoming: Incoming
  }
}

/** The average rate of an upload is checked after this time, or a twelfth of its deadline. */
const maxGraceMs = 10_000
/** How often it is checked. */
const checkEveryMs = 1_000

/**
 * What a client may bring in all, read or dropped, in images of the largest size. Twice: a photo that is a good deal too
 * large is read to its end, since a client that sends everything before it reads would lose its 413 to a reset.
 */
const maxDroppedImages = 2

/** Bytes that have arrived before the reader asked for them; beyond this the client has to wait. */
const maxWaitingBytes = 256 * 1024

/** Shorter chunks are joined: each would cost a hundred times its length, as in a chunked body of single bytes. */
const minChunkBytes = 4 * 1024
const gatheredBytes = 16 * 1024

/** Received chunks that the reader has not asked for, in order; consecutive short ones are joined. */
function createChunks() {
  const whole: Uint8Array[] = []
  /** A short chunk without a successor: most bodies are just that. */
  let lone: Uint8Array | undefined
  let gathered: Uint8Array | undefined
  let length = 0
  let bytes = 0

  function endGathered(): void {
    // A copy of its own length, since the reader may store it and would retain the rest.
    if (length > 0 && gathered) whole.push(gathered.slice(0, length))
    else if (lone) whole.push(lone)
    lone = undefined
    length = 0
  }

  function gather(chunk: Uint8Array): void {
    gathered ??= new Uint8Array(gatheredBytes)
    gathered.set(chunk, length)
    length += chunk.length
  }

  return {
    get bytes() {
      return bytes
    },
    add: (chunk: Uint8Array): void => {
      bytes += chunk.length
      const isShort = chunk.length < minChunkBytes && length + chunk.length <= gatheredBytes
      if (isShort && length === 0 && lone === undefined) {
        lone = chunk
        return
      }
      if (!isShort) {
        endGathered()
        whole.push(chunk)
        return
      }
      if (lone) gather(lone)
      lone = undefined
      gather(chunk)
    },
    take: (): Uint8Array | undefined => {
      if (whole.length === 0) endGathered()
      const chunk = whole.shift()
      if (chunk) bytes -= chunk.length
      return chunk
    },
  }
}

export interface IncomingOptions {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly limits: ServerLimits
  readonly isUpload: boolean
  /** The client waits for "100 Continue" before it sends the body. */
  readonly isWaiting: boolean
  /** Since when the client had time to send the request, by performance.now(). */
  readonly since: number
  /** Whether another handler than Fastify responds, and so reads the body. */
  readonly isHijacked: () => boolean
  /** Answers past the response, and closes. */
  readonly answerRaw: (refusal: Refusal) => void
  /** Announces that the connection will close soon. */
  readonly closeGently: () => void
  /** Announces that the connection will close. */
  readonly halfClose: () => void
}

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Follows the body of one request from the time its headers are parsed. */
export function createIncoming(options: IncomingOptions) {
  const { request, response, limits, isUpload, isWaiting, since } = options
  const { socket } = request
  const maxBytes = maxDroppedImages * limits.maxImageBytes
  const limitMs = 1_000 * (isUpload ? limits.uploadTimeoutSeconds : limits.requestTimeoutSeconds)
  const graceMs = Math.min(maxGraceMs, limitMs / 12)
  let receivedBytes = 0
  /** How long the server waited for the client, without the time in which the reader was busy. */
  let waitedMs = 0
  let waitingSince: number | undefined
  let isInvited = !isWaiting
  let failure: Refusal | undefined
  let timer: NodeJS.Timeout | undefined
  let wake = (): void => undefined

  function invite(): void {
    if (failure) throw failure
    if (isInvited) return
    isInvited = true
    response.writeContinue()
  }

  function end(refusal: Refusal): void {
    failure ??= refusal
    wake() // the reader of the body answers with the error; if nobody reads it, the response may be valid, and `settle` closes
    if (response.writableFinished) options.closeGently()
    else if (!response.headersSent && options.isHijacked()) options.answerRaw(refusal)
  }

  function giveUp(detail: string): void {
    end(refuse('request-timeout', { detail, headers: { Connection: 'close' } }))
  }

  function checkPace(): void {
    if (request.complete) return
    const now = performance.now()
    const waitMs = waitedMs + now - (waitingSince ?? now)
    const leftMs = since + limitMs - now
    if (leftMs <= 0)
      return giveUp(`The complete request was not received within ${inSeconds(limitMs / 1_000)}.`)
    const floor = isUpload ? limits.uploadFloorBytes : 0
    if (waitMs >= graceMs && receivedBytes < (floor * waitMs) / 1_000) {
      return giveUp(`The upload was slower than ${floor} bytes per second.`)
    }
    timer = setTimeout(checkPace, Math.ceil(floor > 0 ? Math.min(checkEveryMs, leftMs) : leftMs)).unref()
  }

  function stop(): void {
    clearTimeout(timer)
  }

  /** Reads and drops the rest, so that the client can read the response and the connection can be reused. */
  function drain(): void {
    const drop = (chunk: Uint8Array): void => {
      receivedBytes += chunk.length
      if (receivedBytes <= maxBytes) return
      request.off('data', drop).pause()
      options.closeGently()
    }
    waitingSince = performance.now()
    request.on('data', drop).once('end', () => {
      stop()
      const isEnding = !socket.writable
      Reflect.deleteProperty(socket, 'destroySoon')
      if (isEnding) socket.destroySoon()
    })
    request.resume()
  }

  /** The answer is out. */
  function settle(): void {
    if (request.complete) return
    const isOver = failure !== undefined || !isInvited
    // If the connection is to end, Node would end it now, and unread bytes would turn that into a reset, which loses
    // the response for a client that is still sending.
    socket.destroySoon = isOver ? options.closeGently : options.halfClose
    if (isOver) options.closeGently()
    else drain()
  }

  async function* read(): AsyncGenerator<Uint8Array, void> {
    const chunks = createChunks()
    // As events, not by `request.read()`, for which Node stops and starts the socket around each chunk.
    const onData = (chunk: Uint8Array): void => {
      receivedBytes += chunk.length
      chunks.add(chunk)
      if (chunks.bytes >= maxWaitingBytes) request.pause()
      wake()
    }
    const onEvent = (): void => wake()
    const events = ['end', 'error', 'close']
    invite()
    for (const event of events) request.on(event, onEvent)
    request.on('data', onData).resume()
    try {
      for (;;) {
        if (failure) throw failure
        const chunk = chunks.take()
        if (chunk !== undefined) {
          yield chunk
          continue
        }
        if (request.readableEnded) return
        if (request.destroyed) throw bodyEndedEarly(request.errored)
        if (request.isPaused()) request.resume()
        waitingSince = performance.now()
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        waitedMs += performance.now() - waitingSince
        waitingSince = undefined
      }
    } finally {
      request.off('data', onData).pause()
      for (const event of events) request.off(event, onEvent)
    }
  }

  if (hasBody(request)) {
    checkPace()
    // Before Node's own listener, which would read and drop everything without limit.
    response.prependOnceListener('finish', settle)
    response.once('close', () => {
      if (request.complete) stop()
    })
  }

  return {
    /** Stops the clock: nothing more can arrive. */
    stop,
    /**
     * Sends 100 Continue to a client that waits for it, only once nothing can be refused without the body.
     * @throws what `read` would throw, if that is already known.
     */
    invite,
    /**
     * The body as it arrives. If the reader stops early, the rest is dropped. A reader that has processed a chunk, and
     * has shared no part of it, may `release` it.
     * @throws refusals `request-timeout`, and `bad-request` if the body ends early.
     */
    read: () => Object.assign(read(), { release: releaseMemory }),
    /** Stops waiting for the body. Its reader gets this refusal; the connection ends with the response. */
    end,
    /** Whether more is to come than will be dropped, so that the connection cannot be reused. */
    mustClose: (): boolean => {
      if (request.complete || !hasBody(request)) return false
      const declared = Number(request.headers['content-length'] ?? 0)
      return failure !== undefined || !isInvited || declared > maxBytes
    },
  }
}

export type Incoming = ReturnType<typeof createIncoming>

/** Error codes that mean that no more of a body will arrive. */
const leftCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'HPE_INVALID_EOF_STATE'])

/** @param cause the network error, by whose code the log shows that the client left. */
export function bodyEndedEarly(cause: unknown): Refusal {
  const left = cause ?? Object.assign(new Error('The client closed the connection.'), { code: 'ECONNRESET' })
  return refuse('bad-request', {
    detail: 'The body ended early.',
    headers: { Connection: 'close' },
    cause: left,
  })
}

/** Whether a request was refused because its client left in the middle of the body. */
export function hasClientLeft(refusal: Refusal | null): boolean {
  const cause = refusal?.cause
  return cause instanceof Error && 'code' in cause && leftCodes.has(cause.code)
}

// What passes through the server: every request once it has ended, however it ended, and the connections they came by.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { AccessStatement, Actor } from '../../auth/guard.ts'
import type { Refusal, RefusalCode } from '../../errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request was refused with, if it was. */
    refusal: Refusal | null
  }
}

/** What is told of a request, whoever answers it. */
export interface RequestFacts {
  readonly id: string
  readonly method: string
  /** As the router sees it. */
  readonly url: string
  /** Of the endpoint; undefined where there is none. */
  readonly pattern: string | undefined
  readonly isUpload: boolean
  readonly refusal: Refusal | null
  /** What the endpoint states; undefined where there is none. */
  readonly access: AccessStatement | undefined
  /** Of the account that asked, as far as it came to be known. */
  readonly accountId: number | null
}

export interface EndedRequest extends RequestFacts {
  /** Where it came from; a connection that is gone no longer tells. */
  readonly address: string
  readonly durationMs: number
  /** undefined where the client was gone before an answer began. */
  readonly status: number | undefined
  /** False where the connection ended before the answer did. */
  readonly isWhole: boolean
  /** The trace that it is part of; undefined where nothing is traced. */
  readonly traceId?: string | undefined
}

/** What a request is in a trace. */
export interface RequestSpan {
  readonly traceId: string
  /** Whatever the work begins is part of it. */
  run(work: () => void): void
  end(ended: EndedRequest): void
}

export type BeginSpan = (incoming: IncomingMessage) => RequestSpan

interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export interface Bytes {
  readonly received: number
  readonly sent: number
}

/** @param beginSpan where requests are traced. */
export function createTraffic(beginSpan?: BeginSpan) {
  const listeners: ((ended: EndedRequest) => void)[] = []
  const unreadableListeners: ((code: RefusalCode) => void)[] = []
  const connections = new Set<Socket>()
  let inFlight = 0
  /** Of the connections that are closed. */
  let received = 0
  let sent = 0

  /**
   * Follows a request that begins now.
   * @param tell is called at its end.
   * @returns `end`, to be called once its answer has closed.
   */
  function follow({ request, response }: Arrival, address: string, tell: () => RequestFacts) {
    const span = beginSpan?.(request)
    const startedAt = performance.now()
    inFlight += 1
    const end = (): void => {
      inFlight -= 1
      const { headersSent, statusCode, writableFinished, writableEnded } = response
      // One from within the process (web-app/visitor-fetch.ts) has no line that could be cut.
      const isInside = !(request.socket instanceof Socket)
      const facts = tell()
      const ended: EndedRequest = {
        ...facts,
        address,
        durationMs: performance.now() - startedAt,
        status: headersSent ? statusCode : undefined,
        isWhole: writableFinished || (writableEnded && isInside),
        traceId: span?.traceId,
      }
      span?.end(ended) // first: what those do who are told is no part of the request
      for (const listener of listeners) listener(ended)
    }
    return { end, span }
  }

  return {
    follow,

    /** Follows the requests of this server; called before any other hook is added, so that none is missed. */
    watch: (app: FastifyInstance): void => {
      app.decorateRequest('refusal', null)
      app.addHook('onRequest', (request, reply, done) => {
        const arrival = { request: request.raw, response: reply.raw }
        const { end, span } = follow(arrival, request.ip, () => {
          const { id, method, url, refusal } = request
          const { url: pattern, config } = request.routeOptions
          const { access, isUpload = false } = config
          // Refused before anybody asked who it is, there is no actor.
          const actor: Actor | undefined = request.actor
          const accountId = actor?.kind === 'account' ? actor.accountId : null
          return { id, method, url, pattern, isUpload, refusal, access, accountId }
        })
        // Not the hook onResponse: it never runs where the client leaves before the answer is out. An answer closes once.
        reply.raw.on('close', end)
        if (span === undefined) done()
        else span.run(done)
      })
      app.server.on('connection', (socket) => {
        connections.add(socket)
        socket.once('close', () => {
          connections.delete(socket)
          received += socket.bytesRead
          sent += socket.bytesWritten
        })
      })
    },

    /** Adds what is told of each request, once, when it has ended. */
    onEnd: (listener: (ended: EndedRequest) => void): void => {
      listeners.push(listener)
    },

    /** Adds what is told of each answer to what could not be read as a request. */
    onUnreadable: (listener: (code: RefusalCode) => void): void => {
      unreadableListeners.push(listener)
    },

    tellUnreadable: (code: RefusalCode): void => {
      for (const listener of unreadableListeners) listener(code)
    },

    inFlight: (): number => inFlight,
    connections: (): number => connections.size,

    /** Of all connections since the start, headers included. */
    bytes: (): Bytes => ({
      received: [...connections].reduce((sum, { bytesRead }) => sum + bytesRead, received),
      sent: [...connections].reduce((sum, { bytesWritten }) => sum + bytesWritten, sent),
    }),
  }
}

export type Traffic = ReturnType<typeof createTraffic>

// Observes what passes through the server: every request when it has ended, however it ended, and the connections.
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

/** The facts about a request, whichever layer answered it. */
export interface RequestFacts {
  readonly id: string
  readonly method: string
  /** As the router sees it. */
  readonly url: string
  /** Of the endpoint; undefined if there is none. */
  readonly pattern: string | undefined
  readonly isUpload: boolean
  readonly refusal: Refusal | null
  /** The access statement of the endpoint; undefined if there is none. */
  readonly access: AccessStatement | undefined
  /** The account of the caller, if it was identified. */
  readonly accountId: number | null
}

export interface EndedRequest extends RequestFacts {
  /** The client address, noted at the start, because a closed connection no longer has it. */
  readonly address: string
  readonly durationMs: number
  /** Undefined if the client left before the response began. */
  readonly status: number | undefined
  /** False if the connection ended before the response did. */
  readonly isWhole: boolean
  /** The trace that it is part of; undefined if nothing is traced. */
  readonly traceId?: string | undefined
}

/** What a request is in a trace. */
export interface RequestSpan {
  readonly traceId: string
  /** Work started inside is part of it. */
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
  /** Of closed connections. */
  let received = 0
  let sent = 0

  /**
   * Follows a request that begins now.
   * @param tell is called at its end.
   * @returns `end`, to be called once its response has closed.
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
      span?.end(ended) // first, so that the observers' own work is not part of the request
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
          // A request that was refused before authentication has no actor.
          const actor: Actor | undefined = request.actor
          const accountId = actor?.kind === 'account' ? actor.accountId : null
          return { id, method, url, pattern, isUpload, refusal, access, accountId }
        })
        // Not the hook onResponse, which never runs if the client leaves before the response is out. A response closes
        // once.
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

    /** Adds an observer of each request, called once, when it has ended. */
    onEnd: (listener: (ended: EndedRequest) => void): void => {
      listeners.push(listener)
    },

    /** Adds an observer of each response to input that was not a valid request. */
    onUnreadable: (listener: (code: RefusalCode) => void): void => {
      unreadableListeners.push(listener)
    },

    tellUnreadable: (code: RefusalCode): void => {
      for (const listener of unreadableListeners) listener(code)
    },

    inFlight: (): number => inFlight,
    connections: (): number => connections.size,

    /** Of all connections since the start, including headers. */
    bytes: (): Bytes => ({
      received: [...connections].reduce((sum, { bytesRead }) => sum + bytesRead, received),
      sent: [...connections].reduce((sum, { bytesWritten }) => sum + bytesWritten, sent),
    }),
  }
}

export type Traffic = ReturnType<typeof createTraffic>

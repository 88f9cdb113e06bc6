// What passes through the server: every request once it has ended, however it ended, and the connections they came by.
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal, RefusalCode } from '../errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request was refused with, if it was. */
    refusal: Refusal | null
  }
}

export interface EndedRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Where it came from; a connection that is gone no longer tells. */
  readonly address: string
  readonly durationMs: number
  /** undefined where the client was gone before an answer began. */
  readonly status: number | undefined
  /** False where the connection ended before the answer did. */
  readonly isWhole: boolean
}

export interface Bytes {
  readonly received: number
  readonly sent: number
}

export function createTraffic() {
  const listeners: ((ended: EndedRequest) => void)[] = []
  const unreadableListeners: ((code: RefusalCode) => void)[] = []
  const connections = new Set<Socket>()
  let inFlight = 0
  /** Of the connections that are closed. */
  let received = 0
  let sent = 0

  function follow(request: FastifyRequest, reply: FastifyReply): void {
    const startedAt = performance.now()
    const address = request.ip
    inFlight += 1
    // Not the hook onResponse: it never runs where the client leaves before the answer is out.
    reply.raw.once('close', () => {
      inFlight -= 1
      const { headersSent, statusCode, writableFinished } = reply.raw
      const ended: EndedRequest = {
        request,
        reply,
        address,
        durationMs: performance.now() - startedAt,
        status: headersSent ? statusCode : undefined,
        isWhole: writableFinished,
      }
      for (const listener of listeners) listener(ended)
    })
  }

  return {
    /** Follows the requests of this server; called before any other hook is added, so that none is missed. */
    watch: (app: FastifyInstance): void => {
      app.decorateRequest('refusal', null)
      app.addHook('onRequest', (request, reply, done) => {
        follow(request, reply)
        done()
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

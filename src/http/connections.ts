// The connections of a server and the last exchange on each: who is idle, who is to be closed, and how gently.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../errors.ts'
import { createIncoming, type Incoming } from './incoming.ts'
import type { ServerLimits } from './limits.ts'

/** How long a client may take to read the last answer, once nothing is read from it any more. */
const lingerMs = 1_000

/** While the server stops: how long a connection may go on to which nothing is owed. */
const stopPatienceMs = 5_000

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly incoming: Incoming
}

export interface Connection {
  readonly openedAt: number
  /** The last request that came; only its body can be incomplete. */
  last: Exchange | undefined
  /** Nothing that comes from now on is a request. */
  isClosing: boolean
}

export interface ConnectionsOptions {
  readonly limits: ServerLimits
  /** Answers on the socket itself, and closes it. */
  readonly answerRaw: (socket: Socket, refusal: Refusal) => void
}

export function createConnections({ limits, answerRaw }: ConnectionsOptions) {
  const connections = new WeakMap<Socket, Connection>()
  const open = new Set<Socket>()
  /** Requests whose client waits for "100 Continue". */
  const waiting = new WeakSet<IncomingMessage>()

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket)
    if (known) return known
    const connection = { openedAt: performance.now(), last: undefined, isClosing: false }
    connections.set(socket, connection)
    return connection
  }

  function halfClose(socket: Socket): void {
    connectionOf(socket).isClosing = true
    socket.end()
  }

  /** Reads nothing more, so that the kernel makes a client that is still sending wait; then it finds the answer and the end. */
  function closeGently(socket: Socket): void {
    halfClose(socket)
    socket.pause()
    setTimeout(() => socket.destroy(), lingerMs).unref()
  }

  /** Whether an answer is still to come, or to end. */
  function isOwed(socket: Socket): boolean {
    const { last } = connectionOf(socket)
    return last !== undefined && !last.response.writableFinished
  }

  /** Nothing has moved for IDLE_TIMEOUT, or for KEEP_ALIVE_TIMEOUT between two requests. */
  function onIdle(socket: Socket): void {
    const { last } = connectionOf(socket)
    const isOurTurn = last !== undefined && last.request.complete && !last.response.headersSent
    if (isOurTurn) socket.setTimeout(limits.idleSeconds * 1_000)
    // Else the kernel would keep megabytes for each reader that has stopped, for minutes after the end.
    else if (socket.writableLength > 0) socket.resetAndDestroy()
    else socket.destroy()
  }

  return {
    connectionOf,
    closeGently,
    isOwed,

    /**
     * The server stops. From then on Node no longer looks for headers that do not come.
     * @returns what ends the looking.
     */
    hurry: (): (() => void) => {
      const timer = setInterval(() => {
        for (const socket of open) if (!isOwed(socket)) closeGently(socket)
      }, stopPatienceMs).unref()
      return () => clearInterval(timer)
    },

    /** Called before any connection comes. */
    watch: (server: Server): void => {
      server.on('connection', (socket: Socket) => {
        const connection = connectionOf(socket)
        open.add(socket)
        socket.once('close', () => {
          open.delete(socket)
          connection.last?.incoming.stop()
        })
      })
      server.on('timeout', onIdle)
      server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
        waiting.add(request)
        server.emit('request', request, response)
      })
      // Node would refuse any other Expect with an empty 417; it may be ignored (RFC 9110, section 10.1.1).
      server.on('checkExpectation', (request, response) => server.emit('request', request, response))
    },

    /** The first hook of a request. @returns false for one that comes too late to be looked at. */
    begin: (request: FastifyRequest, reply: FastifyReply): boolean => {
      const { socket } = request.raw
      const connection = connectionOf(socket)
      if (connection.isClosing) return false
      request.incoming = createIncoming({
        request: request.raw,
        response: reply.raw,
        limits,
        isUpload: request.routeOptions.config.isUpload === true,
        isWaiting: waiting.has(request.raw),
        // The first request may have begun with the connection; of later ones nobody knows.
        since: connection.last === undefined ? connection.openedAt : performance.now(),
        isHijacked: () => reply.sent,
        answerRaw: (refusal) => answerRaw(socket, refusal),
        closeGently: () => closeGently(socket),
        halfClose: () => halfClose(socket),
      })
      connection.last = { request: request.raw, response: reply.raw, incoming: request.incoming }
      return true
    },
  }
}

export type Connections = ReturnType<typeof createConnections>

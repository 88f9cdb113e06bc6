// The connections of a server: the order of requests on each, which are idle, which must close, and how gently.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../../errors.ts'
import { createIncoming, type Incoming } from '../bodies/incoming.ts'
import type { ServerLimits } from '../limits.ts'
import { createPace } from './pace.ts'
import { watchReaders } from './slow-readers.ts'

/** Pipelined requests that may wait on one connection; the last of them gets "Connection: close". */
const maxWaiting = 16

/**
 * Requests beyond the last one; Node keeps each until its connection ends, so a client that floods loses its responses.
 */
const maxLate = 256

/** The delay with which the parser detects missing headers, and we detect idle connections. */
const maxLatenessMs = 2_000

/** How long a client may take to read the last answer, once nothing is read from it any more. */
const lingerMs = 1_000

/** How long a connection without pending responses may stay open while the server stops. */
const stopPatienceMs = 5_000

const isLarge = ({ routeOptions: { config } }: FastifyRequest): boolean =>
  config.isUpload === true || config.hasLargeBody === true

/** Looked for by hand: `request.headers` would make an object of every header of every request. */
const asksForUpgrade = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.some((text, index) => index % 2 === 0 && text.length === 7 && text.toLowerCase() === 'upgrade')

interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export interface Exchange extends Arrival {
  /** Undefined if the request has no body. */
  readonly incoming: Incoming | undefined
}

/**
 * Answers some requests ahead of Fastify. @returns what to call once the response has closed; undefined for all others.
 */
export type Take = (arrival: Arrival) => (() => void) | undefined

export interface Connection {
  readonly openedAt: number
  /** The newest request, whether or not its turn has come; only its body can be incomplete. */
  newest: Arrival | undefined
  /** Those that arrived while another was being answered. */
  readonly waiting: Arrival[]
  /** The newest request whose turn has come. */
  last: Exchange | undefined
  /** Since when nothing is being answered, by performance.now(). */
  idleSince: number | undefined
  /** No request after the newest is handled. */
  isFull: boolean
  late: number
  /** Nothing that arrives from now on is handled as a request. */
  isClosing: boolean
}

export interface ConnectionsOptions {
  readonly limits: ServerLimits
  /** Answers on the socket itself, and closes it. */
  readonly answerRaw: (socket: Socket, refusal: Refusal) => void
}

export function createConnections({ limits, answerRaw }: ConnectionsOptions) {
  const connections = new WeakMap<Socket, Connection>()
  const pace = createPace()
  const open = new Set<Socket>()
  /** Requests whose client waits for "100 Continue". */
  const uninvited = new WeakSet<IncomingMessage>()
  /** The bodies of requests whose turn has not come. */
  const failedBodies = new WeakMap<IncomingMessage, Refusal>()

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket)
    if (known) return known
    const connection: Connection = {
      openedAt: performance.now(),
      newest: undefined,
      waiting: [],
      last: undefined,
      idleSince: undefined,
      isFull: false,
      late: 0,
      isClosing: false,
    }
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

  const isWaitedFor = ({ newest }: Connection): boolean =>
    newest !== undefined && !newest.response.writableFinished

  /** Whether a response is still to be sent or finished. */
  const isOwed = (socket: Socket): boolean => isWaitedFor(connectionOf(socket))

  /** Stops reading from the connection and closes it after its pending responses. */
  function dropLate(socket: Socket, connection: Connection): void {
    connection.late += 1
    socket.pause()
    if (connection.late > maxLate) socket.destroy()
  }

  function answerInTurn(arrival: Arrival, connection: Connection, answer: Take): void {
    const { socket } = arrival.request
    connection.idleSince = undefined
    let end: (() => void) | undefined
    // Not `once`, which costs more than the listener: an answer closes once.
    arrival.response.on('close', () => {
      end?.()
      connection.idleSince = performance.now()
      const next = connection.waiting.shift()
      if (next === undefined) return
      // A response that closes its connection is the last, whatever is queued after it.
      if (socket.writable) answerInTurn(next, connection, answer)
      else connection.waiting.length = 0
    })
    end = answer(arrival)
  }

  /**
   * One request per connection at a time, once the previous response has been handed to the kernel. Otherwise a client
   * could have a thousand responses prepared that it never reads, each with its file and memory.
   */
  function queue(arrival: Arrival, answer: Take): void {
    const { request, response } = arrival
    const { socket } = request
    const connection = connectionOf(socket)
    if (connection.isClosing || connection.isFull) return dropLate(socket, connection)
    const isBusy = isWaitedFor(connection)
    connection.newest = arrival
    // What follows an upgrade may be in another protocol, and the parser reads it no further.
    connection.isFull = asksForUpgrade(request) || connection.waiting.length + 1 >= maxWaiting
    if (connection.isFull) {
      response.shouldKeepAlive = false
      socket.pause()
    }
    if (isBusy) connection.waiting.push(arrival)
    else pace(() => socket.destroyed || answerInTurn(arrival, connection, answer))
  }

  /** Bytes that only look like a request, now and then, keep Node from closing for KEEP_ALIVE_TIMEOUT. */
  function closeLazy(now: number): void {
    const maxIdleMs = (limits.keepAliveSeconds + limits.headersTimeoutSeconds) * 1_000 + maxLatenessMs
    for (const socket of open) {
      const { idleSince = now, newest } = connectionOf(socket)
      if (now - idleSince > maxIdleMs && newest?.request.complete === true) closeGently(socket)
    }
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

    /** Ends the body of the newest request, which may have been answered already, or be queued behind others. */
    endBody: (socket: Socket, refusal: Refusal): void => {
      const { last, newest } = connectionOf(socket)
      if (newest === undefined) return
      if (last?.request === newest.request && last.incoming) last.incoming.end(refusal)
      else failedBodies.set(newest.request, refusal)
    },

    /**
     * The server stops. From then on Node no longer checks for missing headers.
     * @returns a function that ends the check.
     */
    hurry: (): (() => void) => {
      const timer = setInterval(() => {
        for (const socket of open) if (!isOwed(socket)) closeGently(socket)
      }, stopPatienceMs).unref()
      return () => clearInterval(timer)
    },

    /** Call it before any connection arrives, and once there is a request handler. */
    watch: (server: Server, take: Take): void => {
      server.on('connection', (socket: Socket) => {
        const connection = connectionOf(socket)
        open.add(socket)
        socket.once('close', () => {
          open.delete(socket)
          connection.last?.incoming?.stop()
          connection.waiting.length = 0
        })
      })
      const [answerOrdinarily] = server.listeners('request') as RequestListener[]
      if (answerOrdinarily === undefined) throw new Error('no handler for requests yet')
      const answer: Take = (arrival) => {
        const { request, response } = arrival
        const end = take(arrival)
        if (end === undefined) answerOrdinarily(request, response)
        else connectionOf(request.socket).last = { request, response, incoming: undefined }
        return end
      }
      server.removeAllListeners('request')
      server.on('request', (request, response) => queue({ request, response }, answer))
      server.on('timeout', onIdle)
      server.once('close', watchReaders(open, limits, closeLazy))
      server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
        uninvited.add(request)
        server.emit('request', request, response)
      })
      // Node would refuse any other Expect with an empty 417; it may be ignored (RFC 9110, section 10.1.1).
      server.on('checkExpectation', (request, response) => server.emit('request', request, response))
    },

    /** The first hook of a request. */
    begin: (request: FastifyRequest, reply: FastifyReply): void => {
      const { socket } = request.raw
      const connection = connectionOf(socket)
      request.incoming = createIncoming({
        request: request.raw,
        response: reply.raw,
        limits,
        isUpload: isLarge(request),
        isWaiting: uninvited.has(request.raw),
        // The first request may have begun with the connection; the start of later ones is unknown.
        since: connection.last === undefined ? connection.openedAt : performance.now(),
        isHijacked: () => reply.sent,
        answerRaw: (refusal) => answerRaw(socket, refusal),
        closeGently: () => closeGently(socket),
        halfClose: () => halfClose(socket),
      })
      connection.last = { request: request.raw, response: reply.raw, incoming: request.incoming }
      const failure = failedBodies.get(request.raw)
      if (failure) request.incoming.end(failure)
    },
  }
}

export type Connections = ReturnType<typeof createConnections>

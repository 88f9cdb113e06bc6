// The connections of a server: whose turn it is on each, who is idle, who is to be closed, and how gently.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../../errors.ts'
import { createIncoming, type Incoming } from '../bodies/incoming.ts'
import type { ServerLimits } from '../limits.ts'
import { createPace } from './pace.ts'
import { watchReaders } from './slow-readers.ts'

/** Requests of one connection that may wait for the answers before them; the last that may is told to be the last. */
const maxWaiting = 16

/** Requests behind the last one; Node keeps each until its connection ends, so a client that floods loses its answers. */
const maxLate = 256

/** How late the parser may notice that headers do not come, and we that nothing does. */
const maxLatenessMs = 2_000

/** How long a client may take to read the last answer, once nothing is read from it any more. */
const lingerMs = 1_000

/** While the server stops: how long a connection may go on to which nothing is owed. */
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
  /** Undefined where the request has no body. */
  readonly incoming: Incoming | undefined
}

/**
 * Answers some requests ahead of Fastify. @returns what is to be called once the answer has closed; undefined for any other.
 */
export type Take = (arrival: Arrival) => (() => void) | undefined

export interface Connection {
  readonly openedAt: number
  /** The last request that came, whether or not its turn has; only its body can be incomplete. */
  newest: Arrival | undefined
  /** Those that came while another was being answered. */
  readonly waiting: Arrival[]
  /** The last request whose turn has come. */
  last: Exchange | undefined
  /** Since when nothing is being answered, by performance.now(). */
  idleSince: number | undefined
  /** The newest request is the last one that is looked at. */
  isFull: boolean
  late: number
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
  const pace = createPace()
  const open = new Set<Socket>()
  /** Requests whose client waits for "100 Continue". */
  const uninvited = new WeakSet<IncomingMessage>()
  /** What ends the bodies of requests whose turn has not come. */
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

  /** Whether an answer is still to come, or to end. */
  const isOwed = (socket: Socket): boolean => isWaitedFor(connectionOf(socket))

  /** Nothing of it is read further, and nothing more is asked of it: it ends with the answers that it is owed. */
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
      // An answer that ends its connection is the last, whatever waits behind it.
      if (socket.writable) answerInTurn(next, connection, answer)
      else connection.waiting.length = 0
    })
    end = answer(arrival)
  }

  /**
   * One request of a connection at a time: the answer before must have left for the kernel. Otherwise a client could have
   * a thousand answers prepared that it never reads, each with its file and its memory.
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

    /** Ends the body of the newest request, which may have been answered already, or wait behind others. */
    endBody: (socket: Socket, refusal: Refusal): void => {
      const { last, newest } = connectionOf(socket)
      if (newest === undefined) return
      if (last?.request === newest.request && last.incoming) last.incoming.end(refusal)
      else failedBodies.set(newest.request, refusal)
    },

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

    /** Called before any connection comes, and once somebody answers requests. */
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
        // The first request may have begun with the connection; of later ones nobody knows.
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

// GET /v2/events: the same events as /v2/changes, live, as server-sent events.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { accountOf, permit, type AccountActor } from '../auth/guard.ts'
import type { Identify } from '../auth/identify.ts'
import type { Db } from '../database/database.ts'
import { Refusal, refuse } from '../errors.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { queryText } from '../http/paging.ts'
import { secretly } from '../http/representation.ts'
import { eventAccess, positionIn, typesQuery } from './changes-endpoint.ts'
import { parsePosition, readTypes, requireKept, requireReached } from './feed.ts'
import { newestPosition } from './outbox.ts'
import type { Streams } from './streams.ts'

export interface StreamDependencies {
  readonly db: Db
  readonly streams: Streams
  readonly identify: Identify
  /** The token of a session in a Cookie header. */
  readonly sessionTokenIn: (cookies: string | undefined) => string | undefined
  readonly onFault: (error: unknown) => void
}

const streamQuery = Type.Object({
  since: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The last position seen; without it, only new events.',
    }),
  ),
  types: typesQuery,
})

const { response: jsonResponses, ...operation } = v2Operation({
  summary: 'Stream changes',
  description:
    'Server-sent events: "id" is the position, "event" the type, "data" an item as in /v2/changes. The header Last-Event-ID, which browsers send automatically, or "since" resumes after a position. A comment with the current position is sent at least every 15 seconds. A stream ends with its credential, or when its reader is too slow. Resuming after a position with deleted events after it gets 410, as in /v2/changes.',
  query: streamQuery,
  answer: Type.String(),
  refusals: ['invalid-query', 'invalid-header', 'forbidden', 'events-gone'],
})

const schema = {
  ...operation,
  headers: {
    type: 'object',
    properties: {
      'Last-Event-ID': {
        type: 'string',
        description: 'The last position seen; takes precedence over "since".',
      },
    },
  },
  response: {
    ...(jsonResponses as object),
    200: { description: 'The stream.', content: { 'text/event-stream': { schema: Type.String() } } },
  },
}

/**
 * The last position that the client has seen; undefined to start with new events. @throws refusals `invalid-header`,
 * `invalid-query`.
 */
function lastSeen(request: FastifyRequest): number | undefined {
  const since = queryText(request, 'since')
  const asked = since === undefined ? undefined : positionIn('since', since)
  const header = [request.headers['last-event-id'] ?? ''].flat().join()
  if (header === '') return asked
  const position = parsePosition(header)
  if (position === undefined)
    throw refuse('invalid-header', { detail: 'The header Last-Event-ID must be the ID of an event.' })
  return position
}

export function registerStreamEndpoint(app: FastifyInstance, dependencies: StreamDependencies): void {
  const { db, streams, identify, sessionTokenIn, onFault } = dependencies
  app.addHook('preClose', async () => streams.close())

  /** Who the credential of the request is now: it may have ended since, and so may a role. */
  function recheckOf(request: FastifyRequest): () => Promise<AccountActor | undefined> {
    const { authorization, cookie } = request.headers
    // A session is accepted if it was at the start: the hooks have checked the origin of the request.
    const session = accountOf(request.actor).via === 'session' ? sessionTokenIn(cookie) : undefined
    return async () => {
      try {
        const credentials = { authorization, apiKeys: [], session, isFromOurPage: session !== undefined }
        const { actor } = await identify(eventAccess.access, credentials)
        permit(actor, 'receive-events')
        return accountOf(actor)
      } catch (error) {
        if (!(error instanceof Refusal)) onFault(error)
        return undefined
      }
    }
  }

  function begin(reply: FastifyReply): FastifyReply {
    return secretly(reply)
      .header('Content-Type', 'text/event-stream; charset=utf-8')
      .header('X-Accel-Buffering', 'no') // a proxy that gathers the answer would hold it back
      .header('Connection', 'close') // the stream ends with its connection, so that a stop waits for neither
  }

  app.get('/v2/events', { config: eventAccess, schema }, async (request, reply) => {
    permit(request.actor, 'receive-events')
    const asked = lastSeen(request)
    const types = readTypes(queryText(request, 'types'))
    if (asked !== undefined) {
      await requireReached(db, asked)
      await requireKept(db, asked)
    }
    const after = asked ?? (await newestPosition(db))
    if (request.method === 'HEAD') return begin(reply).send(Readable.from([]))
    const actor = accountOf(request.actor)
    const text = streams.open({ actor, recheck: recheckOf(request), after, types, response: reply.raw })
    return begin(reply).send(text)
  })
}

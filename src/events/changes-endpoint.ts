// GET /v2/changes: the events that the caller may see, in order and without gaps.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { eventTypes } from '../shared/event-types.ts'
import { permit } from '../auth/guard.ts'
import { EventSet } from '../shared/v2/event-schemas.ts'
import type { Db } from '../database/database.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { linkNext, pageQuery, queryText, readPage, writeCursor, wrongParameter } from '../http/paging.ts'
import { sendRepresentation } from '../http/representation.ts'
import { parsePosition, readFeed, readTypes, requireReached, writeEvent } from './feed.ts'

export interface ChangesDependencies {
  readonly db: Db
  readonly publicUrl: string
}

export const eventAccess = { access: { credential: 'bearer', action: 'receive-events' } } as const

const oneType = `(?:${eventTypes.join('|').replaceAll('.', String.raw`\.`)})`

/** The parameter that names event types, for feed and stream. */
export const typesQuery = Type.Optional(
  Type.String({
    pattern: `^${oneType}(?:,${oneType})*$`,
    description: 'Only these types, comma-separated, such as image.approved,image.removed.',
  }),
)

const changesQuery = Type.Object({
  since: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 0,
      description:
        'The last position seen: the "position" of the previous response; 0 for the very first event.',
    }),
  ),
  types: typesQuery,
  ...pageQuery,
})

/** @throws refusal `invalid-query`. */
export function positionIn(name: string, text: string): number {
  const position = parsePosition(text)
  if (position === undefined) throw wrongParameter(name, 'a position: a whole number, 0 or more')
  return position
}

export function registerChangesEndpoint(app: FastifyInstance, { db, publicUrl }: ChangesDependencies): void {
  app.get(
    '/v2/changes',
    {
      config: eventAccess,
      schema: v2Operation({
        summary: 'List changes',
        description:
          'Events visible to the caller, oldest first: of images that it can see now or could see right before the event, and of its own routes. Ordered by position: continuing from "position" misses nothing and repeats nothing. A request examines at most 5,000 events, including those of others, so a page may be empty and still have a next one. A position beyond the newest event is refused. Where the site deletes old events (EVENT_RETENTION_DAYS), a position with deleted events after it gets 410, with the oldest position that is kept and the newest.',
        query: changesQuery,
        answer: EventSet,
        refusals: ['invalid-query', 'forbidden', 'events-gone'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'receive-events')
      const { limit, after: cursor } = readPage(request, 1)
      const since = positionIn('since', queryText(request, 'since') ?? '0')
      const after = cursor === undefined ? since : positionIn('cursor', cursor[0] ?? '')
      const types = readTypes(queryText(request, 'types'))
      const { events, position, isMore } = await readFeed(db, request.actor, { after, limit, types })
      if (position === after) await requireReached(db, after) // the last position, so a cursor may not point after it
      request.cacheAnswer({ dependsOn: ['feed'] })
      const next = isMore ? writeCursor([position]) : null
      linkNext(request, reply, { next, publicUrl })
      const body = `{"items":[${events.map(writeEvent).join(',')}],"next":${JSON.stringify(next)},"position":${position}}`
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )
}

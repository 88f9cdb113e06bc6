// GET /v2/changes: the events that the caller may hear, in order and without gaps.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { permit } from '../auth/guard.ts'
import { EventSet } from '../shared/v2/event-schemas.ts'
import type { Db } from '../database/database.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { linkNext, pageQuery, queryText, readPage, writeCursor, wrongParameter } from '../http/paging.ts'
import { sendRepresentation } from '../http/representation.ts'
import { hear, parsePosition, readTypes, requireReached, writeEvent } from './feed.ts'

export interface ChangesDependencies {
  readonly db: Db
  readonly publicUrl: string
}

export const hearAccess = { access: { credential: 'bearer', deed: 'hear-events' } } as const

/** The parameter that names event types, for feed and stream. */
export const typesQuery = Type.Optional(
  Type.String({
    description: 'Only these types, separated by commas, such as image.approved,image.removed.',
  }),
)

const changesQuery = Type.Object({
  since: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 0,
      description: 'The last position seen: the "position" of the answer before; 0 for the beginning.',
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
      config: hearAccess,
      schema: v2Operation({
        summary: 'List what has changed',
        description:
          'The events that the caller may hear, oldest first: of images those that it may get now or could just before the event, of routes its own. In the order of positions, without gaps: whoever goes on from "position" misses nothing and gets nothing twice. An answer looks at no more than 5,000 events, whoever may hear of them, so it may be empty and have a next page. A position beyond the newest event was not seen here and is refused.',
        query: changesQuery,
        answer: EventSet,
        refusals: ['invalid-query', 'forbidden'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'hear-events')
      const { limit, after: cursor } = readPage(request, 1)
      const since = positionIn('since', queryText(request, 'since') ?? '0')
      const after = cursor === undefined ? since : positionIn('cursor', cursor[0] ?? '')
      const types = readTypes(queryText(request, 'types'))
      await requireReached(db, after)
      const { events, position, isMore } = await hear(db, request.actor, { after, limit, types })
      const next = isMore ? writeCursor([position]) : null
      linkNext(request, reply, { next, publicUrl })
      const body = `{"items":[${events.map(writeEvent).join(',')}],"next":${JSON.stringify(next)},"position":${position}}`
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )
}

// GET /v2/routes: all public routes, as others see them, for callers who may read trails.
import type { FastifyInstance } from 'fastify'
import { permit } from '../../auth/guard.ts'
import { v2Operation } from '../../http/openapi/openapi.ts'
import { linkNext, writeCursor } from '../../http/paging.ts'
import { sendRepresentation } from '../../http/representation.ts'
import { writeTimestamp } from '../../shared/v2/timestamps.ts'
import { PublicRouteSet } from '../../shared/v2/public-route-schemas.ts'
import { edgesOf } from '../v2-present.ts'
import type { PublicList } from './public-list.ts'
import { cursorOf, publicListQuery, readPublicListQuery } from './public-list-query.ts'
import type { ListedRoute } from './public-list-table.ts'

export interface PublicListEndpointDependencies {
  readonly publicList: PublicList
  readonly publicUrl: string
}

/** The sketch is JSON already. */
function textOf({ id, accountId, displayName, name, description, sketch, ...route }: ListedRoute): string {
  const document = {
    routeID: id,
    acctID: accountId,
    displayName,
    name,
    description,
    lengthMiles: route.miles,
    ascent: route.ascent,
    bbox: edgesOf(route.box),
    createdAt: writeTimestamp(route.createdAt),
  }
  return `${JSON.stringify(document).slice(0, -1)},"line":${sketch}}`
}

export function registerPublicListEndpoint(
  app: FastifyInstance,
  { publicList, publicUrl }: PublicListEndpointDependencies,
): void {
  app.get(
    '/v2/routes',
    {
      config: { access: { credential: 'reader', action: 'list-public-routes', isForVisitors: true } },
      schema: v2Operation({
        summary: 'List public routes',
        description:
          'Routes with visibility public of all accounts, in the public view: clipped by the privacy zones of their owners, which also applies to every measure that is filtered or ordered by. A route is listed a few seconds after it was made public. A page may hold fewer routes than `limit` while `next` is not null.',
        query: publicListQuery,
        answer: PublicRouteSet,
        refusals: ['invalid-query'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'list-public-routes')
      const { filters, after, limit } = readPublicListQuery(request)
      request.cacheAnswer({ dependsOn: ['routes'] })
      const { routes, next } = await publicList(filters, { after, limit, charge: request.charge })
      const cursor = next === undefined ? null : writeCursor(cursorOf(filters.order, next))
      linkNext(request, reply, { next: cursor, publicUrl })
      const body = `{"items":[${routes.map(textOf).join(',')}],"next":${JSON.stringify(cursor)}}`
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )
}

// /v2/routes/{routeID} and its exports: complete for the owner, the public view for others (contract, Part D).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type, type TSchema } from 'typebox'
import { permit } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { RouteGeoJson } from '../shared/v2/map-schemas.ts'
import { Route, RouteOverview, RoutePatch, RouteSummary } from '../shared/v2/route-schemas.ts'
import type { Db } from '../database/database.ts'
import { refuse, type RefusalCode } from '../errors.ts'
import { attachmentOf } from '../http/attachment.ts'
import type { CachedAnswers } from '../http/cached-answers.ts'
import { partOfFile, partRefusals, v2Operation } from '../http/openapi/openapi.ts'
import { queryText, queryWord } from '../http/paging.ts'
import { requireMatch, secretly, sendChunks, sendRepresentation } from '../http/representation.ts'
import { withoutDot } from '../http/route-index.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import { ownCostOf, type Exports, type RouteBody } from './exports.ts'
import type { LongReads } from './long-reads.ts'
import { findNearDuplicates, type Route as StoredRoute } from './route-table.ts'
import type { RoutePrecondition, Routes } from './routes.ts'
import { findEqualPublicView } from './public-view/public-view-table.ts'
import { patchOf } from './v2-fields.ts'
import { nearDuplicatesOf, hashesOf, type V2Present } from './v2-present.ts'
import type { RouteView, RouteViews } from './public-view/views.ts'
import { stringEnum } from '../shared/v2/schema-parts.ts'
import { inEach } from '../texts/texts.ts'

export interface V2RouteDependencies {
  readonly db: Db
  readonly routes: Routes
  readonly views: RouteViews
  readonly exports: Exports
  readonly longReads: LongReads
  readonly cachedAnswers: CachedAnswers
  readonly present: V2Present
  readonly requireAccount: (accountId: number) => Promise<{ readonly displayName: string }>
}

type OnRoute = { Params: { routeID: string } }

/** Without a dot, since a dot begins the name of an export. */
const onRoute = `/v2/routes/:routeID${withoutDot}`

const viewQuery = Type.Object({
  token: Type.Optional(Type.String({ description: 'Link token, for a route with visibility link.' })),
  as: Type.Optional(stringEnum(['others'], 'For the owner: the public view.')),
})

const access = { credential: 'visitor', action: 'view-route' } as const
const changing = { credential: 'bearer', action: 'change-route' } as const
const viewing: readonly RefusalCode[] = ['invalid-route-id', 'insufficient-scope', 'invalid-query', 'busy']
const shownTo =
  'The complete route for its owner. Others get the public view, clipped by the privacy zones of the owner: the lines with elevations, and the times, waypoints and sensor values that the owner shares. A public route requires no credential, one with visibility link its token.'

const fileName = ({ name, routeID }: RouteSummary, extension: string): string =>
  attachmentOf(name, `route-${routeID}`, extension)

/** The operation, whose 200 response is a file. */
function ofFile(
  operation: ReturnType<typeof v2Operation>,
  { mediaType, schema }: { readonly mediaType: string; readonly schema: TSchema },
  part = {},
) {
  const { 204: _, ...problems } = operation.response as Record<string, object>
  const file = { description: 'The file.', content: { [mediaType]: { schema } } }
  return { ...operation, response: { 200: file, ...part, ...problems } }
}

export function registerV2Route(app: FastifyInstance, dependencies: V2RouteDependencies): void {
  const { db, routes, views, exports, longReads, cachedAnswers, present, requireAccount } = dependencies
  const readPatch = createBodyReader(RoutePatch, 'large')

  async function ownSummary(route: StoredRoute): Promise<RouteSummary> {
    const { displayName } = await requireAccount(route.accountId)
    return present.own(
      route,
      displayName,
      nearDuplicatesOf(await findNearDuplicates(db, route.accountId, hashesOf([route]))),
    )
  }

  async function summaryOf(view: RouteView): Promise<RouteSummary> {
    if (view.of === 'owner') return ownSummary(view.route)
    const { route, token } = view
    const alike = nearDuplicatesOf(await findEqualPublicView(db, route.accountId, hashesOf([route])))
    return present.shown(route, alike, token)
  }

  async function viewed(
    request: FastifyRequest<OnRoute>,
    reply: FastifyReply,
  ): Promise<{ view: RouteView; summary: RouteSummary }> {
    const view = await views.require(request.actor, {
      routeId: parseId(request.params.routeID),
      token: queryText(request, 'token'),
      asOthers: queryWord(request, 'as', ['others']) !== undefined,
    })
    // People may pass on a link, but search engines must not index it.
    if (view.route.visibility !== 'public') void reply.header('X-Robots-Tag', 'noindex')
    if (view.of === 'owner') {
      request.charge(ownCostOf(view.route))
      if (longReads.isLong(view.route)) await longReads.enter(view.route.accountId, reply)
    }
    return { view, summary: await summaryOf(view) }
  }

  const sendBody = (request: FastifyRequest, reply: FastifyReply, body: RouteBody): Promise<FastifyReply> =>
    'cost' in body ? cachedAnswers.send(request, reply, body) : sendChunks(request, reply, body)

  /** Checks the owner's If-Match against every body that a GET may have returned. */
  const preconditionOf =
    ({ headers }: FastifyRequest): ((route: StoredRoute) => Promise<RoutePrecondition>) =>
    async (route) => {
      const ifMatch = headers['if-match']
      if (ifMatch === undefined) return () => undefined
      const identities = exports.identities(route, await ownSummary(route))
      requireMatch(ifMatch, () => identities)
      // Any change by the owner changes the revision; without one, the check has already been done.
      return ({ revision }) => {
        if (revision !== route.revision) requireMatch(ifMatch, () => [])
      }
    }

  app.get<OnRoute>(
    onRoute,
    {
      config: { access },
      schema: v2Operation({
        ids: ['routeID'],
        summary: 'Get a route',
        description: shownTo,
        query: viewQuery,
        answer: Route,
        refusals: viewing,
      }),
    },
    async (request, reply) => {
      const { view, summary } = await viewed(request, reply)
      return sendBody(request, reply, await exports.document(view, summary))
    },
  )

  app.get<OnRoute>(
    '/v2/routes/:routeID/overview',
    {
      config: { access },
      schema: v2Operation({
        ids: ['routeID'],
        summary: 'Get an overview of a route',
        description:
          'The public view, also for the owner, with a sketch of line and elevations instead of the GPX. Without a credential for public routes, with the token for visibility link.',
        query: Type.Pick(viewQuery, ['token']),
        answer: RouteOverview,
        refusals: viewing,
      }),
    },
    async (request, reply) => {
      const routeId = parseId(request.params.routeID)
      const token = queryText(request, 'token')
      const view = await views.require(request.actor, { routeId, token, asOthers: true })
      if (view.of === 'owner') throw refuse('invalid-route-id')
      if (view.route.visibility !== 'public') void reply.header('X-Robots-Tag', 'noindex')
      request.cacheAnswer({ dependsOn: ['routes'] })
      return sendBody(request, reply, await exports.overview(view.route, await summaryOf(view)))
    },
  )

  const registerExport = (
    extension: 'gpx' | 'geojson',
    {
      mediaType,
      schema,
      summary: about,
      write,
    }: {
      readonly mediaType: string
      readonly schema: TSchema
      readonly summary: string
      readonly write: (view: RouteView, summary: RouteSummary) => Promise<RouteBody>
    },
  ): void => {
    const operation = v2Operation({
      ids: ['routeID'],
      summary: about,
      description: shownTo,
      query: viewQuery,
      refusals: [...viewing, 'unreadable-gpx', ...(extension === 'geojson' ? partRefusals : [])],
    })
    const part = extension === 'geojson' ? partOfFile(mediaType) : {}
    app.get<OnRoute>(
      `/v2/routes/:routeID.${extension}`,
      { config: { access }, schema: ofFile(operation, { mediaType, schema }, part) },
      async (request, reply) => {
        const { view, summary } = await viewed(request, reply)
        const body = await write(view, summary)
        void reply.header('Content-Disposition', fileName(summary, extension))
        return sendBody(request, reply, body)
      },
    )
  }

  registerExport('gpx', {
    mediaType: 'application/gpx+xml',
    schema: Type.String(),
    summary: 'Export a route as GPX 1.1',
    write: exports.gpx,
  })
  registerExport('geojson', {
    mediaType: 'application/geo+json',
    schema: RouteGeoJson,
    summary: 'Export a route as GeoJSON',
    write: exports.geoJson,
  })

  app.get<OnRoute>(
    '/v2/routes/:routeID/original.gpx',
    {
      config: { access },
      schema: ofFile(
        v2Operation({
          ids: ['routeID'],
          summary: 'Get the original GPX of a route',
          description: 'Only for its owner: the document as it was sent, byte for byte.',
          refusals: ['invalid-route-id', 'insufficient-scope', 'forbidden', 'busy'],
        }),
        { mediaType: 'application/gpx+xml', schema: Type.String() },
      ),
    },
    async (request, reply) => {
      const routeId = parseId(request.params.routeID)
      const view = await views.require(request.actor, { routeId, token: undefined, asOthers: false })
      if (view.of !== 'owner')
        throw refuse('forbidden', { detail: inEach(({ access }) => access.originalRoute) })
      request.charge(ownCostOf(view.route))
      if (longReads.isLong(view.route)) await longReads.enter(view.route.accountId, reply)
      const body = await exports.original(view.route)
      void reply.header('Content-Disposition', fileName(await ownSummary(view.route), 'gpx'))
      return sendChunks(request, reply, body)
    },
  )

  app.patch<OnRoute>(
    onRoute,
    {
      config: { access: changing, hasLargeBody: true },
      schema: v2Operation({
        ids: ['routeID'],
        summary: 'Change a route',
        description:
          'Omitted fields are not changed; a length of null is computed from then on. `newLink: true` replaces the link of a route with visibility link: the old link stops working.',
        body: RoutePatch,
        answer: RouteSummary,
        refusals: [
          'invalid-route-id',
          'insufficient-scope',
          'forbidden',
          'invalid-field',
          'precondition-failed',
          'quota-reached',
          'read-only',
        ],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'change-route')
      const route = await views.requireChangeable(request.actor, parseId(request.params.routeID))
      const precondition = await preconditionOf(request)(route)
      await routes.change(route, patchOf(await readPatch(request)), precondition)
      const changed = await routes.requireIn(route.accountId, route.id)
      const body = JSON.stringify(await ownSummary(changed))
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )

  app.delete<OnRoute>(
    onRoute,
    {
      config: { access: changing },
      schema: v2Operation({
        ids: ['routeID'],
        summary: 'Delete a route',
        description: 'Permanent. The ID is never reused.',
        refusals: ['invalid-route-id', 'insufficient-scope', 'forbidden', 'precondition-failed', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'change-route')
      const route = await views.requireChangeable(request.actor, parseId(request.params.routeID))
      await routes.remove(route, await preconditionOf(request)(route))
      return secretly(reply).code(204).send()
    },
  )
}

// /v2/trails and /v2/trails/{trailID}: read access for keys and tokens, changes for admins (contract, Part D).
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { accountOf, auditActorOf, permit } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { NewTrail, Trail, TrailSet, WholeTrail } from '../shared/v2/trail-schemas.ts'
import type { Db } from '../database/database.ts'
import type { RefusalCode } from '../errors.ts'
import { makesOnce, v2Operation } from '../http/openapi/openapi.ts'
import { withoutDot } from '../http/route-index.ts'
import { sendPage } from '../http/paging.ts'
import { requireMatch, secretly, sendRepresentation } from '../http/representation.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts'
import type { TrailManagement, TrailPrecondition } from './manage-trails.ts'
import { listTrails } from './trail-table.ts'
import type { Trails } from './trails.ts'
import { summaryDocument, trailText } from './v2-present.ts'
import { cursorOf, listQuery, readListQuery } from './v2-query.ts'

export interface V2TrailEndpointsDependencies {
  readonly db: Db
  readonly trails: Trails
  readonly management: TrailManagement
  readonly publicUrl: string
}

type OnTrail = { Params: { trailID: string } }

const path = '/v2/trails'
/** Without a dot, since a dot begins the name of a download. */
const onTrail = `${path}/:trailID${withoutDot}`
const reading = { access: { credential: 'reader', action: 'list-trails', isForVisitors: true } } as const
const changing = { access: { credential: 'bearer', action: 'manage-trails' } } as const
const drawing = { ...changing, hasLargeBody: true } as const
const forAdmins: readonly RefusalCode[] = ['insufficient-scope', 'forbidden', 'read-only']

const digestOf = (body: unknown): string => createHash('sha256').update(JSON.stringify(body)).digest('hex')

const preconditionOf =
  ({ headers }: FastifyRequest): TrailPrecondition =>
  (trail) =>
    requireMatch(headers['if-match'], () => [trailText(trail)])

function registerReading(app: FastifyInstance, dependencies: V2TrailEndpointsDependencies): void {
  const { db, trails, publicUrl } = dependencies

  app.get(
    path,
    {
      config: reading,
      schema: v2Operation({
        summary: 'List trails',
        description:
          'Ordered by name. bbox finds trails whose bounding box intersects it, never trails without a line.',
        query: listQuery,
        answer: TrailSet,
        refusals: ['insufficient-scope', 'invalid-query'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'list-trails')
      const { filters, limit } = readListQuery(request)
      // One more than the page size shows whether there is a next page.
      const rows = await listTrails(db, filters, limit + 1)
      // The number of photos of each, and a cover. A new trail or a changed slug affects everything.
      const named = filters.slug === undefined ? undefined : rows.map(({ id }) => `trail:${id}` as const)
      request.cacheAnswer({ dependsOn: named ?? ['photos'] })
      return sendPage(request, reply, { rows, limit, show: summaryDocument, cursorOf, publicUrl })
    },
  )

  app.get<OnTrail>(
    onTrail,
    {
      config: reading,
      schema: v2Operation({
        ids: ['trailID'],
        summary: 'Get a trail',
        description: 'With its line.',
        answer: Trail,
        refusals: ['invalid-trail-id', 'insufficient-scope'],
      }),
    },
    async (request, reply) => {
      const trail = await trails.requireDetails(parseId(request.params.trailID))
      permit(request.actor, 'list-trails')
      request.cacheAnswer({ dependsOn: [`trail:${trail.id}`] })
      return sendRepresentation(request, reply, { mediaType: 'application/json', body: trailText(trail) })
    },
  )
}

function registerChanging(app: FastifyInstance, dependencies: V2TrailEndpointsDependencies): void {
  const { trails, management, publicUrl } = dependencies
  const readNew = createBodyReader(NewTrail, 'line')
  const readWhole = createBodyReader(WholeTrail, 'line')

  app.post(
    path,
    {
      config: drawing,
      schema: {
        ...v2Operation({
          summary: 'Add a trail',
          description: 'For admins. A slug derived from the name is made unique.',
          body: NewTrail,
          status: 201,
          isLocated: true,
          answer: Trail,
          refusals: [
            ...forAdmins,
            'trail-exists',
            'invalid-header',
            'idempotency-key-reused',
            'invalid-trail-id',
          ],
        }),
        ...makesOnce,
      },
    },
    async (request, reply) => {
      permit(request.actor, 'manage-trails')
      const by = auditActorOf(request.actor)
      const key = readIdempotencyKey(request.raw.headersDistinct['idempotency-key'])
      const body = await readNew(request)
      const keyed =
        key === undefined
          ? undefined
          : { accountId: accountOf(request.actor).accountId, path, key, bodySha256: digestOf(body) }
      const id = await management.create(by, { ...body, trailId: body.trailID }, keyed)
      return secretly(reply)
        .code(201)
        .header('Location', `${publicUrl}${path}/${id}`)
        .header('Content-Type', 'application/json; charset=utf-8')
        .send(trailText(await trails.requireDetails(id)))
    },
  )

  app.put<OnTrail>(
    onTrail,
    {
      config: drawing,
      schema: v2Operation({
        ids: ['trailID'],
        summary: 'Replace name, slug, description and line of a trail',
        description:
          'For admins. Omitted fields are reset: the slug is derived from the name, and the line is removed. Only an omitted description stays; an empty one removes it.',
        body: WholeTrail,
        answer: Trail,
        refusals: [...forAdmins, 'invalid-trail-id', 'precondition-failed'],
      }),
    },
    async (request, reply) => {
      const trail = await trails.requireDetails(parseId(request.params.trailID))
      permit(request.actor, 'manage-trails')
      preconditionOf(request)(trail)
      const body = await readWhole(request)
      await management.replace(auditActorOf(request.actor), trail.id, body, preconditionOf(request))
      const changed = trailText(await trails.requireDetails(trail.id))
      return sendRepresentation(request, reply, { mediaType: 'application/json', body: changed })
    },
  )

  app.delete<OnTrail>(
    onTrail,
    {
      config: changing,
      schema: v2Operation({
        ids: ['trailID'],
        summary: 'Delete a trail',
        description: 'For admins. Only if the trail has no images and no reviewer is limited to it alone.',
        refusals: [
          ...forAdmins,
          'invalid-trail-id',
          'precondition-failed',
          'trail-not-empty',
          'trail-has-reviewers',
        ],
      }),
    },
    async (request, reply) => {
      const { id } = await trails.require(parseId(request.params.trailID))
      permit(request.actor, 'manage-trails')
      await management.remove(auditActorOf(request.actor), id, preconditionOf(request))
      return secretly(reply).code(204).send()
    },
  )
}

export function registerV2TrailEndpoints(
  app: FastifyInstance,
  dependencies: V2TrailEndpointsDependencies,
): void {
  registerReading(app, dependencies)
  registerChanging(app, dependencies)
}

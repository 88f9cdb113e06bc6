// /v2/me/zones: the privacy zones of the account, for the user and for the account's own client.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Action } from '../../auth/actions.ts'
import { accountOf, permit } from '../../auth/guard.ts'
import { parseId } from '../../shared/classic/classic-paths.ts'
import { writeTimestamp } from '../../shared/v2/timestamps.ts'
import { maxZoneRadius, NewZone, Zone as ZoneDocument, ZoneSet } from '../../shared/v2/route-schemas.ts'
import { makesOnce, v2Operation } from '../../http/openapi/openapi.ts'
import { secretly, sendRepresentation } from '../../http/representation.ts'
import { createBodyReader } from '../../http/bodies/v2-body.ts'
import { readIdempotencyKey } from '../../idempotency/idempotency-key.ts'
import { hiddenRadiusOf, hiddenSizes, type Displacement } from './zone-circle.ts'
import type { Zone } from './zone-table.ts'
import type { Zones } from './zones.ts'

const path = '/v2/me/zones'

function permitted(request: FastifyRequest, action: Action): number {
  permit(request.actor, action)
  return accountOf(request.actor).accountId
}

const documentOf = (
  { id, name, lat, lon, radiusMetres, createdAt }: Zone,
  displacement: Displacement,
): ZoneDocument => ({
  zoneID: id,
  name,
  lat,
  lon,
  radius: radiusMetres,
  hiddenRadius: hiddenRadiusOf(radiusMetres, displacement),
  createdAt: writeTimestamp(createdAt),
})

export function registerZoneEndpoints(app: FastifyInstance, { zones }: { readonly zones: Zones }): void {
  const readNew = createBodyReader(NewZone)

  app.get(
    path,
    {
      config: { access: { credential: 'bearer', action: 'list-zones' } },
      schema: v2Operation({
        summary: 'List your privacy zones',
        description:
          'Oldest first, visible only to you. `hiddenSizes` gives what a new zone would hide, by its radius.',
        answer: ZoneSet,
        refusals: ['forbidden', 'insufficient-scope'],
      }),
    },
    async (request, reply) => {
      const { zones: own, displacement } = await zones.find(permitted(request, 'list-zones'))
      const body = JSON.stringify({
        items: own.map((zone) => documentOf(zone, displacement)),
        next: null,
        hiddenSizes: hiddenSizes(maxZoneRadius, displacement),
      })
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )

  app.post(
    path,
    {
      config: { access: { credential: 'bearer', action: 'manage-zones' } },
      schema: {
        ...v2Operation({
          summary: 'Add a privacy zone',
          description:
            'From now on, others only see the parts of the routes outside all zones. A zone clips with a larger, displaced circle, so that the ends of the routes do not reveal its centre.',
          body: NewZone,
          status: 201,
          answer: ZoneDocument,
          refusals: [
            'forbidden',
            'insufficient-scope',
            'quota-reached',
            'invalid-header',
            'idempotency-key-reused',
            'invalid-zone-id',
            'read-only',
          ],
        }),
        ...makesOnce,
      },
    },
    async (request, reply) => {
      const accountId = permitted(request, 'manage-zones')
      const key = readIdempotencyKey(request.raw.headersDistinct['idempotency-key'])
      const body = await readNew(request)
      const { name = '', lat, lon, radius: radiusMetres } = body
      const bodySha256 = createHash('sha256').update(JSON.stringify(body)).digest('hex')
      const keyed = key === undefined ? undefined : { accountId, path, key, bodySha256 }
      const zone = await zones.add(accountId, { name, lat, lon, radiusMetres }, keyed)
      const { displacement } = await zones.find(accountId)
      return secretly(reply).code(201).send(documentOf(zone, displacement))
    },
  )

  app.delete<{ Params: { zoneID: string } }>(
    `${path}/:zoneID`,
    {
      config: { access: { credential: 'bearer', action: 'manage-zones' } },
      schema: v2Operation({
        ids: ['zoneID'],
        summary: 'Remove a privacy zone',
        description: 'The parts of non-private routes that it hid become visible again.',
        refusals: ['forbidden', 'insufficient-scope', 'invalid-zone-id', 'read-only'],
      }),
    },
    async (request, reply) => {
      await zones.remove(permitted(request, 'manage-zones'), parseId(request.params.zoneID))
      return secretly(reply).code(204).send()
    },
  )
}

// What maps ask for: the images of a trail as GeoJSON, vector tiles, and the TileJSON that leads to them (contract, Part D).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { Type } from 'typebox'
import { daysSearchableBy, permit, type TakenAtSetting } from '../auth/guard.ts'
import { readTakenDays } from '../images/v2-query.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { ImageGeoJson, TileJson } from '../shared/v2/map-schemas.ts'
import { refuse, type RefusalCode } from '../errors.ts'
import { addVary } from '../http/codec.ts'
import { codedEtag } from '../http/content-codings.ts'
import { partOfFile, partRefusals, v2Operation } from '../http/openapi/openapi.ts'
import { boxQuery, queryBox, queryText, takenQuery } from '../http/paging.ts'
import { isNotModified, sendChunks, sendRepresentation } from '../http/representation.ts'
import type { ImageFeatures } from './image-features.ts'
import { describeTiles } from './tile-json.ts'
import { tagsOf, type Tiles } from './tiles.ts'
import { maxZoom, tileAt } from './world.ts'

export interface MapEndpointsDependencies {
  readonly tiles: Tiles
  readonly imageFeatures: ImageFeatures
  /** @throws refusal `invalid-trail-id`. */
  readonly requireTrail: (trailId: number | undefined) => Promise<{ readonly id: number }>
  readonly publicUrl: string
  /** Setting TAKEN_AT. */
  readonly takenAt: TakenAtSetting
}

const reading = {
  config: { access: { credential: 'reader', action: 'list-images', isForVisitors: true } },
} as const
const always: readonly RefusalCode[] = ['invalid-api-key', 'insufficient-scope']

const tileType = 'application/vnd.mapbox-vector-tile'

/** An API key in the address, as browsers and QGIS send it. */
const keyQuery = {
  api_key: Type.Optional(Type.String({ description: 'API key; X-API-Key or a bearer token also work.' })),
}

/** Of an operation whose success is no plain JSON. */
function answering(operation: ReturnType<typeof v2Operation>, mediaType: string, schema: object) {
  const { 204: _, ...problems } = operation.response as Record<string, object>
  const part = mediaType === 'application/geo+json' ? partOfFile(mediaType) : {}
  return {
    ...operation,
    response: { 200: { description: 'Done.', content: { [mediaType]: { schema } } }, ...part, ...problems },
  }
}

/** What a key opens is the same for every key, and what staff remove shall be gone soon. */
const cacheControlOf = ({ actor }: FastifyRequest): string =>
  actor.kind === 'account' ? 'private, no-store' : 'private, max-age=60'

export function registerMapEndpoints(app: FastifyInstance, dependencies: MapEndpointsDependencies): void {
  const { tiles, imageFeatures, requireTrail, publicUrl, takenAt } = dependencies

  app.get<{ Params: { trailID: string } }>(
    '/v2/trails/:trailID/images.geojson',
    {
      ...reading,
      schema: answering(
        v2Operation({
          ids: ['trailID'],
          summary: 'Get the images of a trail as GeoJSON',
          description:
            'All published images, in order of upload. An image without a position has a null geometry.',
          query: Type.Object({ bbox: boxQuery, ...takenQuery, ...keyQuery }),
          refusals: [...always, ...partRefusals, 'invalid-trail-id', 'invalid-query'],
        }),
        'application/geo+json',
        ImageGeoJson,
      ),
    },
    async (request, reply) => {
      const trail = await requireTrail(parseId(request.params.trailID))
      permit(request.actor, 'list-images')
      const taken = readTakenDays(request, daysSearchableBy(request.actor, trail.id, takenAt))
      request.cacheAnswer({ dependsOn: [`trail:${trail.id}`] })
      return sendChunks(
        request,
        reply,
        await imageFeatures.ofTrail(
          request.actor,
          trail.id,
          { within: queryBox(request), taken },
          request.charge,
        ),
      )
    },
  )

  app.get<{ Params: { z: string; x: string; y: string } }>(
    '/v2/tiles/:z/:x/:y.mvt',
    {
      ...reading,
      schema: {
        ...answering(
          v2Operation({
            summary: 'Get a vector tile',
            description:
              'Mapbox Vector Tile 2 with the layers photos (published), routes (public, clipped by privacy zones) and trails. Empty if there is nothing to show.',
            query: Type.Object(keyQuery),
            refusals: [...always, 'not-found'],
          }),
          tileType,
          { type: 'string', format: 'binary' },
        ),
        params: Type.Object({
          z: Type.Integer({ minimum: 0, maximum: maxZoom }),
          x: Type.Integer({
            minimum: 0,
            description: 'Column of the tile, counted from the west; less than 2^z.',
          }),
          y: Type.Integer({
            minimum: 0,
            description: 'Row of the tile, counted from the north; less than 2^z.',
          }),
        }),
      },
    },
    async (request, reply) => {
      const { z, x, y } = request.params
      const tile = tileAt(z, x, y)
      if (tile === undefined)
        throw refuse('not-found', {
          detail: `No such tile: z may be up to ${maxZoom}, and x and y must be less than 2^z.`,
        })
      permit(request.actor, 'list-images')
      request.cacheAnswer({ dependsOn: tagsOf(tile) })
      const made = await tiles.find(tile, request.charge)
      addVary(reply, 'Accept-Encoding')
      const isCompressed = made.isLong && new Negotiator(request).encoding(['gzip', 'identity']) === 'gzip'
      const etag = isCompressed ? codedEtag(made.etag, 'gzip') : made.etag
      void reply.header('ETag', etag).header('Cache-Control', cacheControlOf(request))
      if (isNotModified(request, etag)) return reply.code(304).send()
      void reply.header('Content-Type', tileType)
      if (!isCompressed) return reply.send(made.bytes)
      return reply.header('Content-Encoding', 'gzip').send(await tiles.compress(made))
    },
  )

  app.get(
    '/v2/tiles.json',
    {
      ...reading,
      schema: v2Operation({
        summary: 'Get the TileJSON of the vector tiles',
        description: 'The only URL a map needs. An API key in its query is added to the tile URLs.',
        query: Type.Object(keyQuery),
        answer: TileJson,
        refusals: [...always, 'invalid-query'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'list-images')
      const body = JSON.stringify(describeTiles(publicUrl, queryText(request, 'api_key')))
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )
}

// Endpoints for the line of one trail: its profile and its downloads, in v2 and as links on the trail's page.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { permit } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { profileOf } from '../shared/geo/profile.ts'
import { TrailCollection, TrailProfile } from '../shared/v2/trail-schemas.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { attachmentOf } from '../http/attachment.ts'
import { partOfFile, partRefusals, v2Operation } from '../http/openapi/openapi.ts'
import { sendChunks, sendRepresentation } from '../http/representation.ts'
import { findDownloaded, type DownloadedTrail } from './line-table.ts'
import type { MeasuredTrails } from './measured-trails.ts'
import { createDownloads, downloadFormats, type DownloadFormat } from './trail-downloads.ts'

export interface LineEndpointsDependencies {
  readonly db: Db
  readonly measured: MeasuredTrails
  readonly publicUrl: string
  /** Whether trails have a page to link from (setting WEB_APP). */
  readonly hasPages: boolean
}

type OnTrail = { Params: { trailID: string } }
type OnPage = { Params: { slug: string } }

/** The schema TrailProfile has the same limit. */
const maxProfilePoints = 1_000
/** Points of a line that cost one unit of the rate limits when it is measured, about 20 ms. Few lines are cached. */
const pointsOfUnit = 5_000

const reading = { access: { credential: 'reader', action: 'list-trails', isForVisitors: true } } as const
/** The same access as the page: people who see a line there may download it (decision 0115). */
const onPage = { access: { credential: 'open' }, rate: 'visitors' } as const

const text = Type.String({ description: 'The file.' })
const schemas = { gpx: text, kml: text, geojson: TrailCollection } as const

export function registerLineEndpoints(
  app: FastifyInstance,
  { db, measured, publicUrl, hasPages }: LineEndpointsDependencies,
): void {
  const download = createDownloads(db, publicUrl)

  /** @throws refusal `invalid-trail-id`. */
  async function required(sought: Parameters<typeof findDownloaded>[1]): Promise<DownloadedTrail> {
    const trail = await findDownloaded(db, sought)
    if (!trail) throw refuse('invalid-trail-id')
    return trail
  }

  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { trail, format }: { trail: DownloadedTrail; format: DownloadFormat },
  ): Promise<FastifyReply> {
    void reply.header('Content-Disposition', attachmentOf(trail.slug, `trail-${trail.id}`, format))
    return sendChunks(request, reply, download(trail, format, request.charge))
  }

  app.get<OnTrail>(
    '/v2/trails/:trailID/profile',
    {
      config: reading,
      schema: v2Operation({
        ids: ['trailID'],
        summary: 'Get the elevation profile of a trail',
        description:
          'Elevation by the miles along the line. Ascent and descent are those of the whole line, not of these points.',
        answer: TrailProfile,
        refusals: ['invalid-trail-id', 'insufficient-scope'],
      }),
    },
    async (request, reply) => {
      const { id, ascent, descent, highest } = await required({ id: parseId(request.params.trailID) })
      permit(request.actor, 'list-trails')
      request.cacheAnswer({ dependsOn: [`trail:${id}`] })
      const found = highest === null ? undefined : await measured.find(id)
      request.charge(Math.floor((found?.line.miles.length ?? 0) / pointsOfUnit))
      const points = found ? profileOf(found.lines, found.line.miles, maxProfilePoints) : []
      const profile: TrailProfile = { points, ascent, descent }
      return sendRepresentation(request, reply, {
        mediaType: 'application/json',
        body: JSON.stringify(profile),
      })
    },
  )

  const formats = Object.keys(downloadFormats) as DownloadFormat[]
  for (const format of formats) {
    const { mediaType, called } = downloadFormats[format]
    const operation = v2Operation({
      ids: ['trailID'],
      summary: `Export a trail as ${called}`,
      description: 'Name, description and line, with elevations if they are known.',
      refusals: ['invalid-trail-id', 'insufficient-scope', ...(format === 'geojson' ? partRefusals : [])],
    })
    const { 204: _, ...problems } = operation.response as Record<string, object>
    const file = { description: 'The file.', content: { [mediaType]: { schema: schemas[format] } } }
    app.get<OnTrail>(
      `/v2/trails/:trailID.${format}`,
      {
        config: reading,
        schema: {
          ...operation,
          response: { 200: file, ...(format === 'geojson' && partOfFile(mediaType)), ...problems },
        },
      },
      async (request, reply) => {
        const trail = await required({ id: parseId(request.params.trailID) })
        permit(request.actor, 'list-trails')
        return send(request, reply, { trail, format })
      },
    )
    if (!hasPages) continue
    app.get<OnPage>(`/t/:slug/trail.${format}`, { config: onPage }, async (request, reply) => {
      const { slug } = request.params
      const named = await findDownloaded(db, { slug })
      // Like the page: a number that is not a slug is a trailID.
      return send(request, reply, { trail: named ?? (await required({ id: parseId(slug) })), format })
    })
  }
}

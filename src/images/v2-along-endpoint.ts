// GET /v2/trails/{trailID}/images/along: where along its trail each listed image is, for a profile with all of them.
import type { FastifyInstance } from 'fastify'
import { permit } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { ImagesAlong } from '../shared/v2/image-schemas.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { sendRepresentation } from '../http/representation.ts'
import { maxPlacesAlong, type Images } from './images.ts'

export interface AlongEndpointDependencies {
  readonly images: Images
  /** @throws refusal `invalid-trail-id`. */
  readonly requireTrail: (trailId: number | undefined) => Promise<{ readonly id: number }>
}

export function registerAlongEndpoint(
  app: FastifyInstance,
  { images, requireTrail }: AlongEndpointDependencies,
): void {
  app.get<{ Params: { trailID: string } }>(
    '/v2/trails/:trailID/images/along',
    {
      config: { access: { credential: 'reader', action: 'list-images', isForVisitors: true } },
      schema: v2Operation({
        ids: ['trailID'],
        summary: 'Get the positions of the images along a trail',
        description: `The published images within 100 m of the line, in order along it, each with its title and how far along it is. Of more than ${maxPlacesAlong.toLocaleString('en')} images, an even selection of about that many.`,
        answer: ImagesAlong,
        refusals: ['invalid-trail-id', 'invalid-api-key', 'insufficient-scope'],
      }),
    },
    async (request, reply) => {
      const trail = await requireTrail(parseId(request.params.trailID))
      permit(request.actor, 'list-images')
      request.cacheAnswer({ dependsOn: [`trail:${trail.id}`] })
      const body = JSON.stringify({
        images: await images.listPlacesAlong(trail.id),
      } satisfies ImagesAlong)
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )
}

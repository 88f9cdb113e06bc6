// GET /v2/trails/{trailID}/images/months: how many listed images of a trail were taken in each month.
import type { FastifyInstance } from 'fastify'
import { daysSearchableBy, permit, type TakenAtSetting } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { TakenMonths } from '../shared/v2/image-schemas.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { sendRepresentation } from '../http/representation.ts'
import type { Images } from './images.ts'

export interface MonthEndpointDependencies {
  readonly images: Images
  /** @throws refusal `invalid-trail-id`. */
  readonly requireTrail: (trailId: number | undefined) => Promise<{ readonly id: number }>
  /** Setting TAKEN_AT. */
  readonly takenAt: TakenAtSetting
}

export function registerMonthEndpoint(
  app: FastifyInstance,
  { images, requireTrail, takenAt }: MonthEndpointDependencies,
): void {
  app.get<{ Params: { trailID: string } }>(
    '/v2/trails/:trailID/images/months',
    {
      config: { access: { credential: 'reader', action: 'list-images', isForVisitors: true } },
      schema: v2Operation({
        ids: ['trailID'],
        summary: 'Count the images of a trail by month',
        description:
          'How many published images were taken in each month, the oldest first. Images without a date are not counted. Where the dates are hidden (setting TAKEN_AT), the list is empty.',
        answer: TakenMonths,
        refusals: ['invalid-trail-id', 'invalid-api-key', 'insufficient-scope'],
      }),
    },
    async (request, reply) => {
      const trail = await requireTrail(parseId(request.params.trailID))
      permit(request.actor, 'list-images')
      request.cacheAnswer({ dependsOn: [`trail:${trail.id}`] })
      const isKnown = daysSearchableBy(request.actor, trail.id, takenAt) === 'all'
      const months: TakenMonths = { months: isKnown ? [...(await images.listTakenMonths(trail.id))] : [] }
      return sendRepresentation(request, reply, {
        mediaType: 'application/json',
        body: JSON.stringify(months),
      })
    },
  )
}

// GET and PUT /v2/admin/map for the base map, and the map files for every page.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { auditActorOf, permit } from '../auth/guard.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { requireMatch, secretly, sendRepresentation } from '../http/representation.ts'
import { SiteMap, SiteMapChoice } from '../shared/v2/site-map-schemas.ts'
import type { MapInForce } from './map-choice.ts'
import type { SiteMaps } from './site-map.ts'

export function registerSiteMap(app: FastifyInstance, { siteMap }: { readonly siteMap: SiteMaps }): void {
  const readChoice = createBodyReader(SiteMapChoice)
  for (const file of siteMap.files) file.register(app)

  /**
   * The state that the client's If-Match was checked against; undefined if there is none. @throws refusal
   * `precondition-failed`.
   */
  async function stateToMatch({ headers }: FastifyRequest): Promise<MapInForce | undefined> {
    const ifMatch = headers['if-match']
    if (ifMatch === undefined) return undefined
    const before = await siteMap.inForce()
    const text = JSON.stringify(await siteMap.describe())
    requireMatch(ifMatch, () => [text])
    return before
  }

  app.get(
    '/v2/admin/map',
    {
      config: { access: { credential: 'bearer', action: 'view-administration' } },
      schema: v2Operation({
        summary: 'Get the map choice and files',
        description:
          'For admins with a browser session. Reads the style that is in use, at most every five minutes.',
        answer: SiteMap,
        refusals: ['forbidden'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'view-administration')
      const body = JSON.stringify(await siteMap.describe())
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )

  app.put(
    '/v2/admin/map',
    {
      config: { access: { credential: 'bearer', action: 'administer' } },
      schema: v2Operation({
        summary: 'Choose the map',
        description:
          'For admins with a browser session. A style is read first; pages may then load from the origins that it names.',
        body: SiteMapChoice,
        answer: SiteMap,
        refusals: ['forbidden', 'precondition-failed', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const before = await stateToMatch(request)
      const chosen = await siteMap.choose(auditActorOf(request.actor), await readChoice(request), before)
      return secretly(reply).send(chosen)
    },
  )
}

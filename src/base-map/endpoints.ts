// GET and PUT /v2/admin/map: which map lies below everything. And the files of the map, for every page.
import type { FastifyInstance } from 'fastify'
import { auditActorOf, permit } from '../auth/guard.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { secretly } from '../http/representation.ts'
import { SiteMap, SiteMapChoice } from '../shared/v2/site-map-schemas.ts'
import type { SiteMaps } from './site-map.ts'

export function registerSiteMap(app: FastifyInstance, { siteMap }: { readonly siteMap: SiteMaps }): void {
  const readChoice = createBodyReader(SiteMapChoice)
  for (const file of siteMap.files) file.register(app)

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
      return secretly(reply).send(await siteMap.describe())
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
        refusals: ['forbidden', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const chosen = await siteMap.choose(auditActorOf(request.actor), await readChoice(request))
      return secretly(reply).send(chosen)
    },
  )
}

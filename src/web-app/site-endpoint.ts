// GET /v2/site: everything that the web app needs at startup, in one response.
import type { FastifyInstance } from 'fastify'
import { permit, type Actor } from '../auth/guard.ts'
import type { PhotoTerms } from '../shared/v2/image-schemas.ts'
import { SiteInfo } from '../shared/v2/site-schemas.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import type { Brand } from '../site/brand.ts'
import { secretly } from '../http/representation.ts'

/** The same for everyone while the server runs. */
export type FixedSiteInfo = Omit<
  SiteInfo,
  'name' | 'viewer' | 'licence' | 'termsVersion' | 'map' | 'branding'
>

export interface SiteEndpointDependencies {
  readonly info: FixedSiteInfo
  /** The current branding. */
  readonly brand: () => Promise<Brand>
  /** The base map may be replaced while the server runs. */
  readonly map: () => Promise<SiteInfo['map']>
  readonly readTerms: () => Promise<Pick<PhotoTerms, 'licence' | 'version'>>
  /** @throws refusal `invalid-account-id`. */
  readonly requireAccount: (accountId: number) => Promise<{ readonly displayName: string }>
}

export function registerSiteEndpoint(app: FastifyInstance, dependencies: SiteEndpointDependencies): void {
  const { info, brand, map, readTerms, requireAccount } = dependencies

  async function viewerOf(actor: Actor): Promise<SiteInfo['viewer']> {
    if (actor.kind !== 'account') return null
    const { accountId: acctID, role, trails, awaitsPasskey } = actor
    const displayName = actor.displayName ?? (await requireAccount(acctID)).displayName
    return {
      acctID,
      displayName,
      role,
      trails: trails === undefined ? null : [...trails],
      ...(awaitsPasskey && { passkeyRequired: true as const }),
    }
  }

  app.get(
    '/v2/site',
    {
      config: { access: { credential: 'visitor', action: 'view-site' } },
      schema: v2Operation({
        summary: 'Get what the web app needs to know about the site and the caller',
        description: 'Public. A session or token identifies the viewer.',
        answer: SiteInfo,
        refusals: [],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'view-site')
      const { licence, version: termsVersion } = await readTerms()
      const viewer = await viewerOf(request.actor)
      const { name, logo, accent = null, footer } = await brand()
      const branding = {
        logo: logo ? info.publicUrl + logo.path : null,
        logoRatio: logo ? logo.width / logo.height : null,
        accent,
        footer,
      }
      const answer: SiteInfo = { ...info, name, viewer, licence, termsVersion, map: await map(), branding }
      return secretly(reply).send(answer)
    },
  )
}

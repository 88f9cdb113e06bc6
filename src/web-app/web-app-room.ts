// Puts the room together from the settings and from what other rooms show to everybody.
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Changes } from '../commits.ts'
import type { Site } from '../site/site.ts'
import { createBaseMap } from './base-map.ts'
import { registerEmbeds } from './embeds.ts'
import { registerWebApp } from './endpoints.ts'
import type { Listed } from './listed.ts'
import { createPageMaker } from './page-maker.ts'
import { createPageStore } from './page-store.ts'
import { createPreviews } from './previews.ts'
import { createServerRendering } from './server-rendering.ts'
import { createShell } from './shell.ts'
import { createVisitorFetch, type VisitorFetchDependencies } from './visitor-fetch.ts'
import { registerSiteEndpoint, type SiteEndpointDependencies } from './site-endpoint.ts'

/** As the settings of the same names give them. */
export interface WebAppSettings {
  readonly publicUrl: string
  readonly imageHandlerUrl: string
  readonly webApp: 'on' | 'off'
  readonly siteName: string
  readonly mapPmtiles: string | undefined
  readonly mapStyleUrl: string | undefined
  readonly mapStyleOrigins: readonly string[]
  readonly signUp: SiteEndpointDependencies['info']['signUp']
  readonly edits: SiteEndpointDependencies['info']['edits']
  readonly maxImageBytes: number
  readonly answerCacheMegabytes: number
}

export interface WebAppRoomDependencies extends Pick<
  SiteEndpointDependencies,
  'readTerms' | 'requireAccount'
> {
  readonly site: Site
  readonly settings: WebAppSettings
  readonly listed: Listed
  readonly version: string
  readonly canMail: boolean
  readonly hasPasskeys: boolean
  readonly changes: Changes
  /** What was said of the answer to a request. */
  readonly keptOf: VisitorFetchDependencies['keptOf']
  /** That vite builds into; another in tests. */
  readonly folder?: string | undefined
}

/** Of the memory for answers, besides: pages as they were rendered, whatever stands in the query of their address. */
const pagesShare = 0.25

/** Beside src/, wherever the package lies. */
const usualFolder = path.resolve(import.meta.dirname, '../../dist/web')

export function registerWebAppRoom(app: FastifyInstance, dependencies: WebAppRoomDependencies): void {
  const { site, settings, listed, version, canMail, hasPasskeys, folder = usualFolder } = dependencies
  const { publicUrl, imageHandlerUrl, siteName, signUp, edits, maxImageBytes, mapStyleUrl } = settings
  const baseMap = createBaseMap({ file: settings.mapPmtiles, publicUrl })

  baseMap.register(app)
  registerEmbeds(app, { site, listed, siteName, publicUrl, imageHandlerUrl })
  registerSiteEndpoint(app, {
    info: {
      name: siteName,
      version,
      publicUrl,
      signUp,
      canMail,
      hasPasskeys,
      maxImageBytes,
      edits,
      imageHandlerUrl,
    },
    map: async () => ({ pmtiles: await baseMap.address(), styleUrl: mapStyleUrl ?? null }),
    readTerms: dependencies.readTerms,
    requireAccount: dependencies.requireAccount,
  })
  if (settings.webApp === 'off') return
  const maxBytes = settings.answerCacheMegabytes * 1024 ** 2 * pagesShare
  const rendering = createServerRendering({ folder, publicUrl })
  const makePage = createPageMaker({
    shell: createShell(site, settings),
    rendering,
    fetchFor: createVisitorFetch({ app, publicUrl, keptOf: dependencies.keptOf }),
    store: createPageStore({ changes: dependencies.changes, maxBytes }),
  })
  registerWebApp(app, {
    site,
    makePage,
    warm: rendering.warm,
    previews: createPreviews({
      listed,
      siteName,
      publicUrl,
      imageHandlerUrl,
      readLicence: async () => (await dependencies.readTerms()).licence,
    }),
    folder,
  })
}

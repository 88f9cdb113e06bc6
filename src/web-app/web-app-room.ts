// Puts the room together from the settings and from what other rooms show to everybody.
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Changes } from '../commits.ts'
import type { Site } from '../site/site.ts'
import { builtFolderIn } from './built.ts'
import { registerEmbeds } from './embeds.ts'
import { registerWebApp } from './endpoints.ts'
import type { Listed } from './listed.ts'
import { registerManifest } from './manifest.ts'
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
  readonly signUp: SiteEndpointDependencies['info']['signUp']
  readonly edits: SiteEndpointDependencies['info']['edits']
  readonly maxImageBytes: number
  readonly answerCacheMegabytes: number
}

export interface WebAppRoomDependencies extends Pick<
  SiteEndpointDependencies,
  'readTerms' | 'requireAccount' | 'brand'
> {
  readonly site: Site
  readonly settings: WebAppSettings
  /** Which may be another at any time. */
  readonly map: {
    readonly told: SiteEndpointDependencies['map']
    /** Of others, from which its parts come. */
    readonly origins: () => Promise<readonly string[]>
  }
  readonly listed: Listed
  readonly version: string
  readonly canMail: boolean
  readonly hasPasskeys: boolean
  readonly changes: Changes
  /** What was said of the answer to a request. */
  readonly keptOf: VisitorFetchDependencies['keptOf']
  /** That vite builds into; another in tests. */
  readonly folder?: string | undefined
  /** How long the server may take to render a page before it sends an empty one. */
  readonly renderMs?: number | undefined
}

/** Of the memory for answers, besides: pages as they were rendered, whatever stands in the query of their address. */
const pagesShare = 0.25

/** Beside src/, wherever the package lies. */
const usualFolder = builtFolderIn(path.resolve(import.meta.dirname, '../..'))

export function registerWebAppRoom(app: FastifyInstance, dependencies: WebAppRoomDependencies): void {
  const { site, settings, map, listed, version, canMail, hasPasskeys, folder = usualFolder } = dependencies
  const { publicUrl, imageHandlerUrl, signUp, edits, maxImageBytes } = settings

  registerEmbeds(app, { site, listed, publicUrl, imageHandlerUrl })
  registerManifest(app, { site, brand: dependencies.brand })
  registerSiteEndpoint(app, {
    info: {
      version,
      publicUrl,
      signUp,
      canMail,
      hasPasskeys,
      maxImageBytes,
      edits,
      imageHandlerUrl,
    },
    brand: dependencies.brand,
    map: map.told,
    readTerms: dependencies.readTerms,
    requireAccount: dependencies.requireAccount,
  })
  if (settings.webApp === 'off') return
  const maxBytes = settings.answerCacheMegabytes * 1024 ** 2 * pagesShare
  const rendering = createServerRendering({ folder, publicUrl, maxMs: dependencies.renderMs })
  const makePage = createPageMaker({
    shell: createShell(site, settings),
    mapOrigins: map.origins,
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
      site,
      publicUrl,
      imageHandlerUrl,
      readLicence: async () => (await dependencies.readTerms()).licence,
    }),
    folder,
  })
}

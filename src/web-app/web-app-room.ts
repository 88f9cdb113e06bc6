// Assembles the room from the settings and the public views of other rooms.
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

/** As in the settings of the same names. */
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
  /** May change at any time. */
  readonly map: {
    readonly info: SiteEndpointDependencies['map']
    /** Other origins from which the map is loaded. */
    readonly origins: () => Promise<readonly string[]>
  }
  readonly listed: Listed
  readonly version: string
  readonly canMail: boolean
  readonly hasPasskeys: boolean
  readonly changes: Changes
  /** The dependencies recorded for a response. */
  readonly cachePolicyOf: VisitorFetchDependencies['cachePolicyOf']
  /** The output folder of vite; another one in tests. */
  readonly folder?: string | undefined
  /** How long the server may take to render a page before it sends an empty one. */
  readonly renderMs?: number | undefined
}

/** In addition to the answer cache: rendered pages, independent of unknown query parameters. */
const pagesShare = 0.25

/** Next to src/, wherever the package is installed. */
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
    map: map.info,
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
    fetchFor: createVisitorFetch({ app, publicUrl, cachePolicyOf: dependencies.cachePolicyOf }),
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

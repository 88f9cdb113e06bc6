// Puts the room together from the settings and from what other rooms show to everybody.
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Site } from '../site/site.ts'
import { registerEmbeds } from './embeds.ts'
import { registerWebApp } from './endpoints.ts'
import type { Listed } from './listed.ts'
import { createPreviews } from './previews.ts'
import { createShell } from './shell.ts'
import { registerSiteEndpoint, type SiteEndpointDependencies } from './site-endpoint.ts'

/** As the settings of the same names give them. */
export interface WebAppSettings {
  readonly publicUrl: string
  readonly imageHandlerUrl: string
  readonly webApp: 'on' | 'off'
  readonly siteName: string
  readonly signUp: SiteEndpointDependencies['info']['signUp']
  readonly edits: SiteEndpointDependencies['info']['edits']
  readonly maxImageBytes: number
}

export interface WebAppRoomDependencies extends Pick<
  SiteEndpointDependencies,
  'readTerms' | 'requireAccount'
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
  /** That vite builds into; another in tests. */
  readonly folder?: string | undefined
}

/** Beside src/, wherever the package lies. */
const usualFolder = path.resolve(import.meta.dirname, '../../dist/web')

export function registerWebAppRoom(app: FastifyInstance, dependencies: WebAppRoomDependencies): void {
  const { site, settings, map, listed, version, canMail, hasPasskeys, folder = usualFolder } = dependencies
  const { publicUrl, imageHandlerUrl, siteName, signUp, edits, maxImageBytes } = settings
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
    map: map.told,
    readTerms: dependencies.readTerms,
    requireAccount: dependencies.requireAccount,
  })
  if (settings.webApp === 'off') return
  registerWebApp(app, {
    site,
    shell: createShell(site, settings),
    mapOrigins: map.origins,
    previews: createPreviews({ listed, siteName, publicUrl, imageHandlerUrl }),
    folder,
  })
}

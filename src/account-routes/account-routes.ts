// Assembles routes: classic and v2 endpoints, public views, imports and privacy zones.
import type { FastifyInstance } from 'fastify'
import { anonymous } from '../auth/guard.ts'
import type { Db } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { createCachedAnswers } from '../http/cached-answers.ts'
import type { IdempotencyKeys } from '../idempotency/idempotency-keys.ts'
import type { System } from '../system.ts'
import { createClassicPresent } from './classic-present.ts'
import { registerRouteEndpoints } from './endpoints.ts'
import { createExports } from './exports.ts'
import { createImport } from './gpx/import.ts'
import { createLinkTokens } from './link-tokens.ts'
import { createLongReads } from './long-reads.ts'
import { createListings } from './public-list/listings.ts'
import { createPublicList } from './public-list/public-list.ts'
import { registerPublicListEndpoint } from './public-list/public-list-endpoint.ts'
import { createRoutes } from './routes.ts'
import { createPublicViewsWithin } from './public-view/public-view-tiles.ts'
import type { RoutePublicView } from './public-view/public-view-table.ts'
import { createPublicViews, type PublicLines } from './public-view/public-views.ts'
import { registerV2RouteSet } from './v2-endpoints.ts'
import { createV2Present } from './v2-present.ts'
import { registerV2Route } from './v2-route-endpoints.ts'
import { createRouteViews } from './public-view/views.ts'
import { registerZoneEndpoints } from './zones/zone-endpoints.ts'
import { createZones } from './zones/zones.ts'

/** For cached exports: one of an 8 MiB gpx is about as long, and a fifth of that compressed. */
const maxCachedBytes = 32 * 1024 ** 2
const maxLentBytes = 64 * 1024 ** 2

/** As in the settings of the same names. */
export interface RouteSettings {
  readonly publicUrl: string
  readonly routeDate: 'short' | 'full'
  readonly emptyRoutes: '404' | '200'
  readonly gpxCheck: 'on' | 'off'
  readonly quotaRoutes: number
  readonly quotaBytes: number
  readonly maxGpxBytes: number
  readonly maxImportBytes: number
}

/** A route as others see it. */
export interface SharedRoute {
  readonly route: RoutePublicView
  /** @throws refusal `invalid-route-id` if there is no public view any more. */
  readonly lines: () => Promise<PublicLines>
  /** Digest of the lines: equal for equal lines. */
  readonly digest: () => Promise<string>
}

export interface AccountRoutesDependencies {
  readonly db: Db
  readonly system: System
  readonly retries: IdempotencyKeys
  readonly settings: RouteSettings
  /** From SECRET_FILE. */
  readonly linkKeys: readonly Buffer[]
  /** @throws refusal `invalid-account-id`. */
  readonly requireAccount: (
    accountId: number | undefined,
  ) => Promise<{ readonly id: number; readonly displayName: string }>
  /** A public route was added to the list, or its entry changed. */
  readonly onListed: () => void
  /** Receives errors of background work. */
  readonly onFault: (error: unknown) => void
}

export function createAccountRoutes({
  db,
  system,
  retries,
  settings,
  linkKeys,
  requireAccount,
  onListed,
  onFault,
}: AccountRoutesDependencies) {
  const { publicUrl, maxGpxBytes, gpxCheck, quotaRoutes, quotaBytes } = settings
  const gpxLimits = { maxBytes: maxGpxBytes }
  const quotas = { routes: quotaRoutes, bytes: quotaBytes }
  const list = createListings({ db, onListed, onFault })
  const publicViews = createPublicViews({ db, gpxLimits, list, onFault })
  const { refresh: onPublicViewChange } = publicViews
  const linkTokens = createLinkTokens(linkKeys)
  const routes = createRoutes({
    db,
    system,
    retries,
    gpxLimits,
    gpxCheck,
    quotas,
    linkTokens,
    onPublicViewChange,
  })
  const zones = createZones({ db, system, retries, refresh: publicViews.refresh })
  const views = createRouteViews(db, publicViews, linkTokens)
  const v2 = {
    ...settings,
    db,
    routes,
    publicViews,
    requireAccount,
    present: createV2Present(publicUrl, linkTokens),
  }

  return {
    /** For the demo, which fills an installation without HTTP. */
    routes,
    zones,

    /** For public pages: undefined for a private or deleted route, or without the token of its link. */
    findPublicView: async (
      routeId: number | undefined,
      token: string | undefined,
    ): Promise<SharedRoute | undefined> => {
      try {
        const view = await views.require(anonymous, { routeId, token, asOthers: true })
        if (view.of === 'owner') return undefined
        const { route } = view
        return {
          route,
          lines: () => publicViews.lines(route.id),
          digest: () => publicViews.digest(route),
        }
      } catch (error) {
        if (error instanceof Refusal && error.code === 'credential-required') return undefined
        throw error
      }
    },

    /** For maps. */
    publicViewsWithin: createPublicViewsWithin(db),

    register: (app: FastifyInstance): void => {
      const { emptyRoutes } = settings
      const classic = createClassicPresent({ db, ...settings })
      const longReads = createLongReads(app.limits.requestTimeoutSeconds * 1_000)
      const shared = { db, routes, longReads, requireAccount, publicUrl }
      registerRouteEndpoints(app, { ...shared, present: classic, emptyRoutes })
      const importFiles = createImport({ db, routes, publicUrl, maxGpxBytes })
      registerV2RouteSet(app, { ...v2, importFiles })
      const exports = createExports({ db, publicViews, gpxLimits })
      const cachedAnswers = createCachedAnswers({ maxBytes: maxCachedBytes, maxLentBytes })
      registerV2Route(app, { ...v2, views, exports, longReads, cachedAnswers })
      registerPublicListEndpoint(app, { publicList: createPublicList(db), publicUrl })
      registerZoneEndpoints(app, { zones })
    },

    /** Derives and lists what was outdated when the server last stopped; until then others cannot see it. */
    refreshPublicViews: (): void => publicViews.refresh(),

    /** Resolves once no work is in progress. */
    close: (): Promise<void> => publicViews.close(),
  }
}

export type AccountRoutes = ReturnType<typeof createAccountRoutes>

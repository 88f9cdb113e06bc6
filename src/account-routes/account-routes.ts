// Puts the room together: classic and v2 routes, what others are shown of them, imports and privacy zones.
import type { FastifyInstance } from 'fastify'
import { anonymous } from '../auth/guard.ts'
import type { Line } from '../contract/points.ts'
import type { Db } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import type { Retries } from '../retries/retries.ts'
import type { System } from '../system.ts'
import { createClassicPresent } from './classic-present.ts'
import { registerRouteEndpoints } from './endpoints.ts'
import { createExports } from './exports.ts'
import type { HotPaths } from '../http/hot-paths.ts'
import { hotRouteRead } from './hot-read.ts'
import { createImport } from './import.ts'
import { createRoutes } from './routes.ts'
import { createShownWithin } from './shown-tiles.ts'
import type { ShownRoute } from './shown-table.ts'
import { createShownRoutes } from './shown.ts'
import { registerV2RouteSet } from './v2-endpoints.ts'
import { createV2Present } from './v2-present.ts'
import { registerV2Route } from './v2-route-endpoints.ts'
import { createRouteViews } from './views.ts'
import { registerZoneEndpoints } from './zone-endpoints.ts'
import { createZones } from './zones.ts'

/** As the settings of the same names give them. */
export interface RouteSettings {
  readonly publicUrl: string
  readonly routeDate: 'short' | 'full'
  readonly emptyRoutes: '404' | '200'
  readonly gpxCheck: 'on' | 'off'
  readonly quotaRoutes: number
  readonly quotaBytes: number
  readonly mostGpxBytes: number
  readonly mostImportBytes: number
}

/** A route as others see it. */
export interface SharedRoute {
  readonly route: ShownRoute
  /** @throws refusal `invalid-route-id` where nothing is shown any more. */
  readonly lines: () => Promise<readonly Line[]>
}

export interface AccountRoutesDependencies {
  readonly db: Db
  readonly system: System
  readonly retries: Retries
  readonly settings: RouteSettings
  /** @throws refusal `invalid-account-id`. */
  readonly requireAccount: (
    accountId: number | undefined,
  ) => Promise<{ readonly id: number; readonly displayName: string }>
  /** Of work that nobody waits for. */
  readonly onFault: (error: unknown) => void
}

export function createAccountRoutes({
  db,
  system,
  retries,
  settings,
  requireAccount,
  onFault,
}: AccountRoutesDependencies) {
  const { publicUrl, mostGpxBytes, gpxCheck, quotaRoutes, quotaBytes } = settings
  const gpxLimits = { mostBytes: mostGpxBytes }
  const quotas = { routes: quotaRoutes, bytes: quotaBytes }
  const shownRoutes = createShownRoutes({ db, gpxLimits, onFault })
  const { refresh: onShownChange } = shownRoutes
  const routes = createRoutes({ db, system, retries, gpxLimits, gpxCheck, quotas, onShownChange })
  const zones = createZones({ db, system, retries, refresh: shownRoutes.refresh })
  const views = createRouteViews(db, shownRoutes)
  const v2 = { ...settings, db, routes, shownRoutes, requireAccount, present: createV2Present(publicUrl) }

  return {
    /** For the demo, which fills an installation without HTTP. */
    routes,
    zones,

    /** For pages that anybody may open: undefined for what is private, gone, or asked for without the token of its link. */
    findShown: async (
      routeId: number | undefined,
      token: string | undefined,
    ): Promise<SharedRoute | undefined> => {
      try {
        const view = await views.require(anonymous, { routeId, token, asOthers: true })
        if (view.of === 'owner') return undefined
        const { route } = view
        return { route, lines: async () => (await shownRoutes.lines(route.id)).lines }
      } catch (error) {
        if (error instanceof Refusal && error.code === 'credential-required') return undefined
        throw error
      }
    },

    /** For maps. */
    shownWithin: createShownWithin(db),

    register: (app: FastifyInstance, hotPaths: HotPaths): void => {
      const { emptyRoutes } = settings
      const classic = createClassicPresent({ db, ...settings })
      registerRouteEndpoints(app, { db, routes, present: classic, requireAccount, publicUrl, emptyRoutes })
      hotPaths.add(hotRouteRead({ db, present: classic }))
      const importFiles = createImport({ db, routes, publicUrl, mostGpxBytes })
      registerV2RouteSet(app, { ...v2, importFiles })
      const exports = createExports({ db, shownRoutes, gpxLimits })
      registerV2Route(app, { ...v2, views, exports })
      registerZoneEndpoints(app, { zones })
    },

    /** Derives what was left stale when the server last stopped; nobody is shown it before. */
    refreshShown: (): void => shownRoutes.refresh(),

    /** Resolves once no work is under way. */
    close: (): Promise<void> => shownRoutes.close(),
  }
}

export type AccountRoutes = ReturnType<typeof createAccountRoutes>

// Routes in an export: as others see them, clipped by privacy zones, or as their owners stored them.
import { createExports, type RouteBody } from '../account-routes/exports.ts'
import { unpackText } from '../account-routes/gpx/packed.ts'
import { createPublicViews } from '../account-routes/public-view/public-views.ts'
import { findGpx, findRoute, type Route } from '../account-routes/route-table.ts'
import { createV2Present } from '../account-routes/v2-present.ts'
import type { Db } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { gpxLimits } from '../shared/gpx/gpx.ts'
import type { RouteSummary } from '../shared/v2/route-schemas.ts'

/** A route, and its files: undefined where there is none of the kind. */
export interface RouteFiles {
  readonly summary: RouteSummary
  readonly gpx: AsyncIterable<string> | Iterable<string> | undefined
  readonly geoJson: AsyncIterable<string> | Iterable<string> | undefined
}

export type RouteReading = RouteFiles | { readonly fault: string }

/** Which routes are along the same line is in no file of the export. */
const noDuplicates = new Map<string, readonly number[]>()

async function* textsOf(body: RouteBody): AsyncGenerator<string, void> {
  const chunks = await body.chunks()
  if (typeof chunks === 'string') yield chunks
  else yield* chunks
}

export function createRouteFiles(db: Db, publicUrl: string) {
  const onFault = (): void => undefined // whoever asks for the route is told
  const publicViews = createPublicViews({ db, gpxLimits, list: async () => undefined, onFault })
  const exports = createExports({ db, publicViews, gpxLimits })
  // The tokens of links are no part of an export: whoever reads it could open the routes.
  const present = createV2Present(publicUrl, { find: () => undefined })

  async function asOthersSee(routeId: number): Promise<RouteReading | undefined> {
    const route = await publicViews.find(routeId)
    if (route === undefined) return undefined
    const view = { of: 'others', route } as const
    const summary = present.shown(route, noDuplicates)
    const [gpx, geoJson] = [await exports.gpx(view, summary), await exports.geoJson(view, summary)]
    return { summary, gpx: textsOf(gpx), geoJson: textsOf(geoJson) }
  }

  async function asStored(routeId: number, displayName: string): Promise<RouteReading | undefined> {
    const [route, packed] = [await findRoute(db, routeId), await findGpx(db, routeId)]
    if (route === undefined || packed === undefined) return undefined
    const summary = present.own(route, displayName, noDuplicates)
    const text = await unpackText(packed)
    if (text === '') return { summary, gpx: undefined, geoJson: undefined }
    return { summary, gpx: [text], geoJson: await linesOf(route, summary) }
  }

  /** Undefined for a gpx that cannot be read, which is exported all the same. */
  async function linesOf(route: Route, summary: RouteSummary) {
    try {
      return textsOf(await exports.geoJson({ of: 'owner', route }, summary))
    } catch (error) {
      if (error instanceof Refusal && error.code === 'unreadable-gpx') return undefined
      throw error
    }
  }

  return async (
    { id, displayName }: { readonly id: number; readonly displayName: string },
    isPublic: boolean,
  ): Promise<RouteReading | undefined> => {
    try {
      return await (isPublic ? asOthersSee(id) : asStored(id, displayName))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { fault: error.detail ?? error.message }
    }
  }
}

export type RouteReader = ReturnType<typeof createRouteFiles>

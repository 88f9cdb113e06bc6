// The routes of an account: lists, one, changes, import and export.
import { pagesOf, pagesOfEach, type Pages, type PagesOfEach } from './paging.ts'
import { keyed, type ChangeOptions, type MakeOptions } from './trails.ts'
import type { CallOptions, Transport } from './transport.ts'
import type {
  Bbox,
  ImportResults,
  NewRoute,
  PublicRoute,
  Route,
  RouteGeoJson,
  RouteOverview,
  RoutePatch,
  RouteSummary,
} from './types.ts'

export interface RouteFilters {
  /** Part of the name or the description. */
  readonly q: string
  readonly bbox: Bbox
  /** For the owner: the public view. */
  readonly as: 'others'
  readonly minMiles: number
  readonly maxMiles: number
}

/** Filters of the public list. */
export interface PublicRouteFilters {
  /** Part of the name or the description. */
  readonly q: string
  readonly bbox: Bbox
  readonly minMiles: number
  readonly maxMiles: number
  /** Metres. */
  readonly minAscent: number
  readonly maxAscent: number
  /** ID of a trail that the route uses. */
  readonly nearTrail: number
  /** Sort by newest (the default), longest, or most ascent. */
  readonly order: 'newest' | 'length' | 'ascent'
}

export interface ViewOptions extends CallOptions {
  /** Link token, for a route with visibility link. */
  readonly token?: string | undefined
  /** For the owner: the public view. */
  readonly as?: 'others' | undefined
}

export function createRouteCalls(transport: Transport) {
  const { request } = transport
  const ofAccount: PagesOfEach<RouteFilters, RouteSummary> = pagesOfEach(
    transport,
    (acctID) => `/v2/accounts/${acctID}/routes`,
  )
  const ofEverybody: Pages<PublicRouteFilters, PublicRoute> = pagesOf(transport, '/v2/routes')
  const view = ({ token, as, ...options }: ViewOptions = {}) => ({ ...options, query: { token, as } })
  return {
    /** `page` and `each` take the acctID first. */
    ...ofAccount,
    /** Public routes of all accounts, in the public view. */
    public: ofEverybody,
    get: (routeID: number, options?: ViewOptions) =>
      request<Route>('GET', `/v2/routes/${routeID}`, view(options)),
    /** The same, with the ETag that `change` and `remove` take as `ifMatch`. */
    getWithEtag: (routeID: number, options?: ViewOptions) =>
      transport.send<Route>('GET', `/v2/routes/${routeID}`, view(options)),
    /** The public view without the gpx, with a sketch of the line and the elevations. */
    overview: (routeID: number, { token, ...options }: Omit<ViewOptions, 'as'> = {}) =>
      request<RouteOverview>('GET', `/v2/routes/${routeID}/overview`, { ...options, query: { token } }),
    create: (acctID: number, route: NewRoute, options?: MakeOptions) =>
      request<RouteSummary>('POST', `/v2/accounts/${acctID}/routes`, { ...keyed(options), body: route }),
    change: (routeID: number, patch: RoutePatch, options?: ChangeOptions) =>
      request<RouteSummary>('PATCH', `/v2/routes/${routeID}`, { ...options, body: patch }),
    remove: (routeID: number, options?: ChangeOptions) =>
      request<void>('DELETE', `/v2/routes/${routeID}`, options),
    /** Up to 100 GPX files. Each becomes a private route, or is reported with the reason why not. */
    import: (acctID: number, files: readonly (Blob | File)[], options?: MakeOptions) => {
      const form = new FormData()
      for (const [index, file] of files.entries())
        form.append('file', file, 'name' in file ? file.name : `route-${index + 1}.gpx`)
      return request<ImportResults>('POST', `/v2/accounts/${acctID}/routes/import`, {
        ...keyed(options),
        body: form,
      })
    },
    /** The GPX file of your own route as uploaded, byte for byte. */
    original: (routeID: number, options?: CallOptions) =>
      request<string>('GET', `/v2/routes/${routeID}/original.gpx`, { ...options, as: 'text' }),
    /** The export as GPX 1.1: everything for the owner, the public view for others. */
    gpx: (routeID: number, options?: ViewOptions) =>
      request<string>('GET', `/v2/routes/${routeID}.gpx`, { ...view(options), as: 'text' }),
    geojson: (routeID: number, options?: ViewOptions) =>
      request<RouteGeoJson>('GET', `/v2/routes/${routeID}.geojson`, view(options)),
  }
}

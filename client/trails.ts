// Trails: list, read, and the admin operations create, change and import.
import { pagesOf, type Pages } from './paging.ts'
import { createProblem } from './problem.ts'
import type { CallOptions, Transport } from './transport.ts'
import type {
  Bbox,
  NewTrail,
  Trail,
  TrailCollection,
  TrailImport,
  TrailProfile,
  TrailSummary,
  WholeTrail,
} from './types.ts'

export interface TrailFilters {
  /** Part of the name or the slug. */
  readonly q: string
  readonly bbox: Bbox
  readonly slug: string
}

export interface ChangeOptions extends CallOptions {
  /** The ETag that was read; 412 if the trail has changed since. */
  readonly ifMatch?: string | undefined
}

export interface MakeOptions extends CallOptions {
  /** Generated if omitted, and the same for every attempt. Pass one to be able to repeat the call yourself. */
  readonly idempotencyKey?: string | undefined
}

/** For POST calls with an idempotency key: retries do not create anything twice. */
export const keyed = (options: MakeOptions | undefined) => ({ ...options, isRepeatable: true })

export type TrailFormat = 'gpx' | 'kml' | 'geojson'

export function createTrailCalls(transport: Transport) {
  const { request } = transport
  const pages: Pages<TrailFilters, TrailSummary> = pagesOf(transport, '/v2/trails')
  return {
    ...pages,
    get: (trailID: number, options?: CallOptions) => request<Trail>('GET', `/v2/trails/${trailID}`, options),
    /** @throws WaymarkProblem `invalid-trail-id` if there is no such trail. */
    bySlug: async (slug: string, options?: CallOptions): Promise<Trail> => {
      const { items } = await pages.page({ slug, limit: 1 }, options)
      const found = items.find((trail) => trail.slug === slug)
      if (found) return request<Trail>('GET', `/v2/trails/${found.trailID}`, options)
      throw createProblem({
        status: 404,
        code: 'invalid-trail-id',
        title: 'Invalid Trail ID',
        detail: `No trail has the slug ${slug}.`,
      })
    },
    /** Elevation by miles along the trail; no points if the trail has no elevations. */
    profile: (trailID: number, options?: CallOptions) =>
      request<TrailProfile>('GET', `/v2/trails/${trailID}/profile`, options),
    gpx: (trailID: number, options?: CallOptions) =>
      request<string>('GET', `/v2/trails/${trailID}.gpx`, { ...options, as: 'text' }),
    kml: (trailID: number, options?: CallOptions) =>
      request<string>('GET', `/v2/trails/${trailID}.kml`, { ...options, as: 'text' }),
    geojson: (trailID: number, options?: CallOptions) =>
      request<TrailCollection>('GET', `/v2/trails/${trailID}.geojson`, options),
    /** The URL to download the line of a public trail, without a credential. */
    fileUrl: ({ slug }: Pick<Trail, 'slug'>, format: TrailFormat) =>
      transport.urlOf(`/t/${encodeURIComponent(slug)}/trail.${format}`, {}),
    create: (trail: NewTrail, options?: MakeOptions) =>
      request<Trail>('POST', '/v2/trails', { ...keyed(options), body: trail }),
    replace: (trailID: number, trail: WholeTrail, options?: ChangeOptions) =>
      request<Trail>('PUT', `/v2/trails/${trailID}`, { ...options, body: trail }),
    remove: (trailID: number, options?: ChangeOptions) =>
      request<void>('DELETE', `/v2/trails/${trailID}`, options),
    /**
     * A CSV (header trailID,name,slug) or GeoJSON file, detected by its first character. All of it is imported or
     * nothing.
     */
    import: async (
      file: Blob | string,
      { dryRun, ...options }: CallOptions & { readonly dryRun?: boolean | undefined } = {},
    ) => {
      const text = typeof file === 'string' ? file : await file.text()
      const isJson = text.trimStart().startsWith('{')
      return request<TrailImport>('POST', '/v2/admin/trails/import', {
        ...options,
        query: { dryRun },
        body: text,
        headers: { 'content-type': isJson ? 'application/geo+json' : 'text/csv' },
        isRepeatable: true, // idempotent: it sets the trails whatever their state
      })
    },
    exportCsv: (options?: CallOptions) =>
      request<string>('GET', '/v2/trails.csv', { ...options, as: 'text' }),
    exportGeoJson: (options?: CallOptions) => request<TrailCollection>('GET', '/v2/trails.geojson', options),
  }
}

// Trails: the list, one, and those an admin makes, changes and imports.
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
  /** The ETag of what was read; 412 where it has changed since. */
  readonly ifMatch?: string | undefined
}

export interface MakeOptions extends CallOptions {
  /** Made where it is left out; the same in every attempt. Give one to be able to repeat the call yourself. */
  readonly idempotencyKey?: string | undefined
}

/** For POST calls whose key the server remembers: they are repeated without making anything twice. */
export const keyed = (options: MakeOptions | undefined) => ({ ...options, isRepeatable: true })

export type TrailFormat = 'gpx' | 'kml' | 'geojson'

export function createTrailCalls(transport: Transport) {
  const { request } = transport
  const pages: Pages<TrailFilters, TrailSummary> = pagesOf(transport, '/v2/trails')
  return {
    ...pages,
    get: (trailID: number, options?: CallOptions) => request<Trail>('GET', `/v2/trails/${trailID}`, options),
    /** @throws WaymarkProblem `invalid-trail-id` where no trail has it. */
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
    /** Elevation by the miles along the line; no points where the trail has no heights. */
    profile: (trailID: number, options?: CallOptions) =>
      request<TrailProfile>('GET', `/v2/trails/${trailID}/profile`, options),
    gpx: (trailID: number, options?: CallOptions) =>
      request<string>('GET', `/v2/trails/${trailID}.gpx`, { ...options, as: 'text' }),
    kml: (trailID: number, options?: CallOptions) =>
      request<string>('GET', `/v2/trails/${trailID}.kml`, { ...options, as: 'text' }),
    geojson: (trailID: number, options?: CallOptions) =>
      request<TrailCollection>('GET', `/v2/trails/${trailID}.geojson`, options),
    /** Where anybody who sees the page of the trail can download its line, without a credential. */
    fileUrl: ({ slug }: Pick<Trail, 'slug'>, format: TrailFormat) =>
      transport.urlOf(`/t/${encodeURIComponent(slug)}/trail.${format}`, {}),
    create: (trail: NewTrail, options?: MakeOptions) =>
      request<Trail>('POST', '/v2/trails', { ...keyed(options), body: trail }),
    replace: (trailID: number, trail: WholeTrail, options?: ChangeOptions) =>
      request<Trail>('PUT', `/v2/trails/${trailID}`, { ...options, body: trail }),
    remove: (trailID: number, options?: ChangeOptions) =>
      request<void>('DELETE', `/v2/trails/${trailID}`, options),
    /** A file of CSV (header trailID,name,slug) or GeoJSON, told apart by its first character; all or none of it. */
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
        isRepeatable: true, // it says how the trails shall be, whatever they were
      })
    },
    exportCsv: (options?: CallOptions) =>
      request<string>('GET', '/v2/trails.csv', { ...options, as: 'text' }),
    exportGeoJson: (options?: CallOptions) => request<TrailCollection>('GET', '/v2/trails.geojson', options),
  }
}

// Routes on the v2 surface: complete for the owner, for others only from the public view.
import type { Box } from '../shared/geo/measures.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import { sharesOf } from '../shared/v2/route-shares.ts'
import type { RouteSummary } from '../shared/v2/route-schemas.ts'
import type { LinkTokens } from './link-tokens.ts'
import type { PublicMeasures } from './gpx/measured.ts'
import type { Route } from './route-table.ts'
import { publicLength } from './routes.ts'
import type { RoutePublicView } from './public-view/public-view-table.ts'

/** IDs of the routes along each line, by its hash. */
export type NearDuplicates = ReadonlyMap<string, readonly number[]>

export function nearDuplicatesOf(
  rows: readonly { id: number; geometryHash: string | null }[],
): NearDuplicates {
  const groups = Map.groupBy(rows, ({ geometryHash }) => geometryHash ?? '')
  return new Map([...groups].map(([hash, members]) => [hash, members.map(({ id }) => id)]))
}

export const hashesOf = (rows: readonly { readonly geometryHash: string | null }[]): string[] => [
  ...new Set(rows.map(({ geometryHash }) => geometryHash).filter((hash) => hash !== null)),
]

export const edgesOf = (box: Box | undefined): [number, number, number, number] | null =>
  box === undefined ? null : [box.west, box.south, box.east, box.north]

interface Described {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly description: string
  readonly measures: PublicMeasures
  readonly box: Box | undefined
  readonly geometryHash: string | null
  readonly visibility: RouteSummary['visibility']
  readonly createdAt: number
}

export function createV2Present(publicUrl: string, linkTokens: Pick<LinkTokens, 'find'>) {
  const addressOf = (id: number): string => `${publicUrl}/v2/routes/${id}`

  /** What grants access besides the URL: the token of the link, if there is one. */
  const queryOf = (token: string | undefined): string => (token === undefined ? '' : `?token=${token}`)

  function summary(
    route: Described,
    {
      length,
      displayName,
      alike,
      query,
    }: { length: string; displayName: string; alike: NearDuplicates; query: string },
  ): RouteSummary {
    const { measures, geometryHash } = route
    const same = (geometryHash === null ? undefined : alike.get(geometryHash)) ?? []
    return {
      routeID: route.id,
      acctID: route.accountId,
      displayName,
      name: route.name,
      description: route.description,
      length: Number(length),
      measuredLengthMiles: measures.measuredMiles,
      climb: measures.climb,
      descent: measures.descent,
      bbox: edgesOf(route.box),
      pointCount: measures.pointCount,
      start: measures.start,
      end: measures.end,
      duplicates: same.filter((id) => id !== route.id),
      visibility: route.visibility,
      createdAt: writeTimestamp(route.createdAt),
      urls: {
        gpx: `${addressOf(route.id)}.gpx${query}`,
        geojson: `${addressOf(route.id)}.geojson${query}`,
      },
    }
  }

  return {
    addressOf,

    own: (route: Route, displayName: string, alike: NearDuplicates): RouteSummary => {
      const { warnings = [], fault } = route.measures
      const token = linkTokens.find(route)
      return {
        ...summary(route, { length: publicLength(route), displayName, alike, query: '' }),
        updatedAt: writeTimestamp(route.updatedAt),
        link: token === undefined ? null : addressOf(route.id) + queryOf(token),
        isLengthStated: route.length !== null,
        shares: sharesOf(route.shares),
        warnings: [...warnings],
        ...(fault === undefined ? {} : { unreadable: fault }),
      }
    },

    /** @param token of the link, if access depends on it. */
    shown: (route: RoutePublicView, alike: NearDuplicates, token?: string): RouteSummary =>
      summary(route, {
        length: route.length,
        displayName: route.displayName,
        alike,
        query: queryOf(token),
      }),
  }
}

export type V2Present = ReturnType<typeof createV2Present>

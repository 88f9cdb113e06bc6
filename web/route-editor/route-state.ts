// The route as the editor holds it: texts, segments of points, and what an import brought along. Never changed in place.
import type { GpxWaypoints } from '../../src/shared/gpx/gpx-document.ts'
import type { RouteShare } from '../../src/shared/v2/route-shares.ts'
import type { Position } from '../../src/shared/geo/points.ts'
import { countOf, positionIn, type Chunk, type Chunks } from './columns.ts'

/** One line without a gap: an `rte`, or a `trkseg`. */
export interface Segment {
  readonly kind: 'rte' | 'trk'
  /** Segments of one track have the same, and stand side by side. */
  readonly group: number
  readonly name: string | undefined
  /** The `trkseg` of the document that came in, by its number; undefined for an `rte` and a new line. */
  readonly inSource: number | undefined
  readonly chunks: Chunks
}

/** A document as it was imported or is stored: what it says of points that are not edited is kept. */
export interface Source {
  readonly text: string
  /** How many `rte` and `trk` it has: these are the first groups. */
  readonly groups: number
  /** Whether any of its points says more than place, elevation and time. */
  readonly hasPointData: boolean
  /** What it was read as: the same segments and waypoints mean that it is still true. */
  readonly segments: readonly Segment[]
  readonly waypoints: GpxWaypoints | undefined
}

export type Visibility = 'private' | 'link' | 'public'

export interface RouteState {
  readonly name: string
  readonly description: string
  readonly visibility: Visibility
  /** What others see beyond the line with its elevations. */
  readonly shares: readonly RouteShare[]
  /** Undefined where the length is computed. */
  readonly statedMiles: number | undefined
  readonly segments: readonly Segment[]
  readonly waypoints: GpxWaypoints | undefined
  readonly source: Source | undefined
}

/** A point by the place of its segment and its own place in that. */
export interface PointRef {
  readonly segment: number
  readonly index: number
}

export const emptyRoute: RouteState = {
  name: '',
  description: '',
  visibility: 'private',
  shares: [],
  statedMiles: undefined,
  segments: [],
  waypoints: undefined,
  source: undefined,
}

export const isSame = (one: PointRef | undefined, other: PointRef | undefined): boolean =>
  one?.segment === other?.segment && one?.index === other?.index

export function pointAt(
  { segments }: Pick<RouteState, 'segments'>,
  { segment, index }: PointRef,
): Position | undefined {
  const chunks = segments[segment]?.chunks
  return chunks && positionIn(chunks, index)
}

export function pointCount({ segments }: Pick<RouteState, 'segments'>): number {
  let count = 0
  for (const { chunks } of segments) count += countOf(chunks)
  return count
}

const withoutOrigin = new WeakMap<Chunk, number>()

/** How many points were moved, or are new. */
export function editedPointCount({ segments }: Pick<RouteState, 'segments'>): number {
  let count = 0
  for (const { chunks } of segments)
    for (const chunk of chunks) {
      let own = withoutOrigin.get(chunk)
      if (own === undefined) {
        own = chunk.origins.reduce((sum, origin) => sum + (Number.isNaN(origin) ? 1 : 0), 0)
        withoutOrigin.set(chunk, own)
      }
      count += own
    }
  return count
}

/** The place of a point among all points of the route, as the table and the chart count them. */
export function ordinalOf({ segments }: Pick<RouteState, 'segments'>, { segment, index }: PointRef): number {
  let before = 0
  for (const { chunks } of segments.slice(0, segment)) before += countOf(chunks)
  return before + index
}

/** The other way around; undefined past the end. */
export function refAt({ segments }: Pick<RouteState, 'segments'>, ordinal: number): PointRef | undefined {
  let before = 0
  for (const [segment, { chunks }] of segments.entries()) {
    const count = countOf(chunks)
    if (ordinal < before + count) return ordinal < before ? undefined : { segment, index: ordinal - before }
    before += count
  }
  return undefined
}

/** Whether the document that came in still says what the route is. */
export function isAsImported({
  source,
  segments,
  waypoints,
}: Pick<RouteState, 'source' | 'segments' | 'waypoints'>): boolean {
  return source !== undefined && source.segments === segments && source.waypoints === waypoints
}

/** Longitudes go around: 190 is -170. */
export function wrappedLon(lon: number): number {
  if (lon >= -180 && lon <= 180) return lon
  return ((((lon + 180) % 360) + 360) % 360) - 180
}

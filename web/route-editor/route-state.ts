// The route in the editor: texts, segments of points, and the imported document. Immutable.
import type { GpxWaypoints } from '../../src/shared/gpx/gpx-document.ts'
import type { RouteShare } from '../../src/shared/v2/route-shares.ts'
import type { Position } from '../../src/shared/geo/points.ts'
import { countOf, positionIn, type Chunk, type Chunks } from './columns.ts'

/** One line without a gap: an `rte`, or a `trkseg`. */
export interface Segment {
  readonly kind: 'rte' | 'trk'
  /** Segments of one track have the same, and are adjacent. */
  readonly group: number
  readonly name: string | undefined
  /** The index of the `trkseg` in the imported document; undefined for an `rte` and a new line. */
  readonly inSource: number | undefined
  readonly chunks: Chunks
}

/** An imported or stored document: its details about unedited points are preserved. */
export interface Source {
  readonly text: string
  /** How many `rte` and `trk` it has: these are the first groups. */
  readonly groups: number
  /** Whether any of its points has more than position, elevation and time. */
  readonly hasPointData: boolean
  /** The state as it was parsed: with the same segments and waypoints, the document is still valid. */
  readonly segments: readonly Segment[]
  readonly waypoints: GpxWaypoints | undefined
}

export type Visibility = 'private' | 'link' | 'public'

export interface RouteState {
  readonly name: string
  readonly description: string
  readonly visibility: Visibility
  /** What others see besides the line with its elevations. */
  readonly shares: readonly RouteShare[]
  /** Undefined if the length is computed. */
  readonly statedMiles: number | undefined
  readonly segments: readonly Segment[]
  readonly waypoints: GpxWaypoints | undefined
  readonly source: Source | undefined
}

/** A point by the index of its segment and its index within that. */
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

/** How many points were moved or are new. */
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

/** The index of a point among all points of the route, for the table and the chart. */
export function ordinalOf({ segments }: Pick<RouteState, 'segments'>, { segment, index }: PointRef): number {
  let before = 0
  for (const { chunks } of segments.slice(0, segment)) before += countOf(chunks)
  return before + index
}

/** The inverse; undefined beyond the end. */
export function refAt({ segments }: Pick<RouteState, 'segments'>, ordinal: number): PointRef | undefined {
  let before = 0
  for (const [segment, { chunks }] of segments.entries()) {
    const count = countOf(chunks)
    if (ordinal < before + count) return ordinal < before ? undefined : { segment, index: ordinal - before }
    before += count
  }
  return undefined
}

/** Whether the imported document still matches the route. */
export function isAsImported({
  source,
  segments,
  waypoints,
}: Pick<RouteState, 'source' | 'segments' | 'waypoints'>): boolean {
  return source !== undefined && source.segments === segments && source.waypoints === waypoints
}

/** Longitudes wrap around: 190 is -170. */
export function wrappedLon(lon: number): number {
  if (lon >= -180 && lon <= 180) return lon
  return ((((lon + 180) % 360) + 360) % 360) - 180
}

// The result of parsing a GPX document: its lines and waypoints, or the error that makes it invalid.
import type { WaypointDetails } from './gpx-details.ts'
import type { GpxWarning } from './gpx-warnings.ts'
import type { Line } from '../geo/points.ts'
import type { Fault } from '../classic/reading.ts'

export interface Gpx {
  /** As written; undefined if the document has none. */
  readonly version: string | undefined
  readonly creator: string | undefined
  readonly name: string | undefined
  readonly waypoints: GpxWaypoints
  /** The `rte` elements, in order. */
  readonly routes: readonly GpxRoute[]
  /** The `trk` elements, in order. */
  readonly tracks: readonly GpxTrack[]
  readonly counts: GpxCounts
  readonly warnings: readonly GpxWarning[]
}

export interface GpxWaypoints {
  readonly line: Line
  /** By the index of the waypoint; those without a name are missing. */
  readonly names: ReadonlyMap<number, string>
  /** Further details, if they were read (`readingDetails`), also by index. */
  readonly details?: ReadonlyMap<number, WaypointDetails>
}

export interface GpxRoute {
  readonly name: string | undefined
  readonly line: Line
}

export interface GpxTrack {
  readonly name: string | undefined
  readonly segments: readonly Line[]
}

/** Counts of wpt, rte, rtept, trk, trkseg and trkpt elements in valid places. */
export interface GpxCounts {
  readonly waypoints: number
  readonly routes: number
  readonly routePoints: number
  readonly tracks: number
  readonly segments: number
  readonly trackPoints: number
}

export interface GpxFault extends Fault {
  /** From 1. */
  readonly line: number
  /** The invalid element, or the one that contains the error; undefined outside all elements. */
  readonly element: string | undefined
}

/** Can be used as a `Reading<Gpx>`. */
export type GpxReading =
  | { readonly ok: true; readonly value: Gpx }
  | { readonly ok: false; readonly fault: GpxFault }

/** Every line that is drawn and measured: first the routes, then the track segments. */
export function linesOf(gpx: Gpx): Line[] {
  const lines = gpx.routes.map(({ line }) => line)
  for (const { segments } of gpx.tracks) for (const line of segments) lines.push(line)
  return lines
}

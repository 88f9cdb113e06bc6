// Computes how many miles along the line of its trail a photo lies (contract C53).
import { nearestOnLine, type MeasuredLine } from '../../shared/geo/along.ts'

/** Metres. A photo farther from the line than this is not on the trail. */
const maxFromLine = 100
/** Miles are stored in these units, as whole numbers, so that a cursor holds them exactly (v2-query.ts). */
export const partsOfMile = 1_000_000

/** The line of a trail, as trails/measured-trails.ts has it. */
export interface TrailRuler {
  /** Column trail.line_version. */
  readonly version: number
  readonly line: MeasuredLine
}

/** Undefined if there is no such trail. */
export type FindRuler = (trailId: number) => Promise<TrailRuler | undefined>

export interface Measured {
  /** Null if the photo is not on the line. */
  readonly miles: number | null
  /** The version of the line by which it was measured. */
  readonly version: number
}

export interface Place {
  readonly lat: number
  readonly lon: number
}

/** @param place undefined if unknown. */
export function measuredBy({ version, line }: TrailRuler, place: Place | undefined): Measured {
  const nearest = place && nearestOnLine(line, place)
  const isOnLine = nearest !== undefined && nearest.metres <= maxFromLine
  return { miles: isOnLine ? Math.round(nearest.miles * partsOfMile) / partsOfMile : null, version }
}

/** The same for a position as sent, before the transaction that stores it, so that no transaction waits for a line. */
export async function measuredPlace(
  findRuler: FindRuler,
  trailId: number,
  place: { readonly lat: string; readonly lon: string } | null | undefined,
): Promise<Measured | undefined> {
  const ruler = await findRuler(trailId)
  return ruler && measuredBy(ruler, place ? { lat: Number(place.lat), lon: Number(place.lon) } : undefined)
}

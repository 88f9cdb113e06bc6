// Measurements of a gpx, stored with it: computed once when it is written, never when it is read.
import { putTogether } from '../../shared/text/long-text.ts'
import { createHash } from 'node:crypto'
import { linesOf } from '../../shared/gpx/gpx-document.ts'
import type { Gpx, GpxFault } from '../../shared/gpx/gpx-document.ts'
import type { GpxWarning } from '../../shared/gpx/gpx-warnings.ts'
import { readGpx, type GpxLimits } from '../../shared/gpx/gpx.ts'
import { runYielding } from '../../shared/yielding.ts'
import { climbRule } from '../../shared/geo/climb.ts'
import { measure, type Box, type Measures } from '../../shared/geo/measures.ts'
import type { Line } from '../../shared/geo/points.ts'
import { milesText } from '../../shared/classic/route-kinds.ts'

interface Place {
  readonly lat: number
  readonly lon: number
}

/** Measurements that are only displayed; those used by filters have their own columns. Stored as JSON. */
export interface PublicMeasures {
  readonly pointCount: number
  /** Miles; null without points. */
  readonly measuredMiles: number | null
  /** Metres; null if no line has two elevations. */
  readonly climb: number | null
  readonly descent: number | null
  /** The rule of `climb` and `descent`; missing if measured by a node that knew only the first one. */
  readonly climbRule?: number
  readonly start: Place | null
  readonly end: Place | null
  /** Only for the owner. */
  readonly warnings?: readonly GpxWarning[]
  /** Why the gpx cannot be read, if it was stored anyway (setting GPX_CHECK). */
  readonly fault?: string
}

export const measuresOf = (json: string): PublicMeasures => JSON.parse(json) as PublicMeasures

export interface BoxColumns {
  readonly west: number | null
  readonly south: number | null
  readonly east: number | null
  readonly north: number | null
}

export function boxOf({ west, south, east, north }: BoxColumns): Box | undefined {
  if (west === null || south === null || east === null || north === null) return undefined
  return { west, south, east, north }
}

export const boxColumns = (box: Box | undefined): BoxColumns =>
  box ?? { west: null, south: null, east: null, north: null }

/** To 0.2 mm; more digits would be noise in every list. */
const lengthDecimals = 7
const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals))

const placeOf = (place: Place | undefined): Place | null =>
  place === undefined ? null : { lat: place.lat, lon: place.lon }

const metres = (value: number | undefined): number | null => (value === undefined ? null : rounded(value, 1))

/** In stored form, with the rule that was used. */
export const climbOf = ({ climbMetres, descentMetres }: Pick<Measures, 'climbMetres' | 'descentMetres'>) => ({
  climb: metres(climbMetres),
  descent: metres(descentMetres),
  climbRule,
})

function publicMeasures(measures: Measures): PublicMeasures {
  const { lengthMiles, climbMetres, descentMetres, pointCount, start, end } = measures
  return {
    pointCount,
    measuredMiles: pointCount === 0 ? null : rounded(lengthMiles, lengthDecimals),
    ...climbOf({ climbMetres, descentMetres }),
    start: placeOf(start),
    end: placeOf(end),
  }
}

/** The displayed length: the stated one, otherwise the computed one (contract C34). */
export function lengthText(stated: string | null, { measuredMiles }: PublicMeasures): string {
  return stated ?? milesText(measuredMiles ?? 0)
}

/** A tenth of a metre: programs write different numbers of digits for the same walk. */
const stepsOfDegree = 1_000_000
const pointsOfStep = 8_000

/** Identifies equal lines: the points in order, whatever rte, trkseg or file they are in. */
function* hashing(lines: readonly Line[]): Generator<undefined, string> {
  const hash = createHash('sha256')
  const steps = new Int32Array(2 * pointsOfStep)
  let filled = 0
  const flush = (): void => {
    hash.update(new Uint8Array(steps.buffer, 0, filled * steps.BYTES_PER_ELEMENT))
    filled = 0
  }
  for (const { points, first, end } of lines) {
    for (let index = first; index < end; index += 1) {
      steps[filled] = Math.round(points.lat(index) * stepsOfDegree)
      steps[filled + 1] = Math.round(points.lon(index) * stepsOfDegree)
      filled += 2
      if (filled < steps.length) continue
      flush()
      yield
    }
  }
  flush()
  return hash.digest('base64url')
}

export interface MeasuredLines {
  readonly measures: PublicMeasures
  readonly box: Box | undefined
  /** Null without points. */
  readonly geometryHash: string | null
}

export async function measureLines(lines: readonly Line[]): Promise<MeasuredLines> {
  const measured = await measure(lines)
  const measures = publicMeasures(measured)
  const geometryHash = measured.pointCount === 0 ? null : await runYielding(hashing(lines))
  return { measures, box: measured.box, geometryHash }
}

export interface ExaminedGpx extends MeasuredLines {
  /** Undefined for an empty or unreadable gpx. */
  readonly gpx: Gpx | undefined
  readonly fault: GpxFault | undefined
}

/** Parses and measures in steps. An empty gpx has no points. */
export async function examineGpx(text: string, limits: GpxLimits): Promise<ExaminedGpx> {
  await putTogether(text)
  const reading = text === '' ? undefined : await readGpx([text], limits)
  if (reading?.ok !== true) {
    const fault = reading?.fault
    const { measures, ...rest } = await measureLines([])
    const withFault = fault === undefined ? measures : { ...measures, fault: fault.detail }
    return { ...rest, measures: withFault, gpx: undefined, fault }
  }
  const gpx = reading.value
  const { measures, ...rest } = await measureLines(linesOf(gpx))
  const withWarnings = gpx.warnings.length === 0 ? measures : { ...measures, warnings: gpx.warnings }
  return { ...rest, measures: withWarnings, gpx, fault: undefined }
}

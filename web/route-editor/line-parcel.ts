// Lines sent between the page and a worker: their columns are transferred, not copied, and include measurements.
import { chunked, flattened, type Chunk, type Chunks } from './columns.ts'
import { gapMiles, measuredMiles, type RouteMeter } from './route-meter.ts'

export interface LineParcel {
  readonly columns: Chunk
  /** Per chunk, as the page will split the columns; empty if they have not been measured. */
  readonly miles: readonly number[]
  /** From the end of each chunk to the next. */
  readonly gaps: readonly number[]
}

/** Runs in a worker: measures, which takes 4 ms for 1,000 points. */
export function measuredParcel(columns: Chunk): LineParcel {
  const chunks = chunked(columns)
  const gaps = chunks.slice(1).map((next, at) => gapMiles(chunks[at] ?? next, next))
  return { columns, miles: chunks.map(measuredMiles), gaps }
}

/** A copy, because transferring would take the data from the route. */
export const parcelOf = (chunks: Chunks): LineParcel => ({ columns: flattened(chunks), miles: [], gaps: [] })

export function buffersOf(parcels: readonly LineParcel[]): ArrayBuffer[] {
  const buffers = parcels.flatMap(({ columns: { lats, lons, eles, timesMs, origins } }) => [
    lats.buffer,
    lons.buffer,
    eles.buffer,
    timesMs.buffer,
    origins.buffer,
  ])
  return [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer)
}

export function unpacked({ columns, miles, gaps }: LineParcel, meter: RouteMeter): Chunks {
  const chunks = chunked(columns)
  for (const [at, chunk] of chunks.entries()) {
    const known = miles[at]
    if (known !== undefined) meter.know(chunk, known)
    const [next, gap] = [chunks[at + 1], gaps[at]]
    if (next !== undefined && gap !== undefined) meter.knowGap(chunk, next, gap)
  }
  return chunks
}

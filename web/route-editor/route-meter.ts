// Length, ascent and descent of the route during editing: with the server's functions, cached per chunk.
import { createClimbMeter } from '../../src/shared/geo/climb.ts'
import { measureAtOnce } from '../../src/shared/geo/measures.ts'
import { lineOf, type Position } from '../../src/shared/geo/points.ts'
import { lineOfChunk, type Chunk, type Chunks } from './columns.ts'
import type { Segment } from './route-state.ts'

export interface RouteMeasures {
  readonly lengthMiles: number
  readonly climbMetres: number | undefined
  readonly descentMetres: number | undefined
  readonly pointCount: number
}

function positionOf({ lats, lons }: Chunk, index: number): Position {
  return { lat: lats[index] ?? NaN, lon: lons[index] ?? NaN }
}

/** From the last point of one chunk to the first of the next. */
export function gapMiles(chunk: Chunk, next: Chunk): number {
  return measureAtOnce([lineOf([positionOf(chunk, chunk.count - 1), positionOf(next, 0)])]).lengthMiles
}

/** Of one chunk, from its first point to its last; a worker may measure it in advance. */
export const measuredMiles = (chunk: Chunk): number => measureAtOnce([lineOfChunk(chunk)]).lengthMiles

interface Along {
  readonly starts: readonly number[]
  readonly end: number
}

export function createRouteMeter() {
  const lengths = new WeakMap<Chunk, number>()
  const gaps = new WeakMap<Chunk, { readonly next: Chunk; readonly miles: number }>()
  const alongs = new WeakMap<Chunks, Along>()

  function gapOf(chunk: Chunk, next: Chunk): number {
    const known = gaps.get(chunk)
    if (known?.next === next) return known.miles
    const miles = gapMiles(chunk, next)
    gaps.set(chunk, { next, miles })
    return miles
  }

  function milesOf(chunk: Chunk): number {
    const known = lengths.get(chunk)
    if (known !== undefined) return known
    const lengthMiles = chunk.mirrorOf ? milesOf(chunk.mirrorOf) : measuredMiles(chunk)
    lengths.set(chunk, lengthMiles)
    return lengthMiles
  }

  /** Where each chunk begins, in miles from the start of its line, and where the line ends. */
  function milesAlong(chunks: Chunks): Along {
    const known = alongs.get(chunks)
    if (known !== undefined) return known
    let end = 0
    const starts = chunks.map((chunk, at) => {
      const before = chunks[at - 1]
      if (before !== undefined) end += gapOf(before, chunk)
      const start = end
      end += milesOf(chunk)
      return start
    })
    const along = { starts, end }
    alongs.set(chunks, along)
    return along
  }

  return {
    milesOf,
    milesAlong,

    /** Measurements from a worker, so that the page need not repeat them. */
    know: (chunk: Chunk, lengthMiles: number): void => void lengths.set(chunk, lengthMiles),
    knowGap: (chunk: Chunk, next: Chunk, miles: number): void => void gaps.set(chunk, { next, miles }),

    /**
     * The sum of the same distances as `measure` of the contract, in another order: equal except for the last of 16
     * digits.
     */
    measure: (segments: readonly Segment[]): RouteMeasures => {
      const climb = createClimbMeter()
      let lengthMiles = 0
      let pointCount = 0
      for (const { chunks } of segments) {
        lengthMiles += milesAlong(chunks).end
        climb.startLine()
        for (const { lats, lons, eles, count } of chunks) {
          pointCount += count
          for (const [index, ele] of eles.entries()) climb.add(lats[index] ?? NaN, lons[index] ?? NaN, ele)
        }
      }
      return { lengthMiles, ...climb.value(), pointCount }
    },
  }
}

export type RouteMeter = ReturnType<typeof createRouteMeter>

// Lines of trails, cached until they change.
import { createMarkedCache } from '../../shared/bounded-cache.ts'
import { linesOfGeometry } from '../../shared/geo/geometry-lines.ts'
import { spatialLine, type SpatialLine } from '../../shared/geo/spatial-line.ts'
import { readingJsonText } from '../../shared/json/json.ts'
import { runYielding } from '../../shared/yielding.ts'
import type { Db } from '../../database/database.ts'
import { findTrailGeometry, listTrailMarks, type TrailMark } from './flags-table.ts'

/** Of all cached lines: about 15 MB, or 5,000 lines. */
const maxVertices = 500_000
/** The minimum weight of a line. */
const minVertices = 100

export interface CachedLine {
  /** Undefined if the geometry has no vertex. */
  readonly line: SpatialLine | undefined
  readonly mark: TrailMark
}

/** @returns a function that finds the lines of trails that have one. */
export function createTrailLines(db: Db) {
  const cache = createMarkedCache<CachedLine, number, string>({
    max: maxVertices,
    sizeOf: ({ line }) => Math.max(minVertices, (line?.vertices.length ?? 0) / 3),
  })

  async function read(trailId: number): Promise<SpatialLine | undefined> {
    const text = await findTrailGeometry(db, trailId)
    if (text === undefined) return undefined
    const reading = await runYielding(readingJsonText(text))
    return reading.ok ? runYielding(spatialLine(linesOfGeometry(reading.value))) : undefined
  }

  return async function linesOf(trailIds: readonly number[]): Promise<Map<number, CachedLine>> {
    const lines = new Map<number, CachedLine>()
    for (const mark of await listTrailMarks(db, trailIds)) {
      const { id, ...facts } = mark
      const text = Object.values(facts).join(' ')
      const known = cache.get(id, text) ?? { line: await read(id), mark }
      cache.set(id, text, known)
      lines.set(id, known)
    }
    return lines
  }
}

// Trail lines, measured once and cached until they change; for positions along them and for profiles.
import { createBoundedCache } from '../shared/bounded-cache.ts'
import { measuringLine, type MeasuredLine } from '../shared/geo/along.ts'
import { linesOfGeometry } from '../shared/geo/geometry-lines.ts'
import type { Line } from '../shared/geo/points.ts'
import { readingJsonText } from '../shared/json/json.ts'
import { runYielding } from '../shared/yielding.ts'
import type { Db } from '../database/database.ts'
import { createLineMarkQuery, findLine, type LineMark } from './line-table.ts'

/** Points of all cached lines: about 12 MB. */
const maxPoints = 150_000
/** A shorter line counts as having this many points. */
const minPoints = 50

export interface MeasuredTrail {
  /** Version of the line (column trail.line_version). */
  readonly version: number
  /** The measured parts; none if the trail has no line. */
  readonly lines: readonly Line[]
  readonly line: MeasuredLine
}

/** Length of the line in stored form. */
export async function readStoredLine(text: string | null): Promise<Line[]> {
  if (text === null) return []
  const reading = await runYielding(readingJsonText(text))
  return reading.ok ? linesOfGeometry(reading.value) : []
}

/** A trail that was deleted and created again restarts its versions, so the version alone is not enough. */
const keyOf = ({ id, createdAt, version, miles, west, south }: LineMark): string =>
  [id, createdAt, version, miles, west, south].join(' ')

export function createMeasuredTrails(db: Db) {
  const findMark = createLineMarkQuery(db)
  const kept = createBoundedCache<MeasuredTrail>({
    max: maxPoints,
    sizeOf: ({ line }) => Math.max(minPoints, line.miles.length),
  })

  async function make(trailId: number, { version }: LineMark): Promise<MeasuredTrail> {
    const found = await findLine(db, trailId)
    const lines = await readStoredLine(found?.geometry ?? null)
    return {
      version: found?.version ?? version,
      lines,
      line: await runYielding(measuringLine(lines)),
    }
  }

  return {
    /** Undefined if there is no such trail. */
    find: async (trailId: number): Promise<MeasuredTrail | undefined> => {
      const mark = await findMark({ trailId })
      return mark && kept.find(keyOf(mark), () => make(trailId, mark))
    },
  }
}

export type MeasuredTrails = ReturnType<typeof createMeasuredTrails>

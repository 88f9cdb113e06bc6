// Measures ascents of trails by an older rule again in the background: those from before an upgrade, or from an older
// node.
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { readTrailLine } from './trail-line.ts'

const trailsOfLook = 50

interface OlderClimb {
  readonly id: number
  readonly version: number
  readonly geometry: string
}

/** Exactly as in the index of migration 0030. */
const isOlder = sql<boolean>`climb_version <> line_version and ascent is not null`

export function listOlderClimbs(db: Db, after: number, limit: number): Promise<OlderClimb[]> {
  return db
    .selectFrom('trail')
    .innerJoin('trail_line', 'trail_line.trail_id', 'trail.id')
    .select(['trail.id', 'trail.line_version as version', 'trail_line.geometry'])
    .where(isOlder)
    .where('trail.id', '>', after)
    .orderBy('trail.id')
    .limit(limit)
    .execute()
}

async function renew(db: Db, { id, version, geometry }: OlderClimb): Promise<void> {
  const reading = await readTrailLine([JSON.parse(geometry)])
  const heights = reading.ok ? reading.line?.heights : undefined
  const known = heights && { ascent: heights.ascent, descent: heights.descent }
  await db
    .updateTable('trail')
    .set({ ...known, climb_version: version })
    .where('id', '=', id)
    .where('line_version', '=', version)
    .execute()
}

/** @returns whether everything is done. If it is stopped, the next run continues with the next trail. */
export async function renewTrailClimbs(db: Db, mayContinue: () => Promise<boolean>): Promise<boolean> {
  for (let after = 0; ;) {
    const trails = await listOlderClimbs(db, after, trailsOfLook)
    for (const trail of trails) {
      if (!(await mayContinue())) return false
      await renew(db, trail)
      after = trail.id
    }
    if (trails.length < trailsOfLook) return true
  }
}

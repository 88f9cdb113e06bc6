// Measures ascents of an older rule again in the background: those from before an upgrade, or from an older node.
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import { linesOf } from '../shared/gpx/gpx-document.ts'
import { readGpx, type GpxLimits } from '../shared/gpx/gpx.ts'
import { measure } from '../shared/geo/measures.ts'
import type { Line } from '../shared/geo/points.ts'
import {
  listOlderClimbs,
  listOlderPublicClimbs,
  saveClimb,
  savePublicClimb,
  type OlderClimb,
} from './climbs-table.ts'
import { climbOf, measuresOf, type PublicMeasures } from './gpx/measured.ts'
import { unpackText } from './gpx/packed.ts'
import { unpackLines } from './public-view/line-blob.ts'
import { findGpx } from './route-table.ts'

/** Routes per query; each is read separately. */
const routesOfLook = 20

export interface ClimbsRun {
  readonly signal: AbortSignal
  readonly mayContinue: () => Promise<boolean>
}

export interface ClimbsDependencies {
  readonly db: Db
  readonly gpxLimits: GpxLimits
  /** Milliseconds to pause after work that took this long, so that requests take precedence. */
  readonly restMs: (tookMs: number) => number
  /** Called for a damaged route, whose measures stay as they are. */
  readonly onFault: (error: unknown) => void
}

export function createRouteClimbs({ db, gpxLimits, restMs, onFault }: ClimbsDependencies) {
  async function storedLines(routeId: number): Promise<Line[]> {
    const packed = await findGpx(db, routeId)
    const text = packed === undefined ? '' : await unpackText(packed)
    const reading = text === '' ? undefined : await readGpx([text], gpxLimits)
    return reading?.ok === true ? linesOf(reading.value) : []
  }

  async function renewed({ measures }: OlderClimb, lines: readonly Line[]): Promise<PublicMeasures> {
    return { ...measuresOf(measures), ...climbOf(await measure(lines)) }
  }

  /** @returns whether everything is done. */
  async function renewAll<Row extends OlderClimb>(
    run: ClimbsRun,
    list: (after: number) => Promise<Row[]>,
    renew: (row: Row) => Promise<void>,
  ): Promise<boolean> {
    for (let after = 0; ;) {
      const rows = await list(after)
      for (const row of rows) {
        if (!(await run.mayContinue())) return false
        const begun = performance.now()
        await renew(row).catch(onFault)
        await pause(restMs(performance.now() - begun), undefined, { signal: run.signal }).catch(
          () => undefined,
        )
        after = row.id
      }
      if (rows.length < routesOfLook) return true
    }
  }

  return {
    /** Public views come first. If a run is stopped, the next one continues with the next route. */
    run: async (run: ClimbsRun): Promise<void> => {
      const isDone = await renewAll(
        run,
        (after) => listOlderPublicClimbs(db, after, routesOfLook),
        async (row) => savePublicClimb(db, row, await renewed(row, await unpackLines(row.lines))),
      )
      if (!isDone) return
      await renewAll(
        run,
        (after) => listOlderClimbs(db, after, routesOfLook),
        async (row) => saveClimb(db, row, await renewed(row, await storedLines(row.id))),
      )
    },
  }
}

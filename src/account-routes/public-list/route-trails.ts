// Finds the trails that public routes use, in the background, after a route is listed or a trail's line changes.
import { setTimeout as pause } from 'node:timers/promises'
import { createBoundedCache } from '../../shared/bounded-cache.ts'
import { linesOfGeometry } from '../../shared/geo/geometry-lines.ts'
import type { Line } from '../../shared/geo/points.ts'
import { createYielder } from '../../shared/yielding.ts'
import type { Db } from '../../database/database.ts'
import { unpackLines } from '../public-view/line-blob.ts'
import { usesTrail, widened } from './near-trail.ts'
import {
  findLines,
  findTrailGeometry,
  forgetComparison,
  listChangedTrails,
  listRoutesIn,
  listRoutesOf,
  listTrailsIn,
  listWithoutTrails,
  saveLineVersion,
  saveTrails,
  type ChangedTrail,
  type ComparedRoute,
} from './trails-table.ts'

const trailsOfLook = 50
const routesOfLook = 50
const routesOfUpdate = 500
/** Trail lines that are cached between routes. */
const maxTrails = 50

export interface RouteTrailsRun {
  readonly signal: AbortSignal
  mayContinue(): Promise<boolean>
}

export interface RouteTrailsDependencies {
  readonly db: Db
  /** Milliseconds to pause after work that took this long, so that requests take precedence. */
  readonly restMs: (tookMs: number) => number
  /** Called for a route whose lines cannot be read; it counts as using no trail. */
  readonly onFault: (error: unknown) => void
}

export function createRouteTrails({ db, restMs, onFault }: RouteTrailsDependencies) {
  const known = createBoundedCache<readonly Line[]>({ max: maxTrails })

  async function linesOfTrail(id: number, lineVersion: string): Promise<readonly Line[]> {
    const key = `${id}:${lineVersion}`
    const lines = known.get(key)
    if (lines !== undefined) return lines
    const text = await findTrailGeometry(db, id)
    const read = text === undefined ? [] : linesOfGeometry(JSON.parse(text))
    known.set(key, read)
    return read
  }

  async function trailsOf(route: ComparedRoute): Promise<number[]> {
    const { box } = route
    const packed = await findLines(db, route)
    if (box === undefined || packed === undefined) return []
    const lines = await unpackLines(packed)
    const yielder = createYielder()
    const used: number[] = []
    for (const { id, lineVersion } of await listTrailsIn(db, widened(box))) {
      const trail = await linesOfTrail(id, lineVersion)
      if (await yielder.through(usesTrail(lines, box, trail))) used.push(id)
    }
    return used
  }

  /** Marks every route for comparison that may use the trail now, or used it before. */
  async function noteChange(trail: ChangedTrail): Promise<void> {
    const before = await listRoutesOf(db, trail.id)
    const now = trail.box === undefined ? [] : await listRoutesIn(db, widened(trail.box))
    const routes = [...new Set([...before, ...now])]
    for (let first = 0; first < routes.length; first += routesOfUpdate)
      await forgetComparison(db, routes.slice(first, first + routesOfUpdate))
    await saveLineVersion(db, trail)
  }

  /** @returns whether everything is done. */
  async function noteChanges({ mayContinue }: RouteTrailsRun): Promise<boolean> {
    for (;;) {
      const trails = await listChangedTrails(db, trailsOfLook)
      for (const trail of trails) {
        if (!(await mayContinue())) return false
        await noteChange(trail)
      }
      if (trails.length < trailsOfLook) return true
    }
  }

  return {
    /** Processes all remaining routes. If a run is stopped, the next one continues with the next route. */
    run: async (run: RouteTrailsRun): Promise<void> => {
      if (!(await noteChanges(run))) return
      for (let after = 0; ;) {
        const routes = await listWithoutTrails(db, after, routesOfLook)
        for (const route of routes) {
          if (!(await run.mayContinue())) return
          const begun = performance.now()
          const trails = await trailsOf(route).catch((error: unknown) => {
            onFault(error)
            return []
          })
          await saveTrails(db, route, trails)
          await pause(restMs(performance.now() - begun), undefined, { signal: run.signal }).catch(
            () => undefined,
          )
          after = route.id
        }
        if (routes.length < routesOfLook) return
      }
    },
  }
}

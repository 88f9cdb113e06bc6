// Finds out which trails public routes use, in the background: after a route was listed, and after a trail's line changed.
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
/** Lines of trails that are remembered from one route to the next. */
const maxTrails = 50

export interface RouteTrailsRun {
  readonly signal: AbortSignal
  mayContinue(): Promise<boolean>
}

export interface RouteTrailsDependencies {
  readonly db: Db
  /** Milliseconds to wait after work that took so long: the processor is for those who ask. */
  readonly restMs: (tookMs: number) => number
  /** Of a route whose lines cannot be read; it uses no trail then. */
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

  /** Has every route compared anew that may use the trail by now, or did before. */
  async function noteChange(trail: ChangedTrail): Promise<void> {
    const before = await listRoutesOf(db, trail.id)
    const now = trail.box === undefined ? [] : await listRoutesIn(db, widened(trail.box))
    const routes = [...new Set([...before, ...now])]
    for (let first = 0; first < routes.length; first += routesOfUpdate)
      await forgetComparison(db, routes.slice(first, first + routesOfUpdate))
    await saveLineVersion(db, trail)
  }

  /** @returns whether it came to the end. */
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
    /** Whatever is left to find out; a run that is ended goes on with the next route in the next one. */
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

export type RouteTrails = ReturnType<typeof createRouteTrails>

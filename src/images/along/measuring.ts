// Measures photos in the background, in short steps: those whose line has changed, or that an older node placed (contract C53).
//
// A trail is done when all its photos have been measured by its present line. If the server is killed before that, the next
// run skips the photos that are done. Photos that are moved meanwhile are left for the second part of the run.
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../database/database.ts'
import { createYielder } from '../../shared/yielding.ts'
import {
  listPhotosOf,
  listUnmeasured,
  listUnmeasuredTrails,
  saveAllMeasured,
  saveTrailsMeasured,
  type MeasuredImage,
  type UnmeasuredImage,
} from './measure-table.ts'
import { measuredBy, type FindRuler, type TrailRuler } from './miles-along.ts'

const trailsAtOnce = 50
/** Photos per transaction. Each transaction drops kept answers. */
const photosAtOnce = 100

export interface MeasuringRun {
  readonly signal: AbortSignal
  readonly mayContinue: () => Promise<boolean>
}

export interface MeasuringDone {
  readonly trails: number
  readonly photos: number
}

export interface MeasuringDependencies {
  readonly db: Db
  readonly findRuler: FindRuler
  /** Milliseconds to wait after work that took this long: requests come first. */
  readonly restMs: (tookMs: number) => number
}

function measured(image: UnmeasuredImage, ruler: TrailRuler): MeasuredImage {
  const { latitude: lat, longitude: lon } = image
  return { image, measured: measuredBy(ruler, lat === null || lon === null ? undefined : { lat, lon }) }
}

export function createMeasuring({ db, findRuler, restMs }: MeasuringDependencies) {
  const rest = (begun: number, { signal }: MeasuringRun): Promise<void> =>
    pause(restMs(performance.now() - begun), undefined, { signal }).catch(() => undefined)

  async function measureAll(some: readonly UnmeasuredImage[], rulerOf: FindRuler): Promise<number> {
    const yielder = createYielder()
    const done: MeasuredImage[] = []
    for (const image of some) {
      const ruler = await rulerOf(image.trailId)
      if (ruler) done.push(measured(image, ruler))
      await yielder.yieldIfDue()
    }
    if (done.length > 0) await saveAllMeasured(db, done)
    return done.length
  }

  /** @returns undefined if it cannot be measured now. */
  async function measureTrail(
    trailId: number,
    ruler: TrailRuler,
    run: MeasuringRun,
  ): Promise<number | undefined> {
    let photos = 0
    // Photos of other servers may be older than 1970.
    for (let after = { postedAt: Number.MIN_SAFE_INTEGER, id: 0 }; ;) {
      const begun = performance.now()
      const images = await listPhotosOf(db, trailId, after, photosAtOnce)
      const last = images.at(-1)
      const old = images.filter(({ version }) => version !== ruler.version)
      photos += await measureAll(old, async () => ruler)
      if (last === undefined || images.length < photosAtOnce) return photos
      after = last
      await rest(begun, run)
      if (!(await run.mayContinue())) return undefined
    }
  }

  /** @returns false if the run was stopped. */
  async function measureTrails(
    run: MeasuringRun,
    done: { trails: number; photos: number },
  ): Promise<boolean> {
    for (let after = 0; ;) {
      const trails = await listUnmeasuredTrails(db, after, trailsAtOnce)
      const ready: { id: number; version: number }[] = []
      let isEnded = false
      for (const id of trails) {
        isEnded ||= !(await run.mayContinue())
        const ruler = isEnded ? undefined : await findRuler(id)
        if (ruler === undefined) continue // or it was deleted just now
        const photos = await measureTrail(id, ruler, run)
        isEnded = photos === undefined
        if (photos === undefined) continue
        done.photos += photos
        ready.push({ id, version: ruler.version })
      }
      if (ready.length > 0) await saveTrailsMeasured(db, ready)
      done.trails += ready.length
      const last = trails.at(-1)
      if (isEnded || last === undefined) return !isEnded
      after = last
    }
  }

  return {
    /** Measures all remaining photos. If a run is stopped, the next one continues with the next photo. */
    run: async (run: MeasuringRun): Promise<MeasuringDone> => {
      const done = { trails: 0, photos: 0 }
      if (!(await measureTrails(run, done))) return done
      for (let after = 0; ;) {
        const begun = performance.now()
        const images = await listUnmeasured(db, after, photosAtOnce)
        const last = images.at(-1)
        if (last === undefined || !(await run.mayContinue())) return done
        done.photos += await measureAll(images, findRuler)
        after = last.id
        await rest(begun, run)
      }
    },
  }
}

// Copies the source of a migration to its target: first everything, then what has changed, in rounds, and finally the rest.
import type { Database, Db, Tx } from '../../database/database.ts'
import { copyChanges, requireCounts } from '../../database/copy-changes.ts'
import { copyRows, type RowsDone } from '../../database/copy-rows.ts'
import { makingRowsAfter } from '../../database/made-rows.ts'
import { onSnapshot, type ChangedKeys, type Departure } from '../../database/departure.ts'
import type { TableDigest } from '../../database/table-digest.ts'
import { countStored, type Stored } from '../../images/storage/content-table.ts'
import { namesOfImages } from '../../images/storage/integrity.ts'
import type { MovedPhotos, MovePhotos } from './move-photos.ts'

/** So few changed rows can be left for the read-only phase: they take about a second. */
const fewRows = 2_000
/** More rounds gain nothing if each ends with as many changes as the one before. */
const maxRounds = 5

export interface Problem {
  readonly sha256: string
  readonly detail: string
}

export interface Finished {
  readonly stored: Stored
  /** Undefined if photos are not migrated. */
  readonly moved: MovedPhotos | undefined
  /** By table; empty if rows are not migrated. */
  readonly tables: ReadonlyMap<string, TableDigest>
  /** Originals that were already missing at the source. */
  readonly problems: readonly Problem[]
}

export interface FollowDependencies {
  readonly source: Database
  /** Records the changes of the source; it began before rows and photos are read here. */
  readonly departure: Departure
  readonly target: Database | undefined
  readonly photos: MovePhotos | undefined
  readonly signal: AbortSignal
  readonly onRows?: ((done: RowsDone) => void) | undefined
}

export function createFollower({ source, departure, target, photos, signal, onRows }: FollowDependencies) {
  const { tables } = departure
  let digests: ReadonlyMap<string, TableDigest> = new Map()

  /** Runs work in one transaction of the target, if rows are migrated. */
  const inTarget = async <T>(work: (to: Tx) => Promise<T>): Promise<T | undefined> =>
    target?.patiently((db) => db.transaction().execute(work))

  const atMoment = <T>(work: (from: Db, changes: ChangedKeys) => Promise<T>): Promise<T> =>
    onSnapshot(source, departure, work, signal)

  /** @returns how many rows have changed since the round before. */
  const follow = (): Promise<number> =>
    atMoment(async (from, changes) => {
      await photos?.follow(from, changes)
      digests =
        (await inTarget((to) => copyChanges({ from, to, tables, changes, digests, signal }))) ?? digests
      return changes.values().reduce((sum, keys) => sum + keys.length, 0)
    })

  return {
    /** Copies and compares all rows of one snapshot, or none. */
    copyRows: async (): Promise<void> => {
      if (!target) return
      digests = await source.snapshot((from) =>
        target.patiently((db) =>
          db
            .transaction()
            .execute((to) =>
              makingRowsAfter(target.engine, to, () => copyRows({ from, to, tables, signal, onRows })),
            ),
        ),
      )
    },

    /** Copies what has changed in the meantime, until few changes are left. */
    catchUp: async (): Promise<void> => {
      let before = Infinity
      for (let round = 1; round <= maxRounds; round += 1) {
        const rows = await follow()
        if (rows <= fewRows || rows > before / 2) return
        before = rows
      }
    },

    /**
     * Copies the rest. The source must be read-only by now.
     * @param end is called in the transaction that copies the last rows.
     */
    finish: (end: (to: Tx) => Promise<void>): Promise<Finished> =>
      atMoment(async (from, changes) => {
        await photos?.follow(from, changes)
        const last = await inTarget(async (to) => {
          const now = await copyChanges({ from, to, tables, changes, digests, signal })
          await requireCounts([from, to], tables, now)
          await end(to)
          return now
        })
        const problems: Problem[] = []
        for (const { content, fault } of photos?.lost() ?? []) {
          const detail = `The original of ${await namesOfImages(from, content)} ${fault}: it could not be migrated.`
          problems.push({ sha256: content.sha256, detail })
        }
        return {
          stored: await countStored(from),
          moved: photos?.moved(),
          tables: last ?? new Map(),
          problems,
        }
      }),
  }
}

// Migrates an installation to another database, another photo storage, or both. Its server answers reads throughout, and
// accepts changes until the last seconds.
//
//   photos → record changes from here on → check photos → copy and compare rows → copy what has changed, in rounds, until
//   few changes are left → read-only → copy the last changes → count rows → done
//
// Until the last commit the target has a marker with which no server starts; the last rows and the removal of the marker are
// one commit. So a migration that is interrupted anywhere leaves the source unchanged, and a target that the next run
// continues with.
import { byCommand, recordAudit } from '../../accounts/audit/audit.ts'
import { arrivalKey } from '../../storage/arrival.ts'
import type { Blobs } from '../../storage/port.ts'
import { endArrival, findArrival, type Arrival } from '../../database/arrival.ts'
import type { RowsDone } from '../../database/copy-rows.ts'
import type { Database, Tx } from '../../database/database.ts'
import { beginDeparture, endDeparture } from '../../database/departure.ts'
import { pendingMigrations } from '../../database/migrate.ts'
import { whenFree } from '../../database/when-free.ts'
import { findReadOnly, switchReadOnlyOff, switchReadOnlyOn } from '../../database/read-only.ts'
import { countStored } from '../../images/storage/content-table.ts'
import { createFollower, type Finished } from './follow.ts'
import { createMovePhotos, tablesOfPhotos } from './move-photos.ts'
import { beginAt, failMove, type Target } from './target.ts'

/** The reason shown to clients meanwhile. By it, another run recognizes that a migration switched to read-only. */
export const movingReason = 'The service is being migrated'

/** The reason shown to clients afterwards. */
const movedReason = 'The service has been migrated'

/** The only table that is not migrated: the target must be writable. */
const staysBehind = 'read_only'

export type MoveStep = 'photos' | 'checking-photos' | 'rows' | 'read-only' | 'changes'

export interface MoveDependencies {
  readonly source: { readonly database: Database; readonly blobs: Pick<Blobs, 'open'> }
  readonly target: Target
  /** Where the target's photos are, to show to people; undefined if photos are not migrated. */
  readonly blobsPlace: string | undefined
  readonly now: () => number
}

export interface MoveOptions {
  readonly signal: AbortSignal
  readonly onStep?: (step: MoveStep) => void
  readonly onPhotos?: (done: {
    readonly contents: number
    readonly allContents: number
    readonly bytes: number
  }) => void
  readonly onRows?: (done: RowsDone) => void
}

export interface MoveReport extends Finished {
  readonly isResumed: boolean
}

export function createMove({ source, target, blobsPlace, now }: MoveDependencies) {
  const { database } = source
  const photos = blobsPlace === undefined ? '' : ` with its photos for ${blobsPlace}`
  const arrival: Arrival = { command: 'move', of: `${database.where}${photos}` }

  async function requireSameSchema(): Promise<void> {
    const pending = await pendingMigrations(database)
    if (pending.length > 0)
      throw failMove(
        'not-there',
        'The database was created by an older version of Waymark: start this version on it or run "waymark migrate", then move.',
      )
  }

  const recordSwitch = (tx: Tx, detail: Record<string, unknown>): Promise<void> =>
    recordAudit(tx, { at: now(), by: byCommand, action: 'setting.changed', accountId: null, detail })

  /** After an earlier run was killed in its read-only phase, accepts changes again, as everything long is still to be done. */
  async function takeChangesAgain(): Promise<void> {
    const found = await findReadOnly(database.db)
    if (found?.reason === movingReason) await takeChanges()
  }

  /** @returns whether to switch it off if the migration fails: read-only mode set by an operator stays on. */
  async function stopChanges(): Promise<boolean> {
    return database.db.transaction().execute(async (tx) => {
      const found = await findReadOnly(tx)
      if (found) return found.reason === movingReason
      await switchReadOnlyOn(tx, now(), movingReason)
      await recordSwitch(tx, { readOnly: true, reason: movingReason })
      return true
    })
  }

  async function takeChanges(): Promise<void> {
    await database.db.transaction().execute(async (tx) => {
      if (await switchReadOnlyOff(tx)) await recordSwitch(tx, { readOnly: false })
    })
  }

  const isLeaving = (table: string): boolean =>
    target.database ? table !== staysBehind : tablesOfPhotos.has(table)

  function createPhotos({ signal, onPhotos }: MoveOptions) {
    if (!target.blobs) return undefined
    let [contents, allContents, bytes] = [0, 0, 0]
    const onContent = (more: number): void => {
      contents += 1
      bytes += more
      onPhotos?.({ contents, allContents, bytes })
    }
    const moving = createMovePhotos({ from: source.blobs, to: target.blobs, signal, onContent })
    /** Processes all of them, with progress from zero. */
    const pass = async (work: 'copyAll' | 'check'): Promise<void> => {
      ;[contents, bytes] = [0, 0]
      allContents = (await countStored(database.db)).contents
      await moving[work](database.db)
    }
    return { moving, pass }
  }

  async function moveAll(options: MoveOptions): Promise<Finished> {
    const { signal, onStep, onRows } = options
    const photos = createPhotos(options)
    onStep?.('photos')
    await photos?.pass('copyAll')
    signal.throwIfAborted()
    const departure = await whenFree(() => beginDeparture(database, isLeaving), signal)
    onStep?.('checking-photos')
    await photos?.pass('check')
    const follower = createFollower({
      source: database,
      departure,
      target: target.database,
      photos: photos?.moving,
      signal,
      onRows,
    })
    onStep?.('rows')
    await follower.copyRows()
    await follower.catchUp()
    signal.throwIfAborted()
    const isOurs = await stopChanges()
    onStep?.('read-only')
    try {
      onStep?.('changes')
      const finished = await follower.finish(endArrival)
      if (!target.database) await target.blobs?.remove(arrivalKey)
      // A different reason than during the migration: then a failure makes the source writable again, but now nothing does.
      if (isOurs) await switchReadOnlyOn(database.db, now(), movedReason)
      return finished
    } catch (error) {
      return isOurs ? reopen(error) : Promise.reject(error)
    }
  }

  /** Of a failure that may have come after the commit, such as a lost connection: undefined where nobody can tell. */
  async function hasArrived(): Promise<boolean | undefined> {
    if (!target.database) return false
    try {
      return (await findArrival(target.database.db)) === undefined
    } catch {
      return undefined
    }
  }

  /** Nothing was finished, so the source takes changes again: an installation must not stay shut for a move that is over. */
  async function reopen(error: unknown): Promise<never> {
    const arrived = await hasArrived()
    if (arrived === false) {
      await takeChanges()
      throw error
    }
    const state = arrived ? 'is complete' : 'may be complete'
    throw new Error(
      `The connection was lost at the very end; the migrated data ${state}. The source stays read-only until "waymark read-only off". Run "waymark check" on the target.`,
      { cause: error },
    )
  }

  return {
    /**
     * When it resolves, the target is what the source is, and the source stays read-only. Where it rejects, the source
     * takes changes as before, but for a failure at the last commit that leaves open whether it took place.
     */
    run: async (options: MoveOptions): Promise<MoveReport> => {
      await requireSameSchema()
      const isResumed = await beginAt(target, arrival)
      if (isResumed) await takeChangesAgain()
      try {
        return { ...(await moveAll(options)), isResumed }
      } finally {
        // Remaining triggers are harmless: the next migration removes them, and so does `read-only off`.
        await whenFree(() => endDeparture(database)).catch(() => undefined)
      }
    },
  }
}

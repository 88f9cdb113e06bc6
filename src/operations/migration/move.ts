// Moves an installation to another database, another photo storage, or both, while its server answers readers throughout.
//
//   photos, while everything goes on → read-only → the photos since → rows, in one transaction → compared → done
//
// Until the last commit the target carries a sign that no server starts on; the rows and the end of the sign are one
// commit. So a move that was interrupted anywhere leaves the source as it was and a target that the next run takes up.
import { byCommand, recordAudit } from '../../accounts/audit/audit.ts'
import { arrivalKey } from '../../storage/arrival.ts'
import type { Blobs } from '../../storage/port.ts'
import { endArrival, findArrival, type Arrival } from '../../database/arrival.ts'
import { copyRows, type RowsDone, type TableDigest } from '../../database/copy-rows.ts'
import type { Database, Db, Tx } from '../../database/database.ts'
import { layoutOf } from '../../database/layout.ts'
import { pendingMigrations } from '../../database/migrate.ts'
import { findReadOnly, switchReadOnlyOff, switchReadOnlyOn } from '../../database/read-only.ts'
import { countStored, type Stored } from '../../images/storage/content-table.ts'
import { namesOfImages } from '../../images/storage/integrity.ts'
import { moveBlobs, type MovedBlobs } from './move-blobs.ts'
import { beginAt, failMove, type Target } from './target.ts'

/** What clients are told meanwhile; by it another run knows that it was a move that threw the switch. */
export const movingReason = 'The service is being migrated'

/** What clients are told from then on. */
const movedReason = 'The service has been migrated'

/** The one table that does not move: whoever starts the target wants to write to it. */
const staysBehind = 'read_only'

export type MoveStep = 'photos' | 'read-only' | 'last-photos' | 'rows'

export interface MoveDependencies {
  readonly source: { readonly database: Database; readonly blobs: Pick<Blobs, 'open'> }
  readonly target: Target
  /** Of the target's photos, for people; undefined where they stay where they are. */
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

export interface MoveReport {
  readonly isResumed: boolean
  readonly stored: Stored
  /** undefined where the photos stay where they are. */
  readonly moved: MovedBlobs | undefined
  /** By table; empty where the rows stay where they are. */
  readonly tables: ReadonlyMap<string, TableDigest>
  /** Originals that were lost at the source already. */
  readonly problems: readonly { readonly sha256: string; readonly detail: string }[]
}

type Finished = Omit<MoveReport, 'isResumed'>

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

  /** @returns whether it is ours to end, should the move fail: an operator's own is left as it is. */
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

  async function movePhotos(db: Db, compare: 'hashes' | 'lengths', options: MoveOptions) {
    if (!target.blobs) return undefined
    const { contents: allContents } = await countStored(db)
    let [contents, bytes] = [0, 0]
    const onContent = (more: number): void => {
      contents += 1
      bytes += more
      options.onPhotos?.({ contents, allContents, bytes })
    }
    const { signal } = options
    return moveBlobs({ db, from: source.blobs, to: target.blobs, compare, signal, onContent })
  }

  /** All rows, the proof that they came, and the end of the sign: one commit. */
  async function moveRows(from: Db, { signal, onRows }: MoveOptions): Promise<Map<string, TableDigest>> {
    if (!target.database) return new Map()
    const tables = (await layoutOf({ engine: database.engine, db: from })).filter(
      ({ name }) => name !== staysBehind,
    )
    return target.database.patiently((db) =>
      db.transaction().execute(async (to) => {
        const copied = await copyRows({ from, to, tables, signal, onRows })
        await endArrival(to)
        return copied
      }),
    )
  }

  async function finish(db: Db, options: MoveOptions): Promise<Finished> {
    options.onStep?.('last-photos')
    const moved = await movePhotos(db, 'lengths', options)
    const problems: { sha256: string; detail: string }[] = []
    for (const { content, fault } of moved?.lost ?? []) {
      const detail = `The original of ${await namesOfImages(db, content)} ${fault}: it could not be migrated.`
      problems.push({ sha256: content.sha256, detail })
    }
    const stored = await countStored(db)
    options.onStep?.('rows')
    const tables = await moveRows(db, options)
    if (!target.database) await target.blobs?.remove(arrivalKey)
    return { stored, moved, tables, problems }
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
      options.onStep?.('photos')
      await movePhotos(database.db, 'hashes', options)
      options.signal.throwIfAborted()
      const isOurs = await stopChanges()
      options.onStep?.('read-only')
      const finished = await database
        .snapshot((db) => finish(db, options))
        .catch((error: unknown) => (isOurs ? reopen(error) : Promise.reject(error)))
      // Told apart from a move under way: of that one a failure takes changes again, of this one nothing ever does.
      if (isOurs) await switchReadOnlyOn(database.db, now(), movedReason)
      return { ...finished, isResumed }
    },
  }
}

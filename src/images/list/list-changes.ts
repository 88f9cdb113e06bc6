// Continues reading the logs of what happened to images and people, and marks in the cached lists what must be reloaded.
//
// Every change of something that a list can show is recorded by its transaction: images in the outbox, names and addresses in
// the audit log. Both are append-only, and their positions have no gaps and are in commit order, whichever process commits.
// So anything that is not marked once both have been read to the end has not changed. If the next position is gone, because
// old events were deleted (EVENT_RETENTION_DAYS), everything is reloaded.
import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../database/database.ts'
import { findLogEnds, listImagesLogged, listPeopleLogged, type LogEnds } from './list-table.ts'

/** The kinds of marks in a list. */
export interface FollowedList {
  readonly trailId: number
  /** Whose images it has, or once had. */
  readonly submitters: Pick<ReadonlySet<number>, 'has'>
  /** Whether all of it was read, so that `submitters` is whole. */
  readonly isLoaded: boolean
  /** Images to read again. */
  readonly changed: Set<number>
  /** Accounts to read again. */
  readonly renamed: Set<number>
}

export interface ListChangesDependencies {
  readonly db: Db
  readonly lists: () => readonly FollowedList[]
  /** Called if there is too much to read: every list must be read again. */
  readonly forgetAll: () => void
}

const rowsAtOnce = 500
/** Beyond this lag, reading the lists again costs less than reading the changes. */
const maxBehind = 20_000

export function createListChanges({ db, lists, forgetAll }: ListChangesDependencies) {
  let seen: LogEnds | undefined
  let last: Promise<void> = Promise.resolve()

  async function markImages(after: number, until: number): Promise<void> {
    for (let position = after; position < until;) {
      const rows = await listImagesLogged(db, position, rowsAtOnce)
      if (rows[0]?.position !== position + 1) return forgetAll() // old events were deleted meanwhile
      const byTrail = Map.groupBy(rows, ({ trailId }) => trailId)
      for (const list of lists())
        for (const { imageId } of byTrail.get(list.trailId) ?? [])
          if (imageId !== null) list.changed.add(imageId)
      position = rows.at(-1)?.position ?? until
      if (position < until) await setImmediate()
    }
  }

  async function markPeople(after: number, until: number): Promise<void> {
    for (let position = after; position < until;) {
      const rows = await listPeopleLogged(db, position, rowsAtOnce)
      // Any change of the account: looking costs little, and a new action cannot be forgotten here.
      const accountIds = new Set(rows.map(({ accountId }) => accountId).filter((id) => id !== null))
      for (const list of lists())
        for (const id of accountIds) if (!list.isLoaded || list.submitters.has(id)) list.renamed.add(id)
      position = rows.at(-1)?.position ?? until
      if (position < until) await setImmediate()
    }
  }

  async function readOn(): Promise<void> {
    const ends = await findLogEnds(db)
    const behind = seen && [ends.images - seen.images, ends.people - seen.people]
    if (seen === undefined || behind?.some((count) => count < 0 || count > maxBehind)) {
      forgetAll()
    } else if (lists().length > 0) {
      await markImages(seen.images, ends.images)
      await markPeople(seen.people, ends.people)
    }
    seen = ends
  }

  return {
    /** Marks everything that was committed before this call, and perhaps more. */
    follow: (): Promise<void> => {
      last = last.catch(() => undefined).then(readOn) // one that began earlier may already have looked
      return last
    },

    /** Up to where the audit log was read. */
    people: (): number => seen?.people ?? 0,
  }
}

// Begins a transaction that runs alone, after numbering and committing all pending rows of others.
import type { ClientBase } from 'pg'
import type { Change } from '../../commits.ts'
import { beginAlone, lockSpace, writeLock } from './locks.ts'
import { numberingOf, readsForNumbering, resultsOf, unnumberedFrom, type Unnumbered } from './numbering.ts'

export interface ToldOfNumbers {
  /** The statement that notifies other nodes of a commit, and of what was numbered in it. */
  readonly notification: (change: Change, ids: readonly number[]) => string
  /** Called after each such commit. */
  readonly committed: (change: Change, ids: readonly number[]) => void
}

/** A session-level lock keeps others out between two of its transactions. */
const keep = `select pg_advisory_lock(${lockSpace}, ${writeLock})`
const release = `select pg_advisory_unlock(${lockSpace}, ${writeLock})`
const isThere = `select to_regclass('outbox_pending') is not null as "isThere"`

/** Before its migration, outbox_pending does not exist. @returns the pending rows. */
async function begin(client: ClientBase): Promise<Unnumbered | undefined> {
  const [found] = resultsOf(await client.query(`${beginAlone}; ${isThere}`)).slice(-1)
  if ((found?.rows[0] as { readonly isThere: unknown } | undefined)?.isThere !== 1) return undefined
  return unnumberedFrom(resultsOf(await client.query(readsForNumbering)))
}

/**
 * Pending rows of others are numbered in a transaction of their own, so that they stay numbered even if this one is rolled
 * back, and are visible to a snapshot that begins in the meantime.
 */
export function createBeginAlone({ notification, committed }: ToldOfNumbers) {
  let hasTable = false

  return async (client: ClientBase): Promise<void> => {
    let left = hasTable
      ? unnumberedFrom(resultsOf(await client.query(`${beginAlone}; ${readsForNumbering}`)))
      : await begin(client)
    hasTable = left !== undefined
    for (;;) {
      const numbering = left && numberingOf(left)
      if (!numbering) return
      const { text, change, ids } = numbering
      const again = `${keep}; ${notification(change, ids)}; commit; ${beginAlone}; ${release}; ${readsForNumbering}`
      left = unnumberedFrom(resultsOf(await client.query(`${text}; ${again}`)))
      committed(change, ids)
    }
  }
}

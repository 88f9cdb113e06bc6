// Begins a transaction that is alone, once everything is numbered and committed that others had left before it.
import type { ClientBase } from 'pg'
import type { Change } from '../../commits.ts'
import { beginAlone, lockSpace, writeLock } from './locks.ts'
import { numberingOf, readsForNumbering, resultsOf, unnumberedFrom, type Unnumbered } from './numbering.ts'

export interface ToldOfNumbers {
  /** The statement that tells other nodes of a commit, and of what was numbered in it. */
  readonly notification: (change: Change, ids: readonly number[]) => string
  /** Called after each such commit. */
  readonly committed: (change: Change, ids: readonly number[]) => void
}

/** A session's lock keeps the others out between two of its transactions. */
const keep = `select pg_advisory_lock(${lockSpace}, ${writeLock})`
const release = `select pg_advisory_unlock(${lockSpace}, ${writeLock})`
const isThere = `select to_regclass('outbox_pending') is not null as "isThere"`

/** Before its migration there is no table of what is left. @returns what is. */
async function begin(client: ClientBase): Promise<Unnumbered | undefined> {
  const [found] = resultsOf(await client.query(`${beginAlone}; ${isThere}`)).slice(-1)
  if ((found?.rows[0] as { readonly isThere: unknown } | undefined)?.isThere !== 1) return undefined
  return unnumberedFrom(resultsOf(await client.query(readsForNumbering)))
}

/**
 * What others have left is numbered in a transaction of its own, so that it holds whatever becomes of this one, and a
 * snapshot that somebody else begins meanwhile has it.
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

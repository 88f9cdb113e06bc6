// Begins a transaction that runs alone, after numbering and committing all pending rows of others.
import type { ClientBase } from 'pg'
import type { Change } from '../../commits.ts'
import { beginAlone, lockSpace, writeLock } from './locks.ts'
import {
  numberingOf,
  readsForNumbering,
  storeStatement,
  unnumberedFrom,
  type Unnumbered,
} from './numbering.ts'

export interface NumberingCallbacks {
  /** The statement that notifies other nodes of a commit. */
  readonly notification: (change: Change) => string
  /** What the notification of a commit says in which rows were numbered. */
  readonly payload: (change: Change, ids: readonly number[]) => string
  /** Called after each such commit. */
  readonly committed: (change: Change, ids: readonly number[]) => void
}

/** A session-level lock keeps others out between two of its transactions. */
const keep = `select pg_advisory_lock(${lockSpace}, ${writeLock})`
const release = `select pg_advisory_unlock(${lockSpace}, ${writeLock})`
const isThere = `select to_regclass('outbox_pending') is not null as "isThere"`

/** pg's types know of one statement in a text alone. @returns the rows of the last one. */
async function rowsOfLast(client: ClientBase, text: string): Promise<readonly object[]> {
  const results: unknown = await client.query(text)
  const last = (results as readonly { readonly rows: readonly object[] }[]).at(-1)
  return last?.rows ?? []
}

/** Before its migration, outbox_pending does not exist. @returns the pending rows. */
async function begin(client: ClientBase): Promise<Unnumbered | undefined> {
  const [found] = await rowsOfLast(client, `${beginAlone}; ${isThere}`)
  if ((found as { readonly isThere: unknown } | undefined)?.isThere !== 1) return undefined
  return unnumberedFrom((await client.query<object>(readsForNumbering)).rows)
}

/**
 * Pending rows of others are numbered in a transaction of their own, so that they stay numbered even if this one is rolled
 * back, and are visible to a snapshot that begins in the meantime.
 */
export function createBeginAlone({ payload, committed }: NumberingCallbacks) {
  let hasTable = false

  return async (client: ClientBase): Promise<void> => {
    let left = hasTable
      ? unnumberedFrom(await rowsOfLast(client, `${beginAlone}; ${readsForNumbering}`))
      : await begin(client)
    hasTable = left !== undefined
    for (;;) {
      const numbering = left && numberingOf(left)
      if (!numbering) return
      const { change, ids } = numbering
      const { text, values } = storeStatement(numbering, payload(change, ids))
      await client.query({ text, values: [...values] })
      const again = `${keep}; commit; ${beginAlone}; ${release}; ${readsForNumbering}`
      left = unnumberedFrom(await rowsOfLast(client, again))
      committed(change, ids)
    }
  }
}

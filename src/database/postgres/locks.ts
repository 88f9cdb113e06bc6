// The advisory locks of PostgreSQL: which transactions may write, and which of them in parallel. Each has two numbers.
import type { Key } from '../database.ts'

/** The first number of the locks that exist once in a database; the second says what the lock is for. */
export const lockSpace = 0x77_61_79 // 'way'
/** Exclusive for transactions that may touch anything, shared for those that have named their keys. */
export const writeLock = 1
/** Shared by all running nodes. */
export const servingLock = 2
/** Held while pending rows are numbered. */
export const numberingLock = 4

/** The first number of the lock of a key; the second is derived from its id. Keys that share a lock just wait for each other. */
const keySpaces = { account: 0x77_61_80, trail: 0x77_61_81, image: 0x77_61_82, content: 0x77_61_83 } as const

/** Below 2³¹: ids of 53 bits are random in all of them, and hashes are hexadecimal. */
function lockOf(key: Key): readonly [number, number] {
  const [kind = '', id = ''] = key.split(':')
  const space = keySpaces[kind as keyof typeof keySpaces]
  return [space, kind === 'content' ? Number.parseInt(id.slice(0, 7), 16) : Number(id) % 2_147_483_647]
}

/** Takes the write lock, alone over all nodes. */
export const beginAlone = `begin; select pg_advisory_xact_lock(${lockSpace}, ${writeLock})`

/** Prepared once on each connection. */
export interface NamedStatement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Transactions that run alone end before it or begin after it. If two try to number at once, one gets the lock. */
export const numberingLocks = `select pg_advisory_xact_lock_shared(${lockSpace}, ${writeLock}),
  pg_try_advisory_xact_lock(${lockSpace}, ${numberingLock}) as "hasLock"`

/**
 * In parallel with transactions that have other keys. Locks are always taken in the same order, to avoid deadlocks. Its commit
 * does not wait for the disk: the commit of the batch that numbers it does, for both, and only then is it acknowledged.
 */
export function sharedLocks(keys: readonly Key[]): NamedStatement {
  const locks = keys.map(lockOf).toSorted(([one, two], [three, four]) => one - three || two - four)
  const taken = locks.map((_lock, at) => `, pg_advisory_xact_lock($${2 * at + 1}, $${2 * at + 2})`)
  return {
    text: `select set_config('synchronous_commit', 'off', true),
      pg_advisory_xact_lock_shared(${lockSpace}, ${writeLock})${taken.join('')}`,
    values: locks.flat(),
  }
}

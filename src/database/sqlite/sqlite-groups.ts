// Group commit: transactions that wait at the same moment share one BEGIN … COMMIT, so that one fsync makes all durable.
import { setTimeout } from 'node:timers/promises'

/** How long a group collects transactions before the COMMIT, apart from the one that is running. */
export interface GroupBounds {
  readonly maxMembers: number
  readonly maxMs: number
}

export const groupBounds: GroupBounds = { maxMembers: 64, maxMs: 10 }

/** A statement that meets another program's write lock waits for it this long. */
const busyForMs = 5_000
const maxPauseMs = 10

/**
 * Waits for another program's lock without blocking the event loop, as SQLite's own wait would.
 * @param before what must have finished before each attempt.
 */
async function whenFree<T>(work: () => T, before: () => Promise<void> | undefined): Promise<T> {
  let until: number | undefined
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    for (let other = before(); other; other = before()) await other
    try {
      return work()
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EBUSY'
      until ??= performance.now() + busyForMs
      if (!isBusy || performance.now() > until) throw error
      await setTimeout(pauseMs)
    }
  }
}

/** One transaction within a group. */
export interface Member {
  /** Runs a statement. @throws if the transaction has ended: the statement would run outside it. */
  run<T>(statement: () => T): T
  /** Resolves once it is durable. */
  commit(): Promise<void>
  /**
   * Rolls back this member. Resolves once everything it may have read from other members is durable, so that nobody
   * gets an error ("already approved") about something that never happened; rejects with the reason if it never was.
   */
  rollback(): Promise<void>
}

type GroupText = 'begin immediate' | 'commit' | 'rollback'
type MemberText = 'savepoint member' | 'release member' | 'rollback to member'

export interface GroupDependencies {
  readonly bounds: GroupBounds
  readonly isInTransaction: () => boolean
  readonly run: (text: GroupText | MemberText) => void
  /** Called before each member begins; throws if nothing may be written any more. */
  readonly requireNoLoss: () => void
  /** Called after each COMMIT with the number of its members. */
  readonly committed: (members: number) => void
}

async function writeAsMember<T>(begun: Promise<Member>, statement: () => T): Promise<T> {
  const member = await begun
  try {
    const result = member.run(statement)
    await member.commit()
    return result
  } catch (error) {
    await member.rollback()
    throw error
  }
}

/**
 * Transactions begin at the end of the turn of the event loop in which they were asked for, one after the other:
 *
 *   begin immediate ─ first ─┬─ savepoint ─ second ─┬─ release ─────┬─ … ─ commit: all of them resolve
 *                            │                      └─ rollback to ─┘
 *                            └─ rollback, since nobody shares it yet
 *
 * The first has no savepoint, so that one alone costs what it always did. Where SQLite ends the transaction itself (a
 * full disk), or the COMMIT fails, every member that has ended rejects with that very failure, and nothing of it is there.
 */
export function createGroups(dependencies: GroupDependencies) {
  const { bounds, isInTransaction, run, requireNoLoss, committed } = dependencies
  /** What begins a transaction, each, and resolves once that is over. */
  const waiting: (() => Promise<void>)[] = []
  /** Members of the open transaction that have ended, and wait for the COMMIT. */
  let ended: PromiseWithResolvers<void>[] = []
  let isScheduled = false
  /** Resolves when the group that is at work is over. */
  let atWork: Promise<void> | undefined

  function takeEnded(): PromiseWithResolvers<void>[] {
    const taken = ended
    ended = []
    return taken
  }

  /** Ends the transaction without effect. The original error is reported, not one that occurs here. */
  function abandon(reason: unknown): void {
    try {
      if (isInTransaction()) run('rollback')
    } catch {
      // The next caller tries again before anything else.
    }
    for (const { reject } of takeEnded()) reject(reason)
  }

  function commitAll(): void {
    if (ended.length === 0) return
    try {
      run('commit')
    } catch (error) {
      abandon(error)
      return
    }
    committed(ended.length)
    for (const { resolve } of takeEnded()) resolve()
  }

  function requireClosed(): void {
    if (isInTransaction()) run('rollback')
  }

  /** @returns whether the member shares its transaction with others before it. */
  async function open(): Promise<boolean> {
    requireNoLoss()
    if (ended.length > 0) {
      run('savepoint member')
      return true
    }
    requireClosed()
    await whenFree(
      () => run('begin immediate'),
      () => undefined,
    )
    return false
  }

  function createMember(isSharing: boolean, over: () => void): Member {
    let isOver = false
    /** Why SQLite ended the transaction. */
    let fault: { readonly reason: unknown } | undefined

    function runOwn<T>(statement: () => T): T {
      if (isOver) throw new Error('The transaction is over.')
      if (fault) throw fault.reason
      try {
        return statement()
      } catch (error) {
        if (!isInTransaction()) {
          fault = { reason: error }
          abandon(error)
        }
        throw error
      }
    }

    function end(): void {
      isOver = true
      over()
    }

    async function endWithOthers(): Promise<void> {
      const durable = Promise.withResolvers<void>()
      ended.push(durable)
      end()
      await durable.promise
    }

    return {
      run: runOwn,
      commit: async () => {
        runOwn(() => isSharing && run('release member'))
        await endWithOthers()
      },
      rollback: async () => {
        if (isOver) return
        if (!isSharing || fault) {
          abandon(fault?.reason)
          end()
          return
        }
        try {
          run('rollback to member')
          run('release member')
        } catch (error) {
          abandon(error)
          end()
          throw error
        }
        await endWithOthers()
      },
    }
  }

  async function work(begun: PromiseWithResolvers<Member>): Promise<void> {
    const over = Promise.withResolvers<void>()
    try {
      begun.resolve(createMember(await open(), over.resolve))
    } catch (error) {
      if (!isInTransaction()) abandon(error)
      begun.reject(error)
      return
    }
    await over.promise
  }

  /** A write without a transaction. If nobody else is writing, SQLite gives it one of its own. */
  async function write<T>(statement: () => T, done: PromiseWithResolvers<T>): Promise<void> {
    if (ended.length > 0 || waiting.length > 0) {
      const begun = Promise.withResolvers<Member>()
      done.resolve(writeAsMember(begun.promise, statement))
      await work(begun)
      return
    }
    try {
      requireNoLoss()
      requireClosed()
      const writeAndTell = (): T => {
        const result = statement()
        committed(1)
        return result
      }
      done.resolve(await whenFree(writeAndTell, () => undefined))
    } catch (error) {
      done.reject(error)
    }
  }

  async function workThrough(): Promise<void> {
    const until = performance.now() + bounds.maxMs
    for (let members = 1; members <= bounds.maxMembers; members += 1) {
      const next = waiting.shift()
      if (next === undefined) break
      await next()
      if (performance.now() > until) break
    }
    commitAll()
    atWork = undefined
    schedule()
  }

  function schedule(): void {
    if (isScheduled || atWork || waiting.length === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      atWork = workThrough()
    })
  }

  const openGroup = (): Promise<void> | undefined => (isInTransaction() ? atWork : undefined)

  const nextGroup = (): Promise<unknown> | undefined =>
    atWork ?? (waiting.length > 0 ? new Promise(setImmediate) : undefined)

  function wait<T>(begin: (done: PromiseWithResolvers<T>) => Promise<void>): Promise<T> {
    const done = Promise.withResolvers<T>()
    waiting.push(() => begin(done))
    schedule()
    return done.promise
  }

  return {
    /** Waits for the turn of a new transaction. */
    begin: (): Promise<Member> => wait(work),

    /** Runs a single statement as a transaction. Resolves once it is durable. */
    write: <T>(statement: () => T): Promise<T> => wait((done) => write(statement, done)),

    /** Runs what only reads, or cannot be in a transaction: when no group is open, so that it sees what is committed. */
    alone: <T>(statement: () => T): Promise<T> =>
      whenFree(() => {
        requireClosed()
        return statement()
      }, openGroup),

    /** Resolves once everything that has been begun or waits is over. */
    settled: async (): Promise<void> => {
      for (let group = nextGroup(); group; group = nextGroup()) await group
    },
  }
}

export type Groups = ReturnType<typeof createGroups>

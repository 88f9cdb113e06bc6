// Group commit on PostgreSQL: transactions of this node that wait at the same time share one lock, one commit and one NOTIFY,
// so that one fsync makes all of them durable (decision 0068 does the same for SQLite).
import type { Pool } from 'pg'
import { joined, type Change } from '../../commits.ts'
import { createBeginAlone, type NumberingCallbacks } from './begin-alone.ts'
import { borrow, type Lent } from './connections.ts'
import { endsConnection, inSystemTerms } from './errors.ts'

export interface GroupBounds {
  /** Snapshots can cheaply see up to 64 savepoints of a transaction in PostgreSQL. */
  readonly maxMembers: number
  /** No further member begins after this time. */
  readonly maxMs: number
  /** Maximum wait here, in addition to the wait in the database. Undefined for work that may wait. */
  readonly maxWaitMs: number | undefined
}

export const groupBounds: GroupBounds = { maxMembers: 32, maxMs: 20, maxWaitMs: 1_000 }

/** One transaction in a group. It has the connection for itself until it ends. */
export interface Member {
  readonly lent: Lent
  /** Resolves once it is durable. */
  commit(written: { readonly change: Change; readonly hasWritten: boolean }): Promise<void>
  /**
   * Undoes what this one did. Resolves once everything it may have seen of other members is durable; rejects if that
   * failed.
   * @param isBroken whether the connection must not be used any more.
   */
  rollback(isBroken: boolean): Promise<void>
}

export interface WriterGroupsDependencies extends NumberingCallbacks {
  readonly pool: Pool
  readonly bounds: GroupBounds
  /** Called where a connection was lost, and whether it has committed is not known. */
  readonly unsure: () => void
}

interface Waiter {
  readonly begun: PromiseWithResolvers<Member>
  readonly alarm: NodeJS.Timeout | undefined
}

interface Group {
  readonly lent: Lent
  /** Members that have ended and wait for the commit. */
  readonly ended: PromiseWithResolvers<void>[]
  change: Change
  hasWritten: boolean
  hasSavepoint: boolean
  /** Nothing more of the group will be committed. */
  isOver: boolean
  isBroken: boolean
}

const tooMany = (): Error =>
  Object.assign(new Error('Too many requests are waiting to write to the database.'), { code: 'EBUSY' })

/** Runs one of our own statements on the group's connection. */
async function say({ lent }: Pick<Group, 'lent'>, text: string): Promise<unknown> {
  try {
    return await lent.client.query(text)
  } catch (error) {
    throw inSystemTerms(error)
  }
}

/** Rolls back the whole group. Errors of the rollback itself are not reported, only the reason, if it is not by intent. */
async function abandon(group: Group, reason: unknown): Promise<void> {
  group.isOver = true
  group.isBroken ||= reason !== undefined && endsConnection(reason)
  if (!group.isBroken)
    await say(group, 'rollback').catch(() => {
      group.isBroken = true
    })
  for (const { reject } of group.ended.splice(0)) reject(reason)
}

/**
 *   begin; lock; number what is left ─ first ─┬─ savepoint ─ second ─┬─ … ─ notify; commit: all of them resolve
 *                                             │                      └─ rollback to it
 *                                             └─ rollback, since nobody shares it yet
 *
 * The first has no savepoint, so a single transaction costs no more than without groups.
 */
export function createWriterGroups(dependencies: WriterGroupsDependencies) {
  const { pool, bounds, notification, committed, unsure } = dependencies
  const beginAlone = createBeginAlone(dependencies)
  const waiting = new Set<Waiter>()
  let isAtWork = false

  function takeNext(): Waiter | undefined {
    const [next] = waiting
    if (next === undefined) return undefined
    waiting.delete(next)
    clearTimeout(next.alarm)
    return next
  }

  async function open(): Promise<Group> {
    let lent: Lent | undefined
    try {
      lent = await borrow(pool)
      await beginAlone(lent.client)
    } catch (error) {
      lent?.release(true) // it is not known whether the transaction has begun
      if (lent && endsConnection(error)) unsure()
      throw inSystemTerms(error)
    }
    return {
      lent,
      ended: [],
      change: new Set(),
      hasWritten: false,
      hasSavepoint: false,
      isOver: false,
      isBroken: false,
    }
  }

  async function commitAll(group: Group): Promise<void> {
    const { change, hasWritten } = group
    try {
      await say(group, hasWritten ? `${notification(change)}; commit` : 'commit')
    } catch (error) {
      if (endsConnection(error)) unsure()
      return abandon(group, error)
    }
    if (hasWritten) committed(change, [])
    for (const { resolve } of group.ended.splice(0)) resolve()
  }

  function createMember(group: Group, over: () => void): Member {
    const endWithOthers = (): Promise<void> => {
      const durable = Promise.withResolvers<void>()
      group.ended.push(durable)
      over()
      return durable.promise
    }
    return {
      lent: group.lent,
      commit: ({ change, hasWritten }) => {
        group.change = joined(group.change, change)
        group.hasWritten ||= hasWritten
        return endWithOthers()
      },
      rollback: async (isBroken) => {
        try {
          if (isBroken)
            await abandon(group, inSystemTerms(new Error('The connection to the database was lost.')))
          else if (group.hasSavepoint) await say(group, 'rollback to savepoint member')
          else await abandon(group, undefined)
        } catch (error) {
          await abandon(group, error)
          over()
          throw error
        }
        if (!group.isOver) return endWithOthers()
        over()
      },
    }
  }

  async function runMember(group: Group, { begun }: Waiter): Promise<void> {
    const over = Promise.withResolvers<void>()
    if (group.ended.length > 0) {
      try {
        await say(
          group,
          group.hasSavepoint ? 'release savepoint member; savepoint member' : 'savepoint member',
        )
      } catch (error) {
        begun.reject(error)
        return abandon(group, error)
      }
      group.hasSavepoint = true
    }
    begun.resolve(createMember(group, over.resolve))
    await over.promise
  }

  async function runGroup(): Promise<void> {
    let group: Group
    try {
      group = await open()
    } catch (error) {
      for (let next = takeNext(); next; next = takeNext()) next.begun.reject(error) // they would fail in the same way
      return
    }
    const until = performance.now() + bounds.maxMs
    for (let members = 0; members < bounds.maxMembers && !group.isOver; members += 1) {
      const next = members > 0 && performance.now() > until ? undefined : takeNext()
      if (next === undefined) break
      await runMember(group, next)
    }
    if (!group.isOver) await commitAll(group)
    group.lent.release(group.isBroken)
  }

  async function workThrough(): Promise<void> {
    isAtWork = true
    while (waiting.size > 0) await runGroup()
    isAtWork = false
  }

  return {
    /** Waits until a new transaction may begin. @throws Error with code EBUSY if that takes too long. */
    begin: (): Promise<Member> => {
      const begun = Promise.withResolvers<Member>()
      const giveUp = (): void => {
        waiting.delete(waiter)
        begun.reject(tooMany())
      }
      const { maxWaitMs } = bounds
      const alarm = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs)
      const waiter: Waiter = { begun, alarm }
      waiting.add(waiter)
      if (!isAtWork) void workThrough()
      return begun.promise
    },
  }
}

export type WriterGroups = ReturnType<typeof createWriterGroups>

// kysely's driver for PostgreSQL: which transactions write, alone or in parallel, and what each commit reports.
//
// Every rule that reads before it writes (quotas, one winner of two decisions, garbage collection during an upload) was made
// for one writer at a time, as on SQLite. So a transaction that writes runs alone over all nodes, by an advisory lock at
// BEGIN, and those of one node that wait for the lock share it (writer-groups.ts). Only transactions that name the keys of
// everything they rely on run in parallel (database.ts), and leave to the sequencer what must be sequential.
import { randomInt } from 'node:crypto'
import { CompiledQuery, type Driver, type QueryResult } from 'kysely'
import type { Pool } from 'pg'
import { isTouch, type BeginWritten } from '../written.ts'
import { keysOf, type Db, type Key, type WriterWait } from '../database.ts'
import { leftBy } from '../left.ts'
import { readOnlyQuery } from '../read-only.ts'
import { isEach, laterOf } from '../together.ts'
import { endPool } from './connections.ts'
import { createEach } from './each.ts'
import { inSystemTerms } from './errors.ts'
import { createSending, type Lease, type Side } from './lease.ts'
import { sharedLocks } from './locks.ts'
import { leaveStatement, writeNote } from './numbering.ts'
import type { PreparedNames } from './prepared-names.ts'
import type { Sequencer } from './sequencer.ts'
import type { WriterGroups } from './writer-groups.ts'
import type { WriterPlaces } from './writer-places.ts'

/** Reads everything as of one point in time; writers do not wait for it. */
const beginSnapshot = 'begin isolation level repeatable read, read only'
/** The maximum range of randomInt. */
const maxToken = 2 ** 48 - 1

const writes: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])

/** Whether a statement may change anything; raw ones are judged by their first word. */
const mayWrite = ({ query, sql }: CompiledQuery): boolean =>
  writes.has(query.kind) || (query.kind === 'RawNode' && !/^\s*(?:select|show|with)\b/i.test(sql))

/** Waits for all, and only then fails with the first that failed: nothing is under way any more. */
async function allOf(sent: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(sent)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

export interface Sides {
  readonly sequencer: Sequencer
  readonly places: WriterPlaces
}

export interface PostgresDriverDependencies {
  readonly pool: Pool
  readonly names: PreparedNames
  readonly beginWritten: BeginWritten
  /** For transactions that write alone; undefined if transactions only read, each as of one point in time. */
  readonly groups: WriterGroups | undefined
  /** For transactions that write in parallel; undefined if there are none. */
  readonly sides?: Sides
  /** Called at the begin of each transaction that may write. */
  readonly waited?: (wait: WriterWait) => void
}

export function createPostgresDriver(dependencies: PostgresDriverDependencies): Driver {
  const { pool, names, beginWritten, groups, sides, waited } = dependencies
  const { lend, say, sendNamed, run, release } = createSending(pool, names)

  /** Removes the transaction from the lease. */
  function forget(lease: Lease): void {
    lease.side?.leave()
    lease.side = undefined
    lease.member = undefined
    lease.isInTransaction = false
    lease.each = undefined
  }

  /** Commits in one message with its last statements and its pending row. @returns a function that waits for its number. */
  async function commitShared(lease: Lease, { left, sequencer }: Side): Promise<() => Promise<void>> {
    if (!lease.hasWritten && left.length === 0) {
      await say(lease, 'commit')
      return sequencer.settled // a transaction that wrote nothing may still acknowledge what others have written
    }
    const token = randomInt(maxToken)
    const note = writeNote(token, left, lease.written.change())
    const expected = sequencer.expect(token) // another node may number it before the response to the commit arrives here
    try {
      await allOf([...lease.sent, sendNamed(lease, leaveStatement(note)), say(lease, 'commit')])
    } catch (error) {
      expected.giveUp()
      throw error
    }
    return expected.numbered
  }

  async function endTransaction(lease: Lease): Promise<void> {
    const { member, side, hasWritten, written } = lease
    if (member) {
      forget(lease)
      return member.commit({ change: written.change(), hasWritten })
    }
    if (side === undefined) {
      await say(lease, 'commit')
      return forget(lease)
    }
    const numbered = await commitShared(lease, side)
    forget(lease)
    release(lease) // waiting for a number needs no connection
    await numbered()
  }

  async function undo(lease: Lease): Promise<void> {
    const { member, isInTransaction, isBroken } = lease
    forget(lease)
    if (member) return member.rollback(isBroken)
    // One that is broken ends with its connection; and after a commit that nobody numbered there is none any more.
    if (!isInTransaction || isBroken) return
    // It is not run where one of the same message has failed: then the transaction is still open, and ends with its connection.
    await say(lease, 'rollback').catch(() => {
      lease.isBroken = true
    })
  }

  /** Nobody waits for its locks here: the first statement is sent with them. */
  async function beginSide(lease: Lease, keys: readonly Key[], { sequencer, places }: Sides): Promise<void> {
    const since = performance.now()
    const hear = (hasBegun: boolean): void => waited?.({ ms: performance.now() - since, hasBegun })
    let leavePlace = (): void => undefined
    try {
      leavePlace = await places.take()
      await lend(lease).catch((error: unknown) => Promise.reject(inSystemTerms(error)))
    } catch (error) {
      leavePlace()
      hear(false)
      throw error
    }
    lease.isInTransaction = true
    void say(lease, 'begin').catch(() => undefined) // its failure is that of all that follow
    const locked = sendNamed(lease, sharedLocks(keys))
    const readOnly = run(lease, CompiledQuery.raw(readOnlyQuery)).then(({ rows }) => rows)
    readOnly.catch(() => undefined) // the caller that awaits it gets the error
    locked.then(
      () => hear(true),
      () => hear(false),
    )
    const end = sequencer.enter()
    const leave = (): void => {
      leavePlace()
      end()
    }
    lease.side = { left: [], readOnly, sequencer, leave }
  }

  async function beginAlone(lease: Lease, from: WriterGroups): Promise<void> {
    lease.member = await from.begin()
    lease.isInTransaction = true
  }

  /** A transaction that did not get the lock in time counts as failed. */
  async function beginWaiting(lease: Lease, from: WriterGroups): Promise<void> {
    const since = performance.now()
    let hasBegun = false
    try {
      await beginAlone(lease, from)
      hasBegun = true
    } finally {
      waited?.({ ms: performance.now() - since, hasBegun })
    }
  }

  async function beginWriting(lease: Lease, from: WriterGroups): Promise<void> {
    const { keys } = lease
    lease.keys = undefined
    await (keys && sides ? beginSide(lease, keys, sides) : beginWaiting(lease, from))
    lease.written = beginWritten()
  }

  async function beginIn(lease: Lease): Promise<void> {
    lease.hasWritten = false
    lease.failure = undefined
    lease.sent.length = 0
    if (groups) return beginWriting(lease, groups)
    await say(lease, beginSnapshot)
    lease.isInTransaction = true
  }

  async function runAlone(lease: Lease, query: CompiledQuery): Promise<QueryResult<unknown>> {
    await beginIn(lease)
    lease.hasWritten = true
    lease.written.note(query)
    let result: QueryResult<unknown>
    try {
      result = await run(lease, query)
    } catch (error) {
      await undo(lease).catch(() => undefined) // report the first failure
      throw error
    }
    await endTransaction(lease)
    return result
  }

  /** For statements that are sent without waiting for each other; of a transaction, until it ends. */
  function createEachOf(lease: Lease): Db {
    const { isInTransaction } = lease
    const each: Db = createEach(async (query) => {
      if (isInTransaction && lease.each !== each) throw new Error('The transaction is over.')
      return lease.executeQuery(query)
    })
    return each
  }

  async function sendLater(lease: Lease, query: CompiledQuery): Promise<QueryResult<unknown>> {
    const sent = lease.executeQuery(query)
    if (!lease.side) return sent
    sent.catch(() => undefined) // the commit fails with it
    lease.sent.push(sent)
    return { rows: [] }
  }

  function createLease(): Lease {
    const execute = async (query: CompiledQuery): Promise<QueryResult<unknown>> => {
      const left = leftBy(query)
      if (left) {
        lease.side?.left.push(left)
        return { rows: lease.side ? [left] : [] }
      }
      const keys = keysOf(query)
      if (keys) {
        lease.keys = keys
        return { rows: [] }
      }
      if (lease.side && query.sql === readOnlyQuery) return { rows: [...(await lease.side.readOnly)] }
      if (isEach(query)) return { rows: [(lease.each ??= createEachOf(lease))] }
      const late = laterOf(query)
      if (late) return sendLater(lease, late)
      if (isTouch(query) && !lease.isInTransaction) return { rows: [] } // a single write is reported by its table
      if (!mayWrite(query)) return run(lease, query)
      if (!lease.isInTransaction) return runAlone(lease, query)
      if (lease.written.note(query)) return { rows: [] }
      lease.hasWritten = true
      return run(lease, query)
    }
    const lease: Lease = {
      lent: undefined,
      isInTransaction: false,
      hasWritten: false,
      written: beginWritten(),
      isBroken: false,
      failure: undefined,
      sent: [],
      each: undefined,
      lending: undefined,
      member: undefined,
      keys: undefined,
      side: undefined,
      executeQuery: <Row>(query: CompiledQuery) => execute(query) as Promise<QueryResult<Row>>,
      streamQuery: async function* <Row>(query: CompiledQuery) {
        yield (await execute(query)) as QueryResult<Row>
      },
    }
    return lease
  }

  return {
    init: async () => undefined,
    acquireConnection: async () => createLease(),
    beginTransaction: (connection) => beginIn(connection as Lease),
    commitTransaction: (connection) => endTransaction(connection as Lease),
    rollbackTransaction: (connection) => undo(connection as Lease),
    releaseConnection: async (connection) => {
      const lease = connection as Lease
      if (lease.member ?? lease.side) await undo(lease).catch(() => undefined) // an unfinished one must not hold up others
      // A connection with remains of a transaction whose BEGIN failed halfway must not be used again.
      release(lease)
    },
    destroy: () => endPool(pool),
  }
}

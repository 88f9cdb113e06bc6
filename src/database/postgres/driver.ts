// kysely's driver for PostgreSQL: which transactions write, alone or in parallel, and what each commit reports.
//
// Every rule that reads before it writes (quotas, one winner of two decisions, garbage collection during an upload) was made
// for one writer at a time, as on SQLite. So a transaction that writes runs alone over all nodes, by an advisory lock at
// BEGIN, and those of one node that wait for the lock share it (writer-groups.ts). Only transactions that name the keys of
// everything they rely on run in parallel (database.ts), and leave to the sequencer what must be sequential.
import { randomInt } from 'node:crypto'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { escapeLiteral, type Pool } from 'pg'
import { isTouch, type BeginWritten, type Written } from '../written.ts'
import { keysOf, type Key, type WriterWait } from '../database.ts'
import { leftBy, type Left } from '../left.ts'
import { readOnlyQuery } from '../read-only.ts'
import { borrow, endPool, type Lent } from './connections.ts'
import { endsConnection, inSystemTerms } from './errors.ts'
import { beginShared } from './locks.ts'
import { resultsOf, writeTold } from './numbering.ts'
import type { PreparedNames } from './prepared-names.ts'
import type { Sequencer } from './sequencer.ts'
import type { Member, WriterGroups } from './writer-groups.ts'
import type { WriterPlaces } from './writer-places.ts'

/** Reads everything as of one point in time; writers do not wait for it. */
const beginSnapshot = 'begin isolation level repeatable read, read only'
/** The maximum range of randomInt. */
const maxToken = 2 ** 48 - 1

const writes: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])

/** Whether a statement may change anything; raw ones are judged by their first word. */
const mayWrite = ({ query, sql }: CompiledQuery): boolean =>
  writes.has(query.kind) || (query.kind === 'RawNode' && !/^\s*(?:select|show|with)\b/i.test(sql))

/**
 * PostgreSQL cannot store NaN in our columns, or a text with U+0000. So no stored value is equal to them, as none is to null:
 * a search for one finds nothing, as on SQLite.
 */
const bound = (value: unknown): unknown =>
  Number.isNaN(value) || (typeof value === 'string' && value.includes('\0')) ? null : value

/** A transaction side by side with others. */
interface Side {
  readonly left: Left[]
  /** The switch of read-only, as it stands until the end. */
  readonly readOnly: readonly unknown[]
  readonly sequencer: Sequencer
  readonly leave: () => void
}

export interface Sides {
  readonly sequencer: Sequencer
  readonly places: WriterPlaces
}

interface Lease extends DatabaseConnection {
  lent: Lent | undefined
  isInTransaction: boolean
  hasWritten: boolean
  written: Written
  isBroken: boolean
  /** Of a transaction that runs alone, on the connection of its group. */
  member: Member | undefined
  /** What the next transaction relies on, if it is to run in parallel. */
  keys: readonly Key[] | undefined
  side: Side | undefined
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

  /** Runs one of our statements; after a failure of the connection, it is never used again. */
  async function ask<T>(lease: Lease, work: (lent: Lent) => Promise<T>): Promise<T> {
    if (lease.isBroken) throw inSystemTerms(new Error('The connection to the database was lost.'))
    try {
      return await work(lease.member?.lent ?? (lease.lent ??= await borrow(pool)))
    } catch (error) {
      lease.isBroken ||= endsConnection(error)
      throw inSystemTerms(error)
    }
  }

  const run = (lease: Lease, query: CompiledQuery): Promise<QueryResult<unknown>> =>
    ask(lease, async ({ client }) => {
      const { rows, rowCount, command } = await client.query<object>({
        text: query.sql,
        values: query.parameters.map(bound),
        name: names.nameOf(query.sql),
      })
      const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE'
      return isWrite ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
    })

  const say = (lease: Lease, text: string): Promise<unknown> => ask(lease, ({ client }) => client.query(text))

  function giveBack(lease: Lease): void {
    lease.lent?.giveBack(lease.isBroken || lease.isInTransaction)
    lease.lent = undefined
  }

  /** Removes the transaction from the lease. */
  function forget(lease: Lease): void {
    lease.side?.leave()
    lease.side = undefined
    lease.member = undefined
    lease.isInTransaction = false
  }

  /** Commits in one message with its pending row. @returns a function that waits until that is numbered. */
  async function commitShared(lease: Lease, { left, sequencer }: Side): Promise<() => Promise<void>> {
    if (!lease.hasWritten && left.length === 0) {
      await say(lease, 'commit')
      return sequencer.settled // a transaction that wrote nothing may still acknowledge what others have written
    }
    const token = randomInt(maxToken)
    const told = escapeLiteral(writeTold(token, left, lease.written.change()))
    const expected = sequencer.expect(token) // another node may number it before the response to the commit arrives here
    try {
      await say(lease, `insert into outbox_pending (told) values (${told}); commit`)
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
    giveBack(lease) // waiting for a number needs no connection
    await numbered()
  }

  async function undo(lease: Lease): Promise<void> {
    const { member, isInTransaction, isBroken } = lease
    forget(lease)
    if (member) return member.rollback(isBroken)
    // One that is broken ends with its connection; and after a commit that nobody numbered there is none any more.
    if (isInTransaction && !isBroken) await say(lease, 'rollback')
  }

  async function beginSide(lease: Lease, keys: readonly Key[], { sequencer, places }: Sides): Promise<void> {
    const leavePlace = await places.take()
    let readOnly: readonly unknown[]
    try {
      lease.isInTransaction = true
      readOnly = resultsOf(await say(lease, beginShared(keys))).at(-1)?.rows ?? []
    } catch (error) {
      leavePlace()
      throw error
    }
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
  async function beginWriting(lease: Lease, from: WriterGroups): Promise<void> {
    const since = performance.now()
    let hasBegun = false
    try {
      const { keys } = lease
      lease.keys = undefined
      await (keys && sides ? beginSide(lease, keys, sides) : beginAlone(lease, from))
      lease.written = beginWritten()
      hasBegun = true
    } finally {
      waited?.({ ms: performance.now() - since, hasBegun })
    }
  }

  async function beginIn(lease: Lease): Promise<void> {
    lease.hasWritten = false
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

  function lend(): Lease {
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
      if (lease.side && query.sql === readOnlyQuery) return { rows: [...lease.side.readOnly] }
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
    acquireConnection: async () => lend(),
    beginTransaction: (connection) => beginIn(connection as Lease),
    commitTransaction: (connection) => endTransaction(connection as Lease),
    rollbackTransaction: (connection) => undo(connection as Lease),
    releaseConnection: async (connection) => {
      const lease = connection as Lease
      if (lease.member ?? lease.side) await undo(lease).catch(() => undefined) // an unfinished one must not hold up others
      // A connection with remains of a transaction whose BEGIN failed halfway must not be used again.
      giveBack(lease)
    },
    destroy: () => endPool(pool),
  }
}

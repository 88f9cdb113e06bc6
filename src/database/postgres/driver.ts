// kysely's driver of PostgreSQL. Whoever writes is a member of a group, which has the one right to write over all nodes.
//
// Every rule of ours that reads before it writes (gap-free positions of the outbox, the chain of the history, quotas,
// one winner of two decisions, the sweep beside an upload) was made for one writer at a time, as SQLite has it. An
// advisory lock at BEGIN keeps that promise over all nodes: each statement after it sees all that was committed before.
// Those of one node that wait for it share it (writer-groups.ts).
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { Pool } from 'pg'
import { isTouch, type BeginWritten, type Written } from '../written.ts'
import type { WriterWait } from '../database.ts'
import { borrow, endPool, type Lent } from './connections.ts'
import { endsConnection, inSystemTerms } from './errors.ts'
import type { PreparedNames } from './prepared-names.ts'
import type { Member, WriterGroups } from './writer-groups.ts'

/** Advisory locks have two numbers: that of Waymark, and what the lock is for. */
export const lockSpace = 0x77_61_79 // 'way'
export const writeLock = 1
/** Held by every node that serves, shared. */
export const servingLock = 2
export const migrationLock = 3

export const beginWriting = `begin; select pg_advisory_xact_lock(${lockSpace}, ${writeLock})`
/** All of one moment; whoever writes does not wait for it. */
const beginSnapshot = 'begin isolation level repeatable read, read only'

const writes: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])

/** Whether a statement may change anything: for raw ones, by how they begin. */
const mayWrite = ({ query, sql }: CompiledQuery): boolean =>
  writes.has(query.kind) || (query.kind === 'RawNode' && !/^\s*(?:select|show|with)\b/i.test(sql))

/**
 * What is no number, and a text with U+0000 in it, PostgreSQL cannot hold: so nothing that is stored is equal to it, as
 * nothing is to null. Whoever looks for it finds nothing, as with SQLite.
 */
const bound = (value: unknown): unknown =>
  Number.isNaN(value) || (typeof value === 'string' && value.includes('\0')) ? null : value

interface Lease extends DatabaseConnection {
  lent: Lent | undefined
  isInTransaction: boolean
  hasWritten: boolean
  written: Written
  isBroken: boolean
  /** Of a transaction that may write, on the connection of its group. */
  member: Member | undefined
}

export interface PostgresDriverDependencies {
  readonly pool: Pool
  readonly names: PreparedNames
  readonly beginWritten: BeginWritten
  /** Of whoever writes; undefined where transactions only read, all of them as it is at one moment. */
  readonly groups: WriterGroups | undefined
  /** Called at the begin of each transaction that may write. */
  readonly waited?: (wait: WriterWait) => void
}

export function createPostgresDriver(dependencies: PostgresDriverDependencies): Driver {
  const { pool, names, beginWritten, groups, waited } = dependencies

  /** Runs one of our statements; after a failure of the way, the connection is never used again. */
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

  async function endTransaction(lease: Lease): Promise<void> {
    const { member, hasWritten, written } = lease
    if (member) {
      leave(lease)
      return member.commit({ change: written.change(), hasWritten })
    }
    await say(lease, 'commit')
    lease.isInTransaction = false
  }

  async function undo(lease: Lease): Promise<void> {
    const { member } = lease
    if (member) {
      leave(lease)
      return member.rollback()
    }
    lease.isInTransaction = false
    if (!lease.isBroken) await say(lease, 'rollback') // else it ends with its connection
  }

  /** The connection is the group's again. */
  function leave(lease: Lease): void {
    lease.isInTransaction = false
    lease.member = undefined
  }

  /** Until it is ended in good order it counts as begun: what waited for the lock in vain is a transaction that failed. */
  async function beginWritingIn(lease: Lease, from: WriterGroups): Promise<void> {
    const since = performance.now()
    let hasBegun = false
    try {
      lease.member = await from.begin()
      lease.written = beginWritten()
      lease.isInTransaction = true
      hasBegun = true
    } finally {
      waited?.({ ms: performance.now() - since, hasBegun })
    }
  }

  async function beginIn(lease: Lease): Promise<void> {
    lease.hasWritten = false
    if (groups) return beginWritingIn(lease, groups)
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
      await undo(lease).catch(() => undefined) // the first failure is the one to tell
      throw error
    }
    await endTransaction(lease)
    return result
  }

  function lend(): Lease {
    const execute = async (query: CompiledQuery): Promise<QueryResult<unknown>> => {
      if (isTouch(query) && !lease.isInTransaction) return { rows: [] } // a single write tells by its table
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
      if (lease.member) await undo(lease).catch(() => undefined) // one that nobody has ended must not hold up the others
      // Whatever is left of a transaction, after a begin that failed half-way, must not be lent to the next.
      lease.lent?.giveBack(lease.isBroken || lease.isInTransaction)
      lease.lent = undefined
    },
    destroy: () => endPool(pool),
  }
}

// What kysely takes for a connection to PostgreSQL, and how statements are sent on it.
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { Pool } from 'pg'
import type { Db, Key } from '../database.ts'
import type { Left } from '../left.ts'
import type { Written } from '../written.ts'
import { borrow, type Lent } from './connections.ts'
import { endsConnection, inSystemTerms, isConsequence } from './errors.ts'
import type { NamedStatement } from './locks.ts'
import { ask as askOn } from './messages.ts'
import type { PreparedNames } from './prepared-names.ts'
import type { Sequencer } from './sequencer.ts'
import type { Member } from './writer-groups.ts'

/**
 * PostgreSQL cannot store NaN in our columns, or a text with U+0000. So no stored value is equal to them, as none is to null:
 * a search for one finds nothing, as on SQLite.
 */
const bound = (value: unknown): unknown =>
  Number.isNaN(value) || (typeof value === 'string' && value.includes('\0')) ? null : value

/** A transaction side by side with others. */
export interface Side {
  readonly left: Left[]
  /** The switch of read-only, as it stands until the end; once the transaction has its locks. */
  readonly readOnly: Promise<readonly unknown[]>
  readonly sequencer: Sequencer
  readonly leave: () => void
}

export interface Lease extends DatabaseConnection {
  lent: Lent | undefined
  /** Under way. */
  lending: Promise<Lent> | undefined
  isInTransaction: boolean
  hasWritten: boolean
  written: Written
  isBroken: boolean
  /** Why a statement of the transaction failed: those that were sent after it fail because of it. */
  failure: unknown
  /** Statements that were sent, and whose results nobody awaits before the commit. */
  readonly sent: Promise<unknown>[]
  /** What statements are asked through that may be sent together. */
  each: Db | undefined
  /** Of a transaction that runs alone, on the connection of its group. */
  member: Member | undefined
  /** What the next transaction relies on, if it is to run in parallel. */
  keys: readonly Key[] | undefined
  side: Side | undefined
}

export function createSending(pool: Pool, names: PreparedNames) {
  /** Runs one of our statements; after a failure of the connection, it is never used again. */
  async function ask<T>(lease: Lease, work: (lent: Lent) => Promise<T>): Promise<T> {
    if (lease.isBroken) throw inSystemTerms(new Error('The connection to the database was lost.'))
    // PostgreSQL would refuse it too, but not where the transaction did not even begin.
    if (lease.side && lease.failure !== undefined) throw inSystemTerms(lease.failure)
    try {
      return await work(lease.member?.lent ?? lease.lent ?? (await lend(lease)))
    } catch (error) {
      lease.isBroken ||= endsConnection(error)
      lease.failure ??= error
      throw inSystemTerms(isConsequence(error) ? lease.failure : error)
    }
  }

  /** A connection of its own, which it keeps until it releases it. */
  async function lend(lease: Lease): Promise<Lent> {
    lease.lending ??= borrow(pool).finally(() => (lease.lending = undefined))
    lease.lent = await lease.lending
    return lease.lent
  }

  const sendNamed = (lease: Lease, { text, values }: NamedStatement) =>
    ask(lease, ({ client }) => askOn(client, { text, values, name: names.nameOf(text) }))

  const say = (lease: Lease, text: string) => sendNamed(lease, { text, values: [] })

  async function run(lease: Lease, query: CompiledQuery): Promise<QueryResult<unknown>> {
    const { rows, rowCount, command } = await sendNamed(lease, {
      text: query.sql,
      values: query.parameters.map(bound),
    })
    const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE'
    return isWrite ? { rows, numAffectedRows: BigInt(rowCount) } : { rows }
  }

  function release(lease: Lease): void {
    lease.lent?.release(lease.isBroken || lease.isInTransaction)
    lease.lent = undefined
  }

  return { lend, say, sendNamed, run, release }
}

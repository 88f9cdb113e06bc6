// kysely's driver of SQLite: one connection for all, in which transactions and single writes are members of groups.
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { Change } from '../../commits.ts'
import { leftBy } from '../left.ts'
import { isEach, laterOf } from '../together.ts'
import { isTouch, type BeginWritten, type Written } from '../written.ts'
import type { Groups, Member } from './sqlite-groups.ts'
import type { Statements } from './sqlite-statements.ts'

/** What kysely gets as a connection: nothing is locked before its first statement shows what it is for. */
interface Lease extends DatabaseConnection {
  /** The transaction it is used for, even once that is over: a late statement must not run outside it. */
  member: Member | undefined
  written: Written
}

const writes: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])

export interface SqliteDriverDependencies {
  readonly statements: Statements
  readonly groups: Groups
  readonly beginWritten: BeginWritten
  /** Called before what changes so is committed. */
  readonly willCommit: (change: Change) => void
  /** Called after each statement outside of groups that may have written. */
  readonly committed: () => void
  readonly close: () => void
}

export function createSqliteDriver(dependencies: SqliteDriverDependencies): Driver {
  const { statements, groups, beginWritten, willCommit, committed, close } = dependencies

  function changeOf(query: CompiledQuery): Change {
    const written = beginWritten()
    written.note(query)
    return written.change()
  }

  const run = ({ sql, parameters }: CompiledQuery): QueryResult<unknown> => statements(sql).run(parameters)

  const runAlone = (query: CompiledQuery): Promise<QueryResult<unknown>> =>
    groups.alone(() => {
      const { sql, parameters } = query
      const statement = statements(sql)
      const result = statement.run(parameters)
      if (statement.mayWrite) {
        willCommit(changeOf(query))
        committed()
      }
      return result
    })

  const runIn = async (
    { written }: Lease,
    member: Member,
    query: CompiledQuery,
  ): Promise<QueryResult<unknown>> => {
    if (written.note(query)) return { rows: [] }
    return member.run(() => run(query))
  }

  const writeAlone = (query: CompiledQuery): Promise<QueryResult<unknown>> =>
    groups.write(() => {
      willCommit(changeOf(query))
      return run(query)
    })

  function lend(): Lease {
    const execute = async (query: CompiledQuery): Promise<QueryResult<unknown>> => {
      if (isEach(query)) return { rows: [] } // they run one after the other
      const late = laterOf(query)
      if (late) return execute(late)
      if (leftBy(query)) return { rows: [] } // there is no sequencer: the transaction is alone
      if (isTouch(query) && !lease.member) return { rows: [] } // a single write tells by its table
      if (lease.member) return runIn(lease, lease.member, query)
      return writes.has(query.query.kind) ? writeAlone(query) : runAlone(query)
    }
    const lease: Lease = {
      member: undefined,
      written: beginWritten(),
      executeQuery: <Row>(query: CompiledQuery) => execute(query) as Promise<QueryResult<Row>>,
      // All rows at once, since there is one connection: a slow reader would block everyone.
      streamQuery: async function* <Row>(query: CompiledQuery) {
        yield (await execute(query)) as QueryResult<Row>
      },
    }
    return lease
  }

  function memberOf(connection: DatabaseConnection): Member {
    const { member } = connection as Lease
    if (member === undefined) throw new Error('No transaction has begun.')
    return member
  }

  return {
    init: async () => undefined,
    acquireConnection: async () => lend(),
    beginTransaction: async (connection) => {
      const lease = connection as Lease
      lease.written = beginWritten()
      lease.member = await groups.begin()
    },
    commitTransaction: (connection) => {
      willCommit((connection as Lease).written.change()) // in the same turn in which it joins those of the next COMMIT
      return memberOf(connection).commit()
    },
    rollbackTransaction: (connection) => memberOf(connection).rollback(),
    releaseConnection: async () => undefined,
    destroy: async () => {
      await groups.settled()
      close()
    },
  }
}

// kysely's driver of SQLite: one connection for all, in which transactions and single writes are members of groups.
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { Groups, Member } from './sqlite-groups.ts'
import type { Statements } from './sqlite-statements.ts'

/** What kysely takes for a connection: nothing is held before the first statement says what it is for. */
interface Lease extends DatabaseConnection {
  /** The transaction it is used for, even once that is over: a late statement of it must not stand alone. */
  member: Member | undefined
}

const writes: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])

export interface SqliteDriverDependencies {
  readonly statements: Statements
  readonly groups: Groups
  /** Called after each statement outside of groups that may have written. */
  readonly committed: () => void
  readonly close: () => void
}

export function createSqliteDriver(dependencies: SqliteDriverDependencies): Driver {
  const { statements, groups, committed, close } = dependencies

  const run = ({ sql, parameters }: CompiledQuery): QueryResult<unknown> => statements(sql).run(parameters)

  const runAlone = ({ sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> =>
    groups.alone(() => {
      const statement = statements(sql)
      const result = statement.run(parameters)
      if (statement.mayWrite) committed()
      return result
    })

  const runIn = async (member: Member, query: CompiledQuery): Promise<QueryResult<unknown>> =>
    member.run(() => run(query))

  function lend(): Lease {
    const execute = (query: CompiledQuery): Promise<QueryResult<unknown>> => {
      if (lease.member) return runIn(lease.member, query)
      return writes.has(query.query.kind) ? groups.write(() => run(query)) : runAlone(query)
    }
    const lease: Lease = {
      member: undefined,
      executeQuery: <Row>(query: CompiledQuery) => execute(query) as Promise<QueryResult<Row>>,
      // Whole, since there is one connection: a reader that takes its time would keep everybody from it.
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
      lease.member = await groups.begin()
    },
    commitTransaction: (connection) => memberOf(connection).commit(),
    rollbackTransaction: (connection) => memberOf(connection).rollback(),
    releaseConnection: async () => undefined,
    destroy: async () => {
      await groups.settled()
      close()
    },
  }
}

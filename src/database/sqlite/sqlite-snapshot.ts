// Reads a snapshot of a SQLite database, on its own connection, while others continue to write.
import { DatabaseSync } from 'node:sqlite'
import {
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
} from 'kysely'
import { createStorageFaults } from '../../storage/storage-faults.ts'
import type { Db } from '../database.ts'
import type { Schema } from '../schema.ts'
import { createStatements } from './sqlite-statements.ts'

const notHere = async (): Promise<never> => {
  throw new Error('A snapshot is read, and nothing else.')
}

/** The write-ahead log cannot be reset while the snapshot is open, so it grows in the meantime. */
export async function readAtOneTime<T>(file: string, work: (db: Db) => Promise<T>): Promise<T> {
  const connection = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  const statements = createStatements(connection, createStorageFaults())
  const read = async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> =>
    statements(sql).run(parameters) as QueryResult<Row>
  const lent: DatabaseConnection = {
    executeQuery: read,
    streamQuery: async function* <Row>(query: CompiledQuery) {
      yield await read<Row>(query)
    },
  }
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createDriver: () => ({
        init: async () => undefined,
        acquireConnection: async () => lent,
        beginTransaction: notHere,
        commitTransaction: notHere,
        rollbackTransaction: notHere,
        releaseConnection: async () => undefined,
        destroy: async () => undefined,
      }),
    },
  })
  try {
    connection.exec('begin; select 1 from sqlite_schema limit 1') // the snapshot is taken at the first read
    return await work(db)
  } finally {
    connection.close()
  }
}

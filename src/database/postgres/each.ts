// A kysely through which statements of one connection are asked for without waiting for each other (together.ts): a
// transaction of kysely, and its `connection()`, send one only after the result of the one before.
import { Kysely, type CompiledQuery, type QueryResult } from 'kysely'
import type { Db } from '../database.ts'
import type { Schema } from '../schema.ts'
import { createPostgresDialect } from './dialect.ts'

const refuse = async (): Promise<void> => {
  throw new Error('A transaction cannot begin within another.')
}

/** @param run must send the statement in the turn in which it is called. */
export function createEach(run: (query: CompiledQuery) => Promise<QueryResult<unknown>>): Db {
  const connection = {
    executeQuery: <Row>(query: CompiledQuery) => run(query) as Promise<QueryResult<Row>>,
    streamQuery: async function* <Row>(query: CompiledQuery) {
      yield (await run(query)) as QueryResult<Row>
    },
  }
  return new Kysely<Schema>({
    dialect: createPostgresDialect(() => ({
      init: async () => undefined,
      acquireConnection: async () => connection,
      beginTransaction: refuse,
      commitTransaction: refuse,
      rollbackTransaction: refuse,
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    })),
  })
}

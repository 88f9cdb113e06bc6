// Collects queries once, then runs them with EXPLAIN ANALYZE on PostgreSQL.
import { Kysely, type CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import { Client } from 'pg'
import { keysOf, type Db } from '../../src/database/database.ts'
import { leftBy } from '../../src/database/left.ts'
import { clientConfig } from '../../src/database/postgres/connections.ts'
import { createPostgresDialect } from '../../src/database/postgres/dialect.ts'
import type { Schema } from '../../src/database/schema.ts'
import { isEach, laterOf } from '../../src/database/together.ts'
import { isTouch } from '../../src/database/written.ts'

export type Asked = Pick<CompiledQuery, 'sql' | 'parameters'>

export interface Cost {
  readonly ms: number
  /** Pages read from tables and indexes. */
  readonly pages: number
  /** The plan nodes that read tables, such as `Seq Scan image`. */
  readonly nodes: string
  readonly failure?: string
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly PlanNode[]
}

interface Explained {
  readonly 'QUERY PLAN': readonly {
    readonly Plan: PlanNode
    readonly 'Execution Time': number
    /** Present if PostgreSQL compiled the query (JIT). */
    readonly JIT?: { readonly Timing: { readonly Total: number } }
  }[]
}

/** Records statements as they are sent. */
const connectionTo = (client: Client, queries: Asked[]): DatabaseConnection => ({
  executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    // Driver commands are not statements. A deferred one is sent immediately.
    if (isTouch(query) || isEach(query) || leftBy(query) !== undefined || keysOf(query) !== undefined)
      return { rows: [] }
    const sent = laterOf(query) ?? query
    queries.push(sent)
    const { rows, rowCount } = await client.query({ text: sent.sql, values: [...sent.parameters] })
    return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) }
  },
  streamQuery: () => {
    throw new Error('No question is asked as a stream.')
  },
})

/** A writable database for collecting queries. */
export async function openAsked(url: string) {
  const client = new Client(clientConfig({ url, name: 'questions', isPatient: true }))
  await client.connect()
  const queries: Asked[] = []
  const connection = connectionTo(client, queries)
  const say = async (text: string): Promise<void> => void (await client.query(text))
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: () => say('begin'),
    commitTransaction: () => say('commit'),
    rollbackTransaction: () => say('rollback'),
    releaseConnection: async () => undefined,
    destroy: () => client.end(),
  }
  const db: Db = new Kysely<Schema>({ dialect: createPostgresDialect(() => driver) })
  return {
    db,
    /** @returns the statements sent. */
    ask: async (question: (db: Db) => Promise<unknown>): Promise<readonly Asked[]> => {
      queries.length = 0
      await question(db)
      return [...queries]
    },
    close: () => db.destroy(),
  }
}

const literal = (value: unknown): string =>
  value === null || value === undefined
    ? 'null'
    : value instanceof Uint8Array
      ? `'\\x${Buffer.from(value).toString('hex')}'`
      : `'${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''")}'`

function readersOf(node: PlanNode): string[] {
  const table = node['Relation Name'] ?? node['Index Name']
  const removed = node['Rows Removed by Filter'] ?? 0
  const own =
    table === undefined
      ? []
      : [
          `${node['Node Type']} ${node['Index Name'] ?? table} ${node['Actual Rows'] ?? 0}${removed > 0 ? ` (${removed} left out)` : ''}`,
        ]
  return [...own, ...(node.Plans ?? []).flatMap(readersOf)]
}

async function costOf(client: Client, explained: string): Promise<Cost> {
  await client.query('begin')
  try {
    const { rows } = await client.query<Explained>(explained)
    const found = rows[0]?.['QUERY PLAN'][0]
    if (found === undefined) throw new Error('PostgreSQL explained nothing.')
    const { Plan: plan, JIT: jit } = found
    const compiled = jit === undefined ? [] : [`compiled in ${jit.Timing.Total.toFixed(0)} ms`]
    const pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
    return { ms: found['Execution Time'], pages, nodes: [...compiled, ...readersOf(plan)].join(', ') }
  } catch (error) {
    return { ms: 0, pages: 0, nodes: '', failure: error instanceof Error ? error.message : String(error) }
  } finally {
    await client.query('rollback')
  }
}

/** With a custom plan for these values, and with a generic plan, which PostgreSQL may use for prepared statements. */
export async function explain(client: Client, { sql, parameters }: Asked): Promise<readonly Cost[]> {
  const costs: Cost[] = []
  try {
    await client.query(`prepare asked as ${sql}`)
  } catch (error) {
    return [{ ms: 0, pages: 0, nodes: '', failure: error instanceof Error ? error.message : String(error) }]
  }
  const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await client.query(`set plan_cache_mode = ${mode}`)
    const text = `explain (analyze, buffers, format json) execute asked${values}`
    await costOf(client, text) // loads the pages into memory
    costs.push(await costOf(client, text))
  }
  await client.query('deallocate asked')
  return costs
}

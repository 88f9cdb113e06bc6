// Connections to PostgreSQL through pg: the pool, its time-outs, and values as SQLite gives them.
import { Pool, type Client, type ClientConfig, type PoolClient, type PoolConfig } from 'pg'

/** pg would wait for ever: so long for a connection, from the pool or to the server (trust.md). */
export const connectMs = 2_000
/**
 * And so long for an answer: a server that is stopped enforces no statement_timeout. Below the 3 s of trust.md, since a
 * request does other work too before it can say 503, and has 3.5 s for all of it.
 */
export const queryMs = 2_500
/** Below the wait for an answer, so that the server says it while the connection is still good; some wait here before. */
const lockMs = 2_000
/** A node that is stopped within its transaction keeps all others from writing for so long at most. */
const idleInTransactionMs = 10_000
/** A server that is silent says no farewell, and must keep nobody who is to stop. */
const farewellMs = 1_000
/** What nobody waits for any more. */
const statementMs = 10_000

const int8 = 20
const numeric = 1_700
const float4 = 700
const float8 = 701
const int4 = 23
const int2 = 21
const bool = 16
const bytea = 17

const readNumber = (text: string): number => Number(text)

/** Every number of ours is exact in 53 bits; a truth is 1 or 0, as in SQLite. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [int8]: readNumber,
  [numeric]: readNumber,
  [float4]: readNumber,
  [float8]: readNumber,
  [int4]: readNumber,
  [int2]: readNumber,
  [bool]: (text) => (text === 't' ? 1 : 0),
  [bytea]: (text) => Buffer.from(text.slice(2), 'hex'), // as bytea_output=hex writes it, the default since 9.0
}

const asText = (text: string): string => text
const types = { getTypeParser: (oid: number) => parsers[oid] ?? asText }

export interface ConnectionOptions {
  readonly url: string
  /** As pg_stat_activity names it. */
  readonly name: string
  /** Whether it is for work that takes its time: a migration, a copy of everything, a check. */
  readonly isPatient?: boolean
}

export function clientConfig({ url, name, isPatient = false }: ConnectionOptions): ClientConfig {
  return {
    connectionString: url,
    application_name: name,
    types,
    // PostgreSQL would compile a query whose estimate is high, for up to half a second, before it reads a few pages.
    options: '-c jit=off',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(isPatient
      ? {}
      : {
          query_timeout: queryMs,
          statement_timeout: statementMs,
          lock_timeout: lockMs,
          idle_in_transaction_session_timeout: idleInTransactionMs,
        }),
  }
}

/** Those that are open, and those that the pool has given up and whose end the server has not seen yet. */
const clientsOf = new WeakMap<Pool, Set<Client>>()

const cut = ({ connection }: Client): unknown => connection.stream.destroy()

/** Ends a connection in good order, or without the server where that does not answer. */
export async function endClient(client: Client): Promise<void> {
  const timer = setTimeout(() => cut(client), farewellMs).unref()
  await client.end().catch(() => undefined)
  clearTimeout(timer)
}

/** The same for all connections of a pool; resolves when nobody has one any more. */
export async function endPool(pool: Pool): Promise<void> {
  if (!pool.ended) await pool.end()
  // Unreferenced: where all have ended by themselves, nobody waits for this.
  setTimeout(() => clientsOf.get(pool)?.forEach(cut), farewellMs).unref()
}

/** A pool of connections whose ends are told to whoever uses them next, and to nobody else: unheard, one ends the process. */
export function openPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  const clients = new Set<Client>()
  clientsOf.set(pool, clients)
  pool.on('connect', (client) => clients.add(client))
  pool.on('remove', (client) => clients.delete(client)) // once it has ended
  pool.on('error', () => undefined) // of a connection that nobody has
  pool.on('connect', (client) => client.on('error', () => undefined)) // of one that is lent, between two statements
  return pool
}

export interface Lent {
  readonly client: PoolClient
  /** Gives it back; a broken one is closed, and nobody has it again. */
  release(isBroken: boolean): void
}

export async function borrow(pool: Pool): Promise<Lent> {
  const client = await pool.connect()
  return { client, release: (isBroken) => client.release(isBroken) }
}

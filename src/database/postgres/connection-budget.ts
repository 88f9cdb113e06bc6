// How many connections PostgreSQL has for nodes, and how many nodes are running.
import { sql } from 'kysely'
import type { ConnectionBudget, Db } from '../database.ts'
import { lockSpace, servingLock } from './locks.ts'

/** One connection of each running node holds the lock. PostgreSQL 16 added a second reserve (reserved_connections). */
export async function readConnectionBudget(db: Db): Promise<ConnectionBudget> {
  const { rows } = await sql<ConnectionBudget>`select
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true), '0')::int as "available",
    (select count(distinct pid) from pg_locks where locktype = 'advisory' and classid = ${lockSpace}
      and objid = ${servingLock} and granted
      and database = (select oid from pg_database where datname = current_database())) as "nodes"`.execute(db)
  return rows[0] ?? { available: 0, nodes: 0 }
}

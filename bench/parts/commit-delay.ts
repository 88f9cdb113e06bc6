// Commit latency in PostgreSQL: set for all sessions at once, and measured by sequential commits.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { PostgresServer } from '../../tests/helpers/postgres.ts'
import type { Contender } from './bench.ts'
import { measureCpu } from './cpu.ts'

const untilAllSessionsKnowMs = 100

/**
 * Before each WAL flush, one session waits for `commit_delay` on behalf of all that commit in the meantime, as with a
 * slow disk or a synchronous standby. With `commit_siblings` 0 it also waits if no other session commits.
 */
export function createCommitDelay(postgres: PostgresServer) {
  let present = 0
  async function set(us: number): Promise<void> {
    if (us === present) return
    await postgres.query('alter system set commit_siblings = 0')
    await postgres.query(`alter system set commit_delay = ${us}`)
    await postgres.query('select pg_reload_conf()')
    await sleep(untilAllSessionsKnowMs)
    present = us
  }
  return {
    set,
    /** The same contender with this commit latency. */
    delayed: (us: number, { name, slice }: Contender): Contender => ({
      name,
      slice: async (ms) => {
        await set(us)
        return slice(ms)
      },
    }),
  }
}

/** One session that commits one row after another, so each takes as long as a commit. */
export async function startPlainCommits(postgres: PostgresServer, name: string) {
  const client = new Client({ connectionString: postgres.urlOf('postgres') })
  await client.connect()
  await client.query('create table if not exists plain_commit (number bigint)')
  const contender: Contender = {
    name,
    slice: async (ms) => {
      const cpu = measureCpu([postgres.pid()])
      const begunAt = performance.now()
      const latenciesMs: number[] = []
      while (performance.now() - begunAt < ms) {
        const askedAt = performance.now()
        await client.query('insert into plain_commit values (1)')
        latenciesMs.push(performance.now() - askedAt)
      }
      return { done: latenciesMs.length, wallMs: performance.now() - begunAt, cpuUs: cpu(), latenciesMs }
    },
  }
  return { contender, close: () => client.end() }
}

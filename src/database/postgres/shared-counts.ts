// Counts that all nodes share, in windows of one length, on the clock of the database.
import type { Pool } from 'pg'
import { inSystemTerms } from './errors.ts'

export interface Increment {
  readonly policy: string
  readonly bucket: string
  /** Since the last time. */
  readonly count: number
  readonly lengthMs: number
}

export interface SharedWindow {
  readonly policy: string
  readonly bucket: string
  /** Of all nodes, in the window that runs now. */
  readonly count: number
  readonly endsInMs: number
}

/** Sums up what the nodes count; each window begins with its first request, wherever that came. */
export interface SharedCounts {
  add(increments: readonly Increment[]): Promise<SharedWindow[]>
  /** Forgets what has ended. */
  sweep(): Promise<void>
}

const now = `(extract(epoch from clock_timestamp()) * 1000)::bigint`

/**
 * Neither in turn with those who write nor told to other nodes: these are counts of a minute, and nobody's data. A count
 * that a crash of the server loses allows a few requests more.
 */
const addAll = `insert into rate_window as kept (policy, bucket, count, ends_at)
  select policy, bucket, count, ${now} + length_ms
  from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as added (policy, bucket, count, length_ms)
  order by policy, bucket
  on conflict (policy, bucket) do update set
    count = excluded.count + case when kept.ends_at > ${now} then kept.count else 0 end,
    ends_at = case when kept.ends_at > ${now} then kept.ends_at else excluded.ends_at end
  returning policy, bucket, count, ends_at - ${now} as "endsInMs"`

export function createSharedCounts(pool: Pool): SharedCounts {
  return {
    add: async (increments) => {
      if (increments.length === 0) return []
      const column = <Key extends keyof Increment>(key: Key): Increment[Key][] =>
        increments.map((increment) => increment[key])
      const values = [column('policy'), column('bucket'), column('count'), column('lengthMs')]
      try {
        return (await pool.query<SharedWindow>(addAll, values)).rows
      } catch (error) {
        throw inSystemTerms(error)
      }
    },
    sweep: async () => {
      await pool.query(`delete from rate_window where ends_at < ${now}`)
    },
  }
}

// Notices that another server has become the primary: what it never heard of is gone, and may not be remembered here.
import type { Client } from 'pg'

/** Each primary after another begins a timeline of its own (PostgreSQL, 26.3.5); a restart of the same one does not. */
const askTimeline = 'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline'

export function createFailoverWatch() {
  let timeline: string | undefined
  let failovers = 0
  return {
    /** To be called on each new connection that listens, before it is trusted. */
    look: async (client: Client): Promise<void> => {
      // What calls itself PostgreSQL and has no such log cannot be told apart so.
      const told = await client.query<{ timeline: string }>(askTimeline).catch(() => undefined)
      const now = told?.rows[0]?.timeline
      if (now === undefined) return
      if (timeline !== undefined && now !== timeline) failovers += 1
      timeline = now
    },

    /** Since the start. */
    count: (): number => failovers,
  }
}

// Notices that another server has become the primary: writes it had not received are lost, and must not stay cached here.
import type { Client } from 'pg'

/** Each promoted primary begins a new timeline (PostgreSQL, 26.3.5); a restart of the same server does not. */
const askTimeline = 'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline'

export function createFailoverWatch() {
  let timeline: string | undefined
  let failovers = 0
  return {
    /** To be called on each new listening connection, before it is trusted. */
    look: async (client: Client): Promise<void> => {
      // Databases that speak PostgreSQL's protocol but have no such log cannot be distinguished this way.
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

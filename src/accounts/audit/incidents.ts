// Failures that admins should know about: sign-ins, admin actions, tokens. Since strangers cause them, they are
// aggregated: per kind, account and address, the first is stored within seconds, and the rest of the hour as one row.
import { sql } from 'kysely'
import type { IncidentAction } from '../../shared/audit-actions.ts'
import { writeTimestamp } from '../../shared/v2/timestamps.ts'
import type { Db } from '../../database/database.ts'
import { byServer, recordAudit } from './audit.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Addresses are personal data. */
export const incidentLifeMs = 90 * dayMs
/** Aggregates per hour; further failures are counted without account and address. */
const maxPerAction = 200
/** First failures within this time are stored together. */
const firstWaitMs = 5_000
const tickMs = 60_000

export interface Incident {
  readonly action: IncidentAction
  /** Null if it concerns none, or an unknown one. */
  readonly accountId: number | null
  /** In the form that limits by address count; null if there is none. */
  readonly address: string | null
}

interface Counted extends Incident {
  /** Not stored yet. */
  count: number
  firstAt: number
  lastAt: number
  /** The first of the hour is stored at once; the others at its end. */
  isStored: boolean
}

export interface IncidentsDependencies {
  readonly db: Db
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  readonly onFault: (error: unknown) => void
}

export function createIncidents({ db, now, onFault }: IncidentsDependencies) {
  let counted = new Map<string, Counted>()
  let endsAt = 0
  let soon: NodeJS.Timeout | undefined
  let storing: Promise<void> = Promise.resolve()

  async function store(rows: readonly Counted[]): Promise<void> {
    if (rows.length === 0) return
    try {
      await db.transaction().execute(async (tx) => {
        for (const { action, accountId, address, count, firstAt, lastAt } of rows) {
          const detail = {
            times: count,
            address,
            first: writeTimestamp(firstAt),
            last: writeTimestamp(lastAt),
          }
          await recordAudit(tx, { at: now(), by: byServer, action, accountId, detail })
        }
      })
    } catch (error) {
      onFault(error)
    }
  }

  /** Takes what is to be stored, so that nothing is stored twice. */
  function take(isOver: boolean): readonly Counted[] {
    const due = [...counted.values()].filter(({ count, isStored }) => count > 0 && (isOver || !isStored))
    const rows = due.map((one) => Object.assign({}, one))
    for (const one of due) {
      one.count = 0
      one.isStored = true
    }
    if (isOver) counted = new Map()
    return rows
  }

  function storeLater(isOver: boolean): Promise<void> {
    const rows = take(isOver)
    storing = storing.then(() => store(rows))
    return storing
  }

  function endHour(at: number): void {
    if (at < endsAt) return
    void storeLater(true)
    endsAt = at + hourMs
  }

  const ticking = setInterval(() => endHour(now()), tickMs).unref()

  function entryOf(incident: Incident, at: number): Counted {
    const { action, accountId, address } = incident
    const key = `${action} ${accountId} ${address}`
    const known = counted.get(key)
    if (known) return known
    const alike = [...counted.values()].filter((one) => one.action === action).length
    const isKnown = accountId !== null || address !== null
    if (isKnown && alike >= maxPerAction) return entryOf({ action, accountId: null, address: null }, at)
    const begun = { ...incident, count: 0, firstAt: at, lastAt: at, isStored: false }
    counted.set(key, begun)
    return begun
  }

  return {
    /** Counts one, and returns at once. */
    note: (incident: Incident): void => {
      const at = now()
      endHour(at)
      const entry = entryOf(incident, at)
      if (entry.count === 0) entry.firstAt = at
      entry.count += 1
      entry.lastAt = at
      if (entry.isStored) return
      soon ??= setTimeout(() => {
        soon = undefined
        void storeLater(false)
      }, firstWaitMs).unref()
    },

    /**
     * Deletes entries that are too old, because of the addresses in them: the only rows that are ever removed from the
     * audit log.
     */
    sweep: async (): Promise<void> => {
      const before = now() - incidentLifeMs
      // Spelled out, since the index covers only these actions.
      await sql`delete from audit
        where action in ('sign-in.failed', 'admin.refused', 'token.misused') and at < ${before}`.execute(db)
    },

    /** Stores everything that is not stored yet. */
    close: async (): Promise<void> => {
      clearInterval(ticking)
      clearTimeout(soon)
      await storeLater(true)
    },
  }
}

export type Incidents = ReturnType<typeof createIncidents>

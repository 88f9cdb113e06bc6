// The clock of the database, which all nodes use for expiry times: their own clocks may differ by minutes.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Between two readings. In between, a monotonic clock (performance.now) continues from the last one. */
const everyMs = 15_000
/** Smaller differences are ignored: the time must not jump back and forth with the duration of a response. */
const toleranceMs = 50

export interface SharedClock {
  /** The current time, in milliseconds since 1970-01-01 UTC. */
  now(): number
  /** Reads the clock of the database, and again from time to time. @throws in the terms of the system. */
  start(): Promise<void>
  close(): void
}

export interface SharedClockOptions {
  /** @returns milliseconds since 1970-01-01 UTC, as the database has them. */
  readonly ask: () => Promise<number>
  /** Milliseconds since some point in time; never goes back. */
  readonly monotonic?: () => number
}

export const askDatabase = async (db: Db): Promise<number> => {
  const { rows } = await sql<{
    at: number
  }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as at`.execute(db)
  return rows[0]?.at ?? Date.now()
}

export function createSharedClock({
  ask,
  monotonic = () => performance.now(),
}: SharedClockOptions): SharedClock {
  /** The time of the database when the monotonic clock was 0. */
  let zero = Date.now() - monotonic()
  let isSet = false
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    const before = monotonic()
    const at = await ask()
    const after = monotonic()
    const found = at - (before + after) / 2
    // It was read at some point in between, so this is its uncertainty.
    const knownTo = Math.max((after - before) / 2, toleranceMs)
    if (isSet && Math.abs(found - zero) <= knownTo) return
    zero = found
    isSet = true
  }

  return {
    now: () => Math.round(zero + monotonic()),
    start: async () => {
      await look()
      timer = setInterval(() => {
        look().catch(() => undefined) // the clock continues from the last reading
      }, everyMs).unref()
    },
    close: () => clearInterval(timer),
  }
}

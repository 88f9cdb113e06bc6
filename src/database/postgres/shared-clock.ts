// The clock of the database, by which all nodes judge what ends when: their own may disagree by minutes.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Between two looks. In between, a clock that nobody sets (performance.now) goes on from the last. */
const everyMs = 15_000
/** So little is no difference: what is told must not go to and fro with the time that an answer took. */
const toleranceMs = 50

export interface SharedClock {
  /** The present moment, in milliseconds since 1970-01-01 UTC. */
  now(): number
  /** Looks at the clock of the database, and again from time to time. @throws in the terms of the system. */
  start(): Promise<void>
  close(): void
}

export interface SharedClockOptions {
  /** @returns milliseconds since 1970-01-01 UTC, as the database has them. */
  readonly ask: () => Promise<number>
  /** Milliseconds since some moment, which only ever go forward. */
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
  /** What the database said at 0 of the other clock. */
  let zero = Date.now() - monotonic()
  let isSet = false
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    const before = monotonic()
    const at = await ask()
    const after = monotonic()
    const found = at - (before + after) / 2
    // It was read at some moment in between, so this is how well it is known.
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
        look().catch(() => undefined) // the clock goes on from the last look
      }, everyMs).unref()
    },
    close: () => clearInterval(timer),
  }
}

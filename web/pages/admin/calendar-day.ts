// Days of the browser's calendar as timestamps: some days have 23 hours, and some 25.

function midnightOf(day: string, daysLater: number): string | undefined {
  const at = new Date(`${day}T00:00:00`)
  at.setDate(at.getDate() + daysLater)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** `2026-05-14`; undefined if it is not a date. */
export const beginOf = (day: string): string | undefined => midnightOf(day, 0)
/** The first timestamp after the day. */
export const endOf = (day: string): string | undefined => midnightOf(day, 1)

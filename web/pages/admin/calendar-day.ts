// Days of the browser's calendar as moments: some of them have 23 hours, and some 25.

function midnightOf(day: string, daysLater: number): string | undefined {
  const at = new Date(`${day}T00:00:00`)
  at.setDate(at.getDate() + daysLater)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** `2026-05-14`; undefined for what is no day. */
export const beginOf = (day: string): string | undefined => midnightOf(day, 0)
/** The first moment after it. */
export const endOf = (day: string): string | undefined => midnightOf(day, 1)

// Moments of the v2 surface: RFC 3339 in, RFC 3339 in UTC out.

export const writeTimestamp = (at: number): string => new Date(at).toISOString()

/** @returns milliseconds since 1970 UTC, or undefined for what is no moment. */
export function parseTimestamp(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i.test(text)) return undefined
  const day = new Date(text.slice(0, 10))
  // Date.parse lets 30 February roll over into March.
  const at = day.getUTCDate() === Number(text.slice(8, 10)) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

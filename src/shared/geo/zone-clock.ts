// The clock of a time zone: the time at which it shows given figures. Without the table of zones by place.

/** @returns the time, in milliseconds since 1970, at which the clock shows these figures, given as if they were UTC. */
export type Zone = (clockMs: number) => number

const dayMs = 86_400_000

/**
 * @param timeZone its name, or an offset such as +05:45. If the clock skips an hour or shows it twice, the offset
 * before the change counts (contract C42).
 * @throws RangeError if there is no such zone.
 */
export function createZone(timeZone: string): Zone {
  const offsetAt = createOffsets(timeZone)
  return (clock) => {
    // Every offset is less than a day, and no zone changes twice within two.
    const before = offsetAt(clock - dayMs)
    const after = offsetAt(clock + dayMs)
    const isAfter =
      before !== after && offsetAt(clock - before) === after && offsetAt(clock - after) === after
    return clock - (isAfter ? after : before)
  }
}

/** Zones change on a quarter of an hour, in UTC as well. */
const quarterMs = 900_000
/** About ten days of photos at every quarter of an hour; a slider requests the same ones again. */
const maxRemembered = 1_000

/** Offsets of a zone in milliseconds, remembered: the formatter takes some microseconds for each. */
function createOffsets(timeZone: string): (utcMs: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const known = new Map<number, number>()
  return (utcMs) => {
    const quarter = Math.floor(utcMs / quarterMs) * quarterMs
    const remembered = known.get(quarter)
    if (remembered !== undefined) return remembered
    const name = format.formatToParts(quarter).find(({ type }) => type === 'timeZoneName')
    const offset = offsetOf(name?.value ?? '')
    if (known.size >= maxRemembered) known.clear()
    known.set(quarter, offset)
    return offset
  }
}

/** `GMT+05:45`, and `GMT` alone; before there were zones `GMT+00:53:28`. */
function offsetOf(text: string): number {
  const [, sign, hours, minutes, seconds = '0'] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? []
  if (sign === undefined) return 0
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return (sign === '-' ? -size : size) * 1_000
}

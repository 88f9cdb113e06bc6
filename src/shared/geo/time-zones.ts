// The time zone of a place, and how far its clock is ahead of UTC at a moment that the clock shows.
import zoneAt from '@photostructure/tz-lookup'
import type { Position } from '../formats/gps.ts'

const dayMs = 86_400_000

/** The name of the zone, such as Europe/Zurich; at sea that of the meridian, such as Etc/GMT+10. */
export const zoneOf = ({ lat, lon }: Position): string => zoneAt(Number(lat), Number(lon))

/** `GMT+05:45`, and `GMT` alone; before there were zones `GMT+00:53:28`, of which no seconds are told. */
function minutesOf(text: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^GMT([+-])(\d\d):(\d\d)/.exec(text) ?? []
  const size = Number(hours) * 60 + Number(minutes)
  return sign === '-' && size > 0 ? -size : size
}

/**
 * @param zone the name of one, or an offset such as +05:45.
 * @returns what tells the minutes that the clock is ahead of UTC when it shows this moment (`2026-05-14T09:08:07`). Of an
 *   hour that the clock leaves out, and of one that it shows twice, those before the change (contract C42).
 * @throws RangeError where there is no such zone.
 */
export function createZoneClock(zone: string): (localTime: string) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  const offsetAt = (moment: number): number => {
    const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')
    return minutesOf(name?.value ?? '')
  }
  return (localTime) => {
    const local = Date.parse(`${localTime}Z`)
    const momentAt = (offset: number): number => local - offset * 60_000
    const before = offsetAt(local - dayMs)
    if (offsetAt(momentAt(before)) === before) return before
    const after = offsetAt(local + dayMs)
    return offsetAt(momentAt(after)) === after ? after : before
  }
}

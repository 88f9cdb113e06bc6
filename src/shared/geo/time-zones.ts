// The time zone of a place, and how far its clock is ahead of UTC at a moment that the clock shows.
import zoneAt from '@photostructure/tz-lookup'
import { createZone } from './zone-clock.ts'
import type { Position } from '../formats/gps.ts'

const minuteMs = 60_000

/**
 * The name of the zone, such as Europe/Zurich; at sea that of the meridian, such as Etc/GMT+10. The table is coarse: within
 * some kilometres of a border it may be the zone beyond it.
 */
export const zoneOf = ({ lat, lon }: Position): string => zoneAtDegrees(Number(lat), Number(lon))

/** The table counts the main island of American Samoa to Samoa, which is a whole day ahead. */
const zoneAtDegrees = (lat: number, lon: number): string =>
  lat > -14.5 && lat < -14.1 && lon > -171 && lon < -170.4 ? 'Pacific/Pago_Pago' : zoneAt(lat, lon)

/**
 * @param zone the name of one, or an offset such as +05:45.
 * @returns what tells the minutes that the clock is ahead of UTC when it shows this moment (`2026-05-14T09:08:07`). Of an
 *   hour that the clock leaves out, and of one that it shows twice, those before the change (contract C42); of the seconds
 *   that offsets had before there were zones, none.
 * @throws RangeError where there is no such zone.
 */
export function createZoneClock(zone: string): (localTime: string) => number {
  const momentOf = createZone(zone)
  return (localTime) => {
    const local = Date.parse(`${localTime}Z`)
    return Math.trunc((local - momentOf(local)) / minuteMs) + 0
  }
}

// The time zone of a place, and how far its clock is ahead of UTC at a moment that the clock shows.
import zoneAt from '@photostructure/tz-lookup'
import { createZone } from './zone-clock.ts'
import type { Position } from '../formats/gps.ts'

const minuteMs = 60_000

/**
 * The name of the zone, such as Europe/Zurich; at sea that of the meridian, such as Etc/GMT+10. The table is coarse: within
 * some 80 km of a border it may be the zone beyond it.
 */
export const zoneOf = ({ lat, lon }: Position): string => zoneAtDegrees(Number(lat), Number(lon))

interface Land {
  readonly zone: string
  readonly lats: readonly [number, number]
  readonly lons: readonly [number, number]
}

/** Where the table is wrong across the date line, by a day: a photo of the 14th would be one of the 13th. */
const beyondDateLine: readonly Land[] = [
  { zone: 'Pacific/Pago_Pago', lats: [-14.5, -14.1], lons: [-171, -170.4] }, // Tutuila
  { zone: 'Pacific/Fakaofo', lats: [-9.6, -9.2], lons: [-171.5, -171] }, // Fakaofo
  { zone: 'America/Nome', lats: [63.2, 63.95], lons: [-172.2, -168.5] }, // St. Lawrence Island
  { zone: 'America/Nome', lats: [65.7, 65.8], lons: [-168.98, -168.85] }, // Little Diomede
  { zone: 'Asia/Anadyr', lats: [65, 67], lons: [-171, -169.5] }, // the east cape of Asia
]

const isIn = (value: number, [least, most]: readonly [number, number]): boolean =>
  value > least && value < most

function zoneAtDegrees(lat: number, lon: number): string {
  const land = beyondDateLine.find(({ lats, lons }) => isIn(lat, lats) && isIn(lon, lons))
  return land?.zone ?? zoneAt(lat, lon)
}

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

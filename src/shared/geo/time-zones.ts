// The time zone of a place, and its offset from UTC when its clock shows a given time.
import zoneAt from '@photostructure/tz-lookup'
import { createZone } from './zone-clock.ts'
import type { Position } from '../formats/gps.ts'

const minuteMs = 60_000

/**
 * The name of the zone, such as Europe/Zurich; at sea that of the meridian, such as Etc/GMT+10. The table is coarse:
 * within about 80 km of a border it may be the zone on the other side.
 */
export const zoneOf = ({ lat, lon }: Position): string => zoneAtDegrees(Number(lat), Number(lon))

interface Land {
  readonly zone: string
  readonly lats: readonly [number, number]
  readonly lons: readonly [number, number]
}

/** Where the table is wrong across the date line, by a day: a photo of the 14th would be dated the 13th. */
const beyondDateLine: readonly Land[] = [
  { zone: 'Pacific/Pago_Pago', lats: [-14.5, -14.1], lons: [-171, -170.4] }, // Tutuila
  { zone: 'Pacific/Fakaofo', lats: [-9.6, -9.2], lons: [-171.5, -171] }, // Fakaofo
  { zone: 'America/Nome', lats: [63.2, 63.95], lons: [-172.2, -168.5] }, // St. Lawrence Island
  { zone: 'America/Nome', lats: [65.7, 65.8], lons: [-168.98, -168.85] }, // Little Diomede
  { zone: 'Asia/Anadyr', lats: [65, 67], lons: [-171, -169.5] }, // the east cape of Asia
]

const isIn = (value: number, [min, max]: readonly [number, number]): boolean => value > min && value < max

function zoneAtDegrees(lat: number, lon: number): string {
  const land = beyondDateLine.find(({ lats, lons }) => isIn(lat, lats) && isIn(lon, lons))
  return land?.zone ?? zoneAt(lat, lon)
}

/**
 * @param zone its name, or an offset such as +05:45.
 * @returns a function that returns the minutes by which the clock is ahead of UTC when it shows this time
 * (`2026-05-14T09:08:07`). For an hour that the clock skips or shows twice, those before the change (contract C42);
 * without the seconds of offsets before there were zones.
 * @throws RangeError if there is no such zone.
 */
export function createZoneClock(zone: string): (localTime: string) => number {
  const clockOf = createZone(zone)
  return (localTime) => {
    const local = Date.parse(`${localTime}Z`)
    return Math.trunc((local - clockOf(local)) / minuteMs) + 0
  }
}

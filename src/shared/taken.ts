// When a photo was taken: the moment of a camera's clock, by its own offset or by the time zone of its place.
import type { Capture } from './formats/capture.ts'
import type { Position } from './formats/gps.ts'
import { createZoneClock, zoneOf } from './geo/time-zones.ts'
import type { TakenZone } from './taken-words.ts'

export type { GivenSource, PositionSource, TakenZone } from './taken-words.ts'

export interface Taken {
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  /** Minutes that the clock there was ahead of UTC. */
  readonly offsetMinutes: number
  readonly zone: TakenZone
}

const minuteMs = 60_000

/** What the clock there showed, such as `2026-05-14T09:08:07.123`. */
export const localTimeOf = ({ at, offsetMinutes }: Pick<Taken, 'at' | 'offsetMinutes'>): string =>
  new Date(at + offsetMinutes * minuteMs).toISOString().slice(0, -1)

/** The day there, such as `2026-05-14`. */
export const dayOf = (taken: Pick<Taken, 'at' | 'offsetMinutes'>): string => localTimeOf(taken).slice(0, 10)

/** RFC 3339 with the offset; fractions of a second where there are some. */
export function writeTaken(taken: Pick<Taken, 'at' | 'offsetMinutes'>): string {
  const size = Math.abs(taken.offsetMinutes)
  const digits = [Math.floor(size / 60), size % 60].map((number) => String(number).padStart(2, '0'))
  return `${localTimeOf(taken).replace(/\.000$/, '')}${taken.offsetMinutes < 0 ? '-' : '+'}${digits.join(':')}`
}

/** The moment at which a clock that is so many minutes ahead of UTC shows this. */
export const instantOf = (localTime: string, offsetMinutes: number): number =>
  Date.parse(`${localTime}Z`) - offsetMinutes * minuteMs

/** At a place, or where none is known in the time zone of the site (setting SITE_TIME_ZONE). */
export function takenAtPlace(
  localTime: string,
  position: Position | null | undefined,
  siteZone: string,
): Taken {
  const zone = position ? 'position' : 'site'
  const offsetMinutes = createZoneClock(position ? zoneOf(position) : siteZone)(localTime)
  return { at: instantOf(localTime, offsetMinutes), offsetMinutes, zone }
}

/**
 * When a photo was taken, by its own metadata and by where it was taken; undefined where the metadata has no time.
 * @param position as it is known in the end, from wherever.
 */
export function takenFrom(
  { localTime, offsetMinutes }: Pick<Capture, 'localTime' | 'offsetMinutes'>,
  position: Position | null | undefined,
  siteZone: string,
): Taken | undefined {
  if (localTime === undefined) return undefined
  if (offsetMinutes === undefined) return takenAtPlace(localTime, position, siteZone)
  return { at: instantOf(localTime, offsetMinutes), offsetMinutes, zone: 'stated' }
}

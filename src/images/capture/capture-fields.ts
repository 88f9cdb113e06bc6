// The one place where capture data becomes part of an answer (contract C42, C43).
import type { TakenAtSetting } from '../../auth/guard.ts'
import { dayOf, writeTaken, type PositionSource, type TakenZone } from '../../shared/taken.ts'

/** As stored. */
export interface StoredCapture {
  /** Milliseconds since 1970 UTC. */
  readonly takenAt: number | null
  /** Minutes that the clock at the place was ahead of UTC. */
  readonly takenOffset: number | null
  readonly takenZone: TakenZone | null
  readonly positionSource: PositionSource | null
  readonly positionAccuracy: number | null
  readonly direction: number | null
  readonly altitude: number | null
}

/** An older node that clears a position leaves its source and its accuracy. */
type IsPlaced = boolean

/** What everyone learns who may see the photo. */
export function openFields(image: StoredCapture, isPlaced: IsPlaced) {
  return {
    takenAtZone: image.takenAt === null ? null : image.takenZone,
    positionSource: isPlaced ? image.positionSource : null,
    altitude: image.altitude,
  }
}

/** The fields that depend on the caller. */
export function takenFields(image: StoredCapture, isPlaced: IsPlaced, shown: TakenAtSetting) {
  const { takenAt: at, takenOffset: offsetMinutes } = image
  const taken = at === null || offsetMinutes === null ? undefined : { at, offsetMinutes }
  const isExact = shown === 'exact'
  return {
    takenOn: taken === undefined || shown === 'hidden' ? null : dayOf(taken),
    takenAt: taken === undefined || !isExact ? null : writeTaken(taken),
    positionAccuracy: isPlaced && isExact ? image.positionAccuracy : null,
    direction: isExact ? image.direction : null,
  }
}

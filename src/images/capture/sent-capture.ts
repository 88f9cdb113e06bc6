// Combines capture data that people enter with that of the file or the stored image.
import type { Capture } from '../../shared/formats/capture.ts'
import type { Position } from '../../shared/formats/gps.ts'
import {
  dayOf,
  localTimeOf,
  takenAtPlace,
  takenFrom,
  type GivenSource,
  type PositionSource,
  type Taken,
} from '../../shared/taken.ts'
import { refuse } from '../../errors.ts'
import type { StoredCapture } from './capture-fields.ts'

/** undefined if not sent, null if unknown. */
export interface SentCapture {
  readonly taken: Taken | null | undefined
  readonly positionSource: GivenSource | null | undefined
  readonly positionAccuracy: number | null | undefined
  readonly direction: number | null | undefined
  readonly altitude: number | null | undefined
}

export const nothingOfCapture: SentCapture = {
  taken: undefined,
  positionSource: undefined,
  positionAccuracy: undefined,
  direction: undefined,
  altitude: undefined,
}

export const saysNothingOfCapture = (sent: SentCapture): boolean =>
  sent.taken === undefined &&
  sent.positionSource === undefined &&
  sent.positionAccuracy === undefined &&
  sent.direction === undefined &&
  sent.altitude === undefined

/** The columns of a time. */
export const takenColumns = (taken: Taken | null | undefined) => ({
  taken_at: taken?.at ?? null,
  taken_offset: taken?.offsetMinutes ?? null,
  taken_zone: taken?.zone ?? null,
  taken_on: taken ? dayOf(taken) : null,
})

/** Nothing can be said of a position that is not known. @throws refusal `invalid-field`. */
export function refuseWithoutPosition({
  positionSource,
  positionAccuracy,
}: Pick<SentCapture, 'positionSource' | 'positionAccuracy'>): void {
  if (typeof positionSource !== 'string' && typeof positionAccuracy !== 'number') return
  throw refuse('invalid-field', {
    detail: 'positionSource and positionAccuracy belong to a position: omit them if it is null.',
  })
}

/**
 * The columns of an upload: the values sent, else those of the file.
 * @throws refusal `invalid-field` if it describes a position that neither has.
 */
export function capturedColumns(
  sent: SentCapture & { readonly position: Position | null | undefined },
  file: { readonly position: Position | undefined; readonly capture: Capture },
  siteZone: string,
) {
  const { capture } = file
  const isNew = sent.position !== undefined
  const position = isNew ? sent.position : file.position
  if (!position) refuseWithoutPosition(sent)
  const taken = sent.taken === undefined ? takenFrom(capture, position, siteZone) : sent.taken
  const ofPosition = isNew ? newPosition(sent) : { source: 'exif' as const, accuracy: capture.accuracy }
  const { source = ofPosition.source, accuracy = ofPosition.accuracy } = isNew
    ? {}
    : { source: sent.positionSource, accuracy: sent.positionAccuracy }
  return {
    ...takenColumns(taken),
    position_source: position ? source : null,
    position_accuracy: position ? (accuracy ?? null) : null,
    direction: (sent.direction === undefined ? capture.direction : sent.direction) ?? null,
    altitude: (altitudeOf(sent) === undefined ? capture.altitude : altitudeOf(sent)) ?? null,
    unread: '',
  }
}

/** Removing the position also removes the altitude: on a mountain it reveals nearly as much. */
const altitudeOf = ({
  position,
  altitude,
}: SentCapture & { readonly position: Position | null | undefined }): SentCapture['altitude'] =>
  position === null && altitude === undefined ? null : altitude

/** Without a source it is `given`, and the accuracy of the previous position no longer applies. */
const newPosition = ({ positionSource, positionAccuracy }: SentCapture) => ({
  source: positionSource ?? ('given' as const),
  accuracy: positionAccuracy ?? null,
})

/** The parts of the stored image that a change needs. */
export interface ChangedCapture extends Pick<StoredCapture, 'takenAt' | 'takenOffset' | 'takenZone'> {
  readonly lat: string
  readonly lon: string
}

const isSamePlace = (one: Position, other: Position): boolean =>
  Number(one.lat) === Number(other.lat) && Number(one.lon) === Number(other.lon)

/**
 * A time without an offset gets that of its position: if the position changes, the offset does, but not the clock time.
 */
function takenElsewhere(
  { takenAt: at, takenOffset: offsetMinutes, takenZone }: ChangedCapture,
  position: Position | null,
  siteZone: string,
): Taken | undefined {
  if (at === null || offsetMinutes === null || takenZone === null || takenZone === 'stated') return undefined
  return takenAtPlace(localTimeOf({ at, offsetMinutes }), position, siteZone)
}

export type CaptureUpdate = Partial<
  ReturnType<typeof takenColumns> & {
    position_source: PositionSource | null
    position_accuracy: number | null
    direction: number | null
    altitude: number | null
  }
>

/**
 * The columns of a change. A position equal to the stored one is not a change.
 * @throws refusal `invalid-field` if it describes an unknown position.
 */
export function captureUpdate(
  sent: SentCapture & { readonly position: Position | null | undefined },
  stored: ChangedCapture,
  siteZone: string,
): CaptureUpdate {
  const { position, taken, positionSource, positionAccuracy, direction } = sent
  const altitude = altitudeOf(sent)
  const isKnown = Number(stored.lat) !== 0 || Number(stored.lon) !== 0
  const isNew = position !== undefined && (position === null || !isKnown || !isSamePlace(position, stored))
  const moved = isNew ? takenElsewhere(stored, position, siteZone) : undefined
  const isPlaced = position === undefined ? isKnown : position !== null
  if (!isPlaced) refuseWithoutPosition(sent)
  const { source, accuracy } =
    isNew && isPlaced ? newPosition(sent) : { source: positionSource, accuracy: positionAccuracy }
  return {
    ...(taken !== undefined || moved !== undefined ? takenColumns(taken === undefined ? moved : taken) : {}),
    ...(isPlaced || !isNew ? {} : { position_source: null, position_accuracy: null }),
    ...(isPlaced && source !== undefined && { position_source: source }),
    ...(isPlaced && accuracy !== undefined && { position_accuracy: accuracy }),
    ...(direction !== undefined && { direction }),
    ...(altitude !== undefined && { altitude }),
  }
}

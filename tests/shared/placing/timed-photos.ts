// Photos as files that say when they were taken, and where only if asked to.
import {
  ascii,
  buildTiff,
  exifSegment,
  gpsEntries,
  insertSegments,
  tags,
} from '../../helpers/exif-fixtures.ts'

export interface TimedPhoto {
  /** 2026-05-14T09:08:07.123, the fraction as it is. */
  readonly localTime?: string
  /** +02:00 */
  readonly offset?: string
  readonly position?: { readonly lat: number; readonly lon: number }
}

export function timedPhoto(jpeg: Uint8Array, { localTime, offset, position }: TimedPhoto): Buffer {
  const [moment = '', fraction] = localTime?.split('.') ?? []
  const exif = [
    ...(localTime === undefined ? [] : [ascii(tags.takenAt, moment.replaceAll('-', ':').replace('T', ' '))]),
    ...(offset === undefined ? [] : [ascii(tags.offset, offset)]),
    ...(fraction === undefined ? [] : [ascii(tags.subSeconds, fraction)]),
  ]
  const gps = position === undefined ? {} : { gps: gpsEntries(position.lat, position.lon) }
  return insertSegments(jpeg, [exifSegment(buildTiff({ exif, ...gps }))])
}

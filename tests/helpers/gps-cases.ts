// EXIF GPS blocks for tests of the position rule: one valid position whose parts can be replaced.
import { positionFrom } from '../../src/shared/formats/gps.ts'
import type { Position } from '../../src/shared/formats/gps.ts'
import { ascii, buildTiff, tags, tiffTypes } from './exif-fixtures.ts'
import type { ByteOrder, TiffEntry } from './exif-fixtures.ts'

export type Parts = readonly (readonly [number, number])[]

export interface GpsCase {
  readonly lat?: Parts
  readonly lon?: Parts
  /** undefined omits the reference. */
  readonly latRef?: string | undefined
  readonly lonRef?: string | undefined
  readonly type?: number
  readonly byteOrder?: ByteOrder
}

export const north: Parts = [
  [50, 1],
  [17, 1],
  [5857, 100],
]
export const east: Parts = [
  [14, 1],
  [49, 1],
  [1306, 100],
]
export const found: Position = { lat: '50.2996028', lon: '14.8202944' }

export const exif = (bytes: Uint8Array) => ({ kind: 'exif', bytes }) as const
export const xmp = (packet: string) => ({ kind: 'xmp', bytes: Buffer.from(packet) }) as const

export function buildGps(values: GpsCase): Buffer {
  const { lat = north, lon = east, type = tiffTypes.rational, byteOrder = 'II' } = values
  const latRef = 'latRef' in values ? values.latRef : 'N'
  const lonRef = 'lonRef' in values ? values.lonRef : 'E'
  const gps: TiffEntry[] = [
    ...(latRef === undefined ? [] : [ascii(tags.latitudeReference, latRef)]),
    { tag: tags.latitude, type, values: lat },
    ...(lonRef === undefined ? [] : [ascii(tags.longitudeReference, lonRef)]),
    { tag: tags.longitude, type, values: lon },
  ]
  return buildTiff({ byteOrder, gps })
}

export function position(values: GpsCase): Position | undefined {
  return positionFrom([exif(buildGps(values))])
}

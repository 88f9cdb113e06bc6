// The form fields of a new privacy zone as typed, and in the form of the API.
import type { HiddenSize } from '../../../client/client.ts'

export interface ZoneFields {
  readonly name: string
  readonly lat: string
  readonly lon: string
  readonly radius: string
}

export const zoneRadius = { min: 50, max: 1_000 } as const

export const noZone: ZoneFields = { name: '', lat: '', lon: '', radius: '200' }

/** Enough digits for a metre. */
const degrees = (value: number): string => value.toFixed(5)

/** Normalizes the longitude of a map that was moved around the world. */
export const placedAt = (fields: ZoneFields, { lat, lon }: { lat: number; lon: number }): ZoneFields => ({
  ...fields,
  lat: degrees(lat),
  lon: degrees(((((lon + 180) % 360) + 360) % 360) - 180),
})

function numberIn(text: string, min: number, max: number): number | undefined {
  const value = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || Number.isNaN(value) || value < min || value > max ? undefined : value
}

export const latIn = ({ lat }: ZoneFields): number | undefined => numberIn(lat, -90, 90)
export const lonIn = ({ lon }: ZoneFields): number | undefined => numberIn(lon, -180, 180)
export const radiusIn = ({ radius }: ZoneFields): number | undefined =>
  numberIn(radius, zoneRadius.min, zoneRadius.max)

export interface Hidden {
  readonly radiusMetres: number
  /** Maximum distance between the centres of the zone and of its hidden circle. */
  readonly maxOffsetMetres: number
}

/** @returns undefined while the radius is invalid or the server has not answered. */
export function hiddenIn(fields: ZoneFields, sizes: readonly HiddenSize[] | undefined): Hidden | undefined {
  const radius = radiusIn(fields)
  const size = sizes?.find(({ maxRadius }) => radius !== undefined && radius <= maxRadius)
  if (radius === undefined || !size) return undefined
  return { radiusMetres: radius + size.added, maxOffsetMetres: size.added }
}

/** @returns undefined if something is missing or out of range. */
export function zoneIn(fields: ZoneFields) {
  const [lat, lon, radius] = [latIn(fields), lonIn(fields), radiusIn(fields)]
  if (lat === undefined || lon === undefined || radius === undefined) return undefined
  const name = fields.name.trim()
  return { lat, lon, radius, ...(name !== '' && { name }) }
}

/** West, south, east, north around the circles, with as much again on each side. */
export function boundsAround(
  circles: readonly { readonly lat: number; readonly lon: number; readonly radius: number }[],
): readonly [number, number, number, number] | undefined {
  if (circles.length === 0) return undefined
  const metresPerDegree = 111_320
  const sides = circles.map(({ lat, lon, radius }) => {
    const up = (2 * radius) / metresPerDegree
    const aside = up / Math.max(0.01, Math.cos((lat * Math.PI) / 180))
    return [lon - aside, lat - up, lon + aside, lat + up] as const
  })
  return [
    Math.min(...sides.map(([west]) => west)),
    Math.max(-90, Math.min(...sides.map(([, south]) => south))),
    Math.max(...sides.map(([, , east]) => east)),
    Math.min(90, Math.max(...sides.map(([, , , north]) => north))),
  ]
}

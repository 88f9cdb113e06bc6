// Latitude and longitude as people type or paste them.

export interface TypedPlace {
  readonly lat: number
  readonly lon: number
}

/** A comma counts as the point of decimals; a minus may be any of the three that keyboards and web pages have. */
function readDegrees(text: string, max: number): number | undefined {
  const plain = text.trim().replace(',', '.').replace(/^[−–]/, '-')
  if (!/^[+-]?\d{1,3}(?:\.\d*)?$/.test(plain)) return undefined
  const degrees = Number(plain)
  return Math.abs(degrees) <= max ? degrees : undefined
}

/** @returns undefined for what is no place; 0, 0 is none, since it stands for a place that is not known. */
export function readPlace(lat: string, lon: string): TypedPlace | undefined {
  const north = readDegrees(lat, 90)
  const east = readDegrees(lon, 180)
  if (north === undefined || east === undefined || (north === 0 && east === 0)) return undefined
  return { lat: north, lon: east }
}

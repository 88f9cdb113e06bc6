// Where on the map a position is, as one number: the tile of zoom 24 that holds it, x and y interleaved (Morton order).
// The cells of any tile of a lesser zoom are then one range, which an index can walk.

export const cellZoom = 24
const side = 2 ** cellZoom

/** The latitude at which the square of Web Mercator ends (EPSG:3857). */
const mostLatitude = 85.0511287798066

const clamp = (value: number): number => Math.min(side - 1, Math.max(0, Math.floor(value)))

/** Bits of the two, one by one; 48 in all, so no operator of 32 bits will do for the whole. */
function interleave(x: number, y: number): number {
  let cell = 0
  for (let bit = cellZoom - 1; bit >= 0; bit -= 1) cell = cell * 4 + ((y >> bit) & 1) * 2 + ((x >> bit) & 1)
  return cell
}

/** @param latitude degrees, WGS84. @param longitude degrees. @returns a whole number below 2^48. */
export function cellOf(latitude: number, longitude: number): number {
  const phi = (Math.min(mostLatitude, Math.max(-mostLatitude, latitude)) * Math.PI) / 180
  const x = ((longitude + 180) / 360) * side
  const y = ((1 - Math.asinh(Math.tan(phi)) / Math.PI) / 2) * side
  return interleave(clamp(x), clamp(y))
}

/** The cells within the tile: from the first to the last, both included. */
export function cellsOfTile(
  z: number,
  x: number,
  y: number,
): { readonly first: number; readonly last: number } {
  const scale = 2 ** (cellZoom - z)
  const first = interleave(x * scale, y * scale)
  return { first, last: first + scale * scale - 1 }
}

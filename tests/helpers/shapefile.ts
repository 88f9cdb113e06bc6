// Lines from the shapefiles in the corpus, roughly in degrees, for tests that need realistic lines.
import { inflateRawSync } from 'node:zlib'

/** The files of a zip by path, except dotfiles and folders. Nested zips are opened too. */
export function unzipped(zip: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)]
    const [nameLength, extra, comment] = [28, 30, 32].map((place) => zip.readUInt16LE(at + place))
    const place = zip.readUInt32LE(at + 42)
    const name = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0))
    const start = place + 30 + zip.readUInt16LE(place + 26) + zip.readUInt16LE(place + 28)
    const stored = zip.subarray(start, start + size)
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0)
    if (name.endsWith('/') || name.split('/').at(-1)?.startsWith('.')) continue
    const bytes = method === 0 ? stored : inflateRawSync(stored)
    if (!name.endsWith('.zip')) files.set(name, bytes)
    else for (const [inner, content] of unzipped(bytes)) files.set(`${name}/${inner}`, content)
  }
  return files
}

type Point = readonly [x: number, y: number]
type Box = readonly [west: number, south: number, east: number, north: number]

/** Shape types of lines and polygons, also with heights or measures. */
const shapesOfParts: ReadonlySet<number> = new Set([3, 5, 13, 15, 23, 25])

/** The parts of each shape, in the file's units. */
export function* partsOfShapes(shp: Buffer): Generator<Point[][], void> {
  for (let at = 100; at < shp.length; at += 8 + shp.readInt32BE(at + 4) * 2) {
    if (!shapesOfParts.has(shp.readInt32LE(at + 8))) continue
    const [parts, points] = [shp.readInt32LE(at + 44), shp.readInt32LE(at + 48)]
    const first = at + 52 + parts * 4
    const starts = Array.from({ length: parts }, (_, part) => shp.readInt32LE(at + 52 + part * 4))
    yield starts.map((start, part) =>
      Array.from({ length: (starts[part + 1] ?? points) - start }, (_, index): Point => {
        const place = first + (start + index) * 16
        return [shp.readDoubleLE(place), shp.readDoubleLE(place + 8)]
      }),
    )
  }
}

/** Maps the file's bounding box to one in degrees: the shapes are right, the exact position is not. */
export function stretched([x, y]: Point, from: Box, to: Box): { readonly lat: number; readonly lon: number } {
  const share = (value: number, min: number, max: number): number =>
    max === min ? 0 : (value - min) / (max - min)
  return {
    lon: to[0] + share(x, from[0], from[2]) * (to[2] - to[0]),
    lat: to[1] + share(y, from[1], from[3]) * (to[3] - to[1]),
  }
}

/** The bounding box in the file's header. */
export const boxOfShapes = (shp: Buffer): Box => [
  shp.readDoubleLE(36),
  shp.readDoubleLE(44),
  shp.readDoubleLE(52),
  shp.readDoubleLE(60),
]

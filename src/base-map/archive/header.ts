// The first 127 bytes of a PMTiles archive of version 3: the locations of its parts and the kind of its tiles.
import { foreignKind } from './foreign.ts'
import { wrongArchive } from './wrong-archive.ts'

export const headerBytes = 127
/** Header and root directory must be within these (specification, chapter 3). */
export const firstBytes = 16_384
export const maxMetadataBytes = 1024 ** 2
/** Up to this zoom, tile IDs are safe integers in JavaScript. */
export const maxArchiveZoom = 26

export const compressions = { none: 1, gzip: 2 } as const
export type Compression = keyof typeof compressions
const otherCompressions: Readonly<Record<number, string>> = { 0: 'unknown', 3: 'brotli', 4: 'zstd' }

export const tileTypes = { mvt: 1, png: 2, jpeg: 3, webp: 4, avif: 5 } as const
export type TileType = keyof typeof tileTypes

export interface Section {
  readonly offset: number
  readonly bytes: number
}

export interface Box {
  readonly west: number
  readonly south: number
  /** Less than west if the box crosses the antimeridian. */
  readonly east: number
  readonly north: number
}

export interface Header {
  readonly root: Section
  readonly metadata: Section
  readonly leaves: Section
  readonly tiles: Section
  /** Number of tiles, of directory entries, and of distinct tiles; 0 if unknown. */
  readonly counts: { readonly addressed: number; readonly entries: number; readonly contents: number }
  /** Compression of directories and metadata. */
  readonly internal: Compression
  readonly tileCompression: Compression
  readonly tileType: TileType
  readonly minZoom: number
  readonly maxZoom: number
  readonly bounds: Box
  readonly center: { readonly zoom: number; readonly longitude: number; readonly latitude: number }
}

function numberAt(bytes: Buffer, offset: number): number {
  const value = bytes.readBigUInt64LE(offset)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw wrongArchive('The PMTiles archive has a damaged header.')
  return Number(value)
}

const sectionAt = (bytes: Buffer, offset: number): Section => ({
  offset: numberAt(bytes, offset),
  bytes: numberAt(bytes, offset + 8),
})

function compressionAt(bytes: Buffer, offset: number, what: string): Compression {
  const value = bytes.readUInt8(offset)
  if (value === compressions.none) return 'none'
  if (value === compressions.gzip) return 'gzip'
  const name = otherCompressions[value] ?? `number ${value}`
  throw wrongArchive(
    `The ${what} of the archive are compressed in a way that browsers and this command do not read (${name}): only gzip and none are.`,
  )
}

function tileTypeAt(bytes: Buffer, offset: number): TileType {
  const value = bytes.readUInt8(offset)
  const found = (Object.keys(tileTypes) as TileType[]).find((name) => tileTypes[name] === value)
  if (found === undefined)
    throw wrongArchive(
      `The archive has tiles of an unknown type (${value}): only vector tiles and images are read.`,
    )
  return found
}

const degreesAt = (bytes: Buffer, offset: number): number => bytes.readInt32LE(offset) / 10_000_000

function requireWithin(sections: Readonly<Record<string, Section>>, fileBytes: number): void {
  for (const [name, { offset, bytes }] of Object.entries(sections)) {
    if (offset + bytes > fileBytes)
      throw wrongArchive(
        `The archive is cut off: its ${name} should end at byte ${offset + bytes}, but it has only ${fileBytes} bytes.`,
      )
  }
}

/**
 * @param bytes its first 16,384, or all of them. @param fileBytes its length.
 * @throws Error with one sentence if it is something else, truncated, or damaged.
 */
export function readHeader(bytes: Buffer, fileBytes: number): Header {
  const foreign = foreignKind(bytes)
  if (foreign !== undefined) throw wrongArchive(foreign)
  if (bytes.length < headerBytes) throw wrongArchive('The archive is cut off within its header.')
  const header: Header = {
    root: sectionAt(bytes, 8),
    metadata: sectionAt(bytes, 24),
    leaves: sectionAt(bytes, 40),
    tiles: sectionAt(bytes, 56),
    counts: {
      addressed: numberAt(bytes, 72),
      entries: numberAt(bytes, 80),
      contents: numberAt(bytes, 88),
    },
    internal: compressionAt(bytes, 97, 'directories'),
    tileCompression: compressionAt(bytes, 98, 'tiles'),
    tileType: tileTypeAt(bytes, 99),
    minZoom: bytes.readUInt8(100),
    maxZoom: bytes.readUInt8(101),
    bounds: {
      west: degreesAt(bytes, 102),
      south: degreesAt(bytes, 106),
      east: degreesAt(bytes, 110),
      north: degreesAt(bytes, 114),
    },
    center: {
      zoom: bytes.readUInt8(118),
      longitude: degreesAt(bytes, 119),
      latitude: degreesAt(bytes, 123),
    },
  }
  const { root, metadata, leaves, tiles } = header
  requireWithin({ 'root directory': root, metadata, directories: leaves, tiles }, fileBytes)
  if (root.offset < headerBytes || root.bytes === 0 || root.offset + root.bytes > firstBytes)
    throw wrongArchive(`The archive has its root directory outside its first ${firstBytes} bytes.`)
  if (metadata.bytes > maxMetadataBytes) throw wrongArchive('The archive has more than 1 MB of metadata.')
  if (header.maxZoom > maxArchiveZoom || header.minZoom > header.maxZoom)
    throw wrongArchive('The archive has a damaged header: its zoom levels are out of range.')
  return header
}

const putDegrees = (bytes: Buffer, offset: number, degrees: number): number =>
  bytes.writeInt32LE(Math.round(degrees * 10_000_000), offset)

/** For an archive whose tiles are in the order of its directories ("clustered"). */
export function writeHeader(header: Header): Buffer {
  const bytes = Buffer.alloc(headerBytes)
  bytes.write('PMTiles', 'latin1')
  bytes.writeUInt8(3, 7)
  const { root, metadata, leaves, tiles, counts, bounds, center } = header
  const numbers = [root, metadata, leaves, tiles].flatMap((section) => [section.offset, section.bytes])
  const all = [...numbers, counts.addressed, counts.entries, counts.contents]
  all.forEach((value, index) => bytes.writeBigUInt64LE(BigInt(value), 8 + index * 8))
  bytes.writeUInt8(1, 96)
  bytes.writeUInt8(compressions[header.internal], 97)
  bytes.writeUInt8(compressions[header.tileCompression], 98)
  bytes.writeUInt8(tileTypes[header.tileType], 99)
  bytes.writeUInt8(header.minZoom, 100)
  bytes.writeUInt8(header.maxZoom, 101)
  const degrees = [bounds.west, bounds.south, bounds.east, bounds.north]
  degrees.forEach((value, index) => putDegrees(bytes, 102 + index * 4, value))
  bytes.writeUInt8(center.zoom, 118)
  putDegrees(bytes, 119, center.longitude)
  putDegrees(bytes, 123, center.latitude)
  return bytes
}

// Builds PMTiles archives for tests with IDs and readers of the `pmtiles` package, so that our own writer is not checked
// against itself.
import { readFile } from 'node:fs/promises'
import { deflateSync, gzipSync } from 'node:zlib'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { PMTiles, zxyToTileId, type RangeResponse } from 'pmtiles'

export interface MadeTile {
  readonly z: number
  readonly x: number
  readonly y: number
  readonly bytes: Buffer
}

export interface ArchiveForm {
  /** Stores tile data in another order than that of the IDs. */
  readonly isShuffled?: boolean
  readonly leafEntries?: number
  /** Adds a second level of leaf directories. */
  readonly isDeep?: boolean
  readonly internal?: 'gzip' | 'none'
  readonly tileType?: number
  readonly tileCompression?: number
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly maxZoom?: number
}

interface Entry {
  readonly id: number
  run: number
  readonly length: number
  readonly offset: number
}

function varint(number: number): number[] {
  const bytes: number[] = []
  let rest = number
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

/** A directory as specified, column by column. */
export function directoryOf(entries: readonly Omit<Entry, never>[]): Buffer {
  const numbers = [
    entries.length,
    ...entries.map(({ id }, index) => id - (entries[index - 1]?.id ?? 0)),
    ...entries.map(({ run }) => run),
    ...entries.map(({ length }) => length),
    ...entries.map(({ offset }, index) => {
      const before = entries[index - 1]
      return before && before.offset + before.length === offset ? 0 : offset + 1
    }),
  ]
  return Buffer.from(numbers.flatMap(varint))
}

export interface HeaderFields {
  readonly root: readonly [number, number]
  readonly metadata: readonly [number, number]
  readonly leaves: readonly [number, number]
  readonly tiles: readonly [number, number]
  readonly internal?: number
  readonly tileCompression?: number
  readonly tileType?: number
  readonly maxZoom?: number
}

export function headerOf(fields: HeaderFields): Buffer {
  const {
    root,
    metadata,
    leaves,
    tiles,
    internal = 2,
    tileCompression = 2,
    tileType = 1,
    maxZoom = 15,
  } = fields
  const bytes = Buffer.alloc(127)
  bytes.write('PMTiles\u0003', 'latin1')
  for (const [index, value] of [root, metadata, leaves, tiles].flat().entries())
    bytes.writeBigUInt64LE(BigInt(value), 8 + index * 8)
  bytes.set([1, internal, tileCompression, tileType, 0, maxZoom], 96)
  for (const [index, degrees] of [-180, -85, 180, 85].entries())
    bytes.writeInt32LE(degrees * 10_000_000, 102 + index * 4)
  bytes.writeUInt8(3, 118)
  return bytes
}

/** A shuffled order, the same in every run. */
const scattered = (id: number): number => (id * 48_271) % 65_537

export function archiveOf(tiles: readonly MadeTile[], form: ArchiveForm = {}): Buffer {
  const { isShuffled = false, leafEntries = 4_096, isDeep = false, internal = 'gzip', metadata = {} } = form
  const pack = (bytes: Buffer): Buffer => (internal === 'gzip' ? gzipSync(bytes) : bytes)
  const named = tiles.map((tile) => ({ id: zxyToTileId(tile.z, tile.x, tile.y), bytes: tile.bytes }))
  named.sort((one, other) => one.id - other.id)
  const lying = isShuffled ? named.toSorted((one, other) => scattered(one.id) - scattered(other.id)) : named
  const offsets = new Map<string, number>()
  const data: Buffer[] = []
  let end = 0
  for (const { bytes } of lying) {
    const key = bytes.toString('latin1')
    if (offsets.has(key)) continue
    offsets.set(key, end)
    data.push(bytes)
    end += bytes.length
  }
  const entries: Entry[] = []
  for (const { id, bytes } of named) {
    const offset = offsets.get(bytes.toString('latin1')) ?? 0
    const last = entries.at(-1)
    if (last && last.offset === offset && last.id + last.run === id) last.run += 1
    else entries.push({ id, run: 1, length: bytes.length, offset })
  }
  const leaves: Buffer[] = []
  let leafEnd = 0
  const leafOf = (part: readonly Entry[]): Entry => {
    const packed = pack(directoryOf(part))
    leaves.push(packed)
    leafEnd += packed.length
    return { id: part[0]?.id ?? 0, run: 0, length: packed.length, offset: leafEnd - packed.length }
  }
  const inParts = (all: readonly Entry[], length: number): Entry[] =>
    Array.from({ length: Math.ceil(all.length / length) }, (_, at) =>
      leafOf(all.slice(at * length, (at + 1) * length)),
    )
  let top = entries.length > leafEntries || isDeep ? inParts(entries, leafEntries) : entries
  if (isDeep) top = inParts(top, 3)
  const root = pack(directoryOf(top))
  const about = pack(Buffer.from(JSON.stringify({ attribution: '© the test', ...metadata })))
  const leafBytes = Buffer.concat(leaves)
  const starts = [127, 127 + root.length, 127 + root.length + about.length]
  const tilesAt = 127 + root.length + about.length + leafBytes.length
  const header = headerOf({
    root: [starts[0] ?? 0, root.length],
    metadata: [starts[1] ?? 0, about.length],
    leaves: [starts[2] ?? 0, leafBytes.length],
    tiles: [tilesAt, end],
    internal: internal === 'gzip' ? 2 : 1,
    tileCompression: form.tileCompression ?? 2,
    tileType: form.tileType ?? 1,
    maxZoom: form.maxZoom ?? tiles.reduce((max, { z }) => Math.max(max, z), 0),
  })
  return Buffer.concat([header, root, about, leafBytes, ...data])
}

/** Every tile of these zooms, from `make`. */
export function tilesOf(
  minZoom: number,
  maxZoom: number,
  make: (z: number, x: number, y: number) => Buffer,
): MadeTile[] {
  const tiles: MadeTile[] = []
  for (let z = minZoom; z <= maxZoom; z += 1)
    for (let x = 0; x < 2 ** z; x += 1)
      for (let y = 0; y < 2 ** z; y += 1) tiles.push({ z, x, y, bytes: make(z, x, y) })
  return tiles
}

const writeTile = fromGeojsonVt as unknown as (
  layers: Readonly<Record<string, { readonly features: readonly unknown[] }>>,
  form: { readonly version: number; readonly extent: number },
) => Uint8Array

/** A vector tile with Protomaps layers. Every fourth column is sea, and all sea tiles are identical. */
export function protomapsTile(z: number, x: number, y: number): Buffer {
  const square = [
    [
      [0, 0],
      [4_096, 0],
      [4_096, 4_096],
      [0, 4_096],
      [0, 0],
    ],
  ]
  const water = { features: [{ id: 1, type: 3, tags: { kind: 'ocean' }, geometry: square }] }
  if (x % 4 === 3) return gzipSync(writeTile({ water }, { version: 2, extent: 4_096 }))
  const line = [
    [
      [0, (x * 97) % 4_096],
      [4_096, (y * 131) % 4_096],
    ],
  ]
  const layers = {
    earth: { features: [{ id: 1, type: 3, tags: { kind: 'earth' }, geometry: square }] },
    roads: {
      features: [{ id: 2, type: 2, tags: { kind: 'path', name: `Path ${z}/${x}/${y}` }, geometry: line }],
    },
    places: {
      features: [
        { id: 3, type: 1, tags: { kind: 'locality', name: `Place ${x}-${y}` }, geometry: [[2_048, 2_048]] },
      ],
    },
  }
  return gzipSync(writeTile(layers, { version: 2, extent: 4_096 }))
}

/** A few bytes that differ for each tile. */
export const plainTile = (z: number, x: number, y: number): Buffer =>
  deflateSync(Buffer.from(`${z}/${x}/${y}`))

/** Opens an archive file with MapLibre's reader. */
export async function readerOf(file: string): Promise<PMTiles> {
  const bytes = await readFile(file)
  return new PMTiles({
    getKey: () => file,
    getBytes: async (offset: number, length: number): Promise<RangeResponse> => ({
      data: new Uint8Array(bytes.subarray(offset, offset + length)).buffer,
    }),
  })
}

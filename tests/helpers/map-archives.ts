// Small PMTiles 3 files for tests: vector tiles with Protomaps layers from GeoJSON, and Terrarium tiles from a formula.
// They are small enough for one directory without leaves.
import { gzipSync } from 'node:zlib'
import { GeoJSONVT } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { Feature, FeatureCollection } from 'geojson'
import { zxyToTileId } from 'pmtiles'
import sharp from 'sharp'

/** West, south, east, north. */
export type Box = readonly [number, number, number, number]

export interface MapArchive {
  readonly tiles: ReadonlyMap<number, Uint8Array>
  /** As PMTiles numbers them: 1 is vector tiles, 2 is PNG. */
  readonly tileType: 1 | 2
  readonly minZoom: number
  readonly maxZoom: number
  readonly bounds: Box
  readonly metadata: Readonly<Record<string, unknown>>
}

const headerBytes = 127

/** Seven bits per byte, lowest first. */
function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  return [...bytes, rest]
}

export function writeArchive({ tiles, tileType, minZoom, maxZoom, bounds, metadata }: MapArchive): Buffer {
  const sorted = [...tiles].toSorted(([one], [other]) => one - other)
  const ids = sorted.map(([id]) => id)
  const lengths = sorted.map(([, bytes]) => bytes.length)
  const directory = Buffer.from([
    ...varint(sorted.length),
    ...ids.flatMap((id, at) => varint(id - (ids[at - 1] ?? 0))),
    ...ids.flatMap(() => varint(1)),
    ...lengths.flatMap((length) => varint(length)),
    // The first starts at 0, each of the others where the one before it ends.
    ...ids.flatMap((_, at) => varint(at === 0 ? 1 : 0)),
  ])
  const text = Buffer.from(JSON.stringify(metadata))
  const data = Buffer.concat(sorted.map(([, bytes]) => bytes))
  const header = Buffer.alloc(headerBytes)
  header.write('PMTiles')
  header.writeUInt8(3, 7)
  const places = [
    [headerBytes, directory.length],
    [headerBytes + directory.length, text.length],
    [headerBytes + directory.length + text.length, 0],
    [headerBytes + directory.length + text.length, data.length],
    [sorted.length, sorted.length],
  ].flat()
  for (const [at, value] of [...places, sorted.length].entries())
    header.writeBigUInt64LE(BigInt(value), 8 + 8 * at)
  header.set([1, 1, tileType === 1 ? 2 : 1, tileType, minZoom, maxZoom], 96)
  for (const [at, degrees] of bounds.entries()) header.writeInt32LE(Math.round(degrees * 1e7), 102 + 4 * at)
  return Buffer.concat([header, directory, text, data])
}

const column = (lon: number, zoom: number): number => Math.floor(((lon + 180) / 360) * 2 ** zoom)
function row(lat: number, zoom: number): number {
  const sine = Math.sin((lat * Math.PI) / 180)
  return Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** zoom)
}

function* placesIn([west, south, east, north]: Box, minZoom: number, maxZoom: number) {
  for (let z = minZoom; z <= maxZoom; z += 1)
    for (let x = column(west, z); x <= column(east, z); x += 1)
      for (let y = row(north, z); y <= row(south, z); y += 1) yield { z, x, y }
}

export type Layers = Readonly<Record<string, readonly Feature[]>>

interface CutTile {
  readonly features: readonly unknown[]
}
/** Its own types resolve to any. */
const cutter = GeoJSONVT as unknown as new (
  data: FeatureCollection,
  options: object,
) => { getTile: (z: number, x: number, y: number) => CutTile | null }
const writeTile = fromGeojsonVt as unknown as (layers: Record<string, CutTile>, form: object) => Uint8Array

/** @param metadata replaces the default, to create a file with other metadata. */
export function vectorArchive(layers: Layers, bounds: Box, metadata: object = {}): Buffer {
  const [minZoom, maxZoom, extent] = [0, 15, 4_096]
  const cut = Object.entries(layers).map(([name, features]) => {
    const data: FeatureCollection = { type: 'FeatureCollection', features: [...features] }
    return [name, new cutter(data, { maxZoom, indexMaxZoom: 6, extent, buffer: 64, tolerance: 1 })] as const
  })
  const tiles = new Map<number, Uint8Array>()
  for (const { z, x, y } of placesIn(bounds, minZoom, maxZoom)) {
    const found = cut.flatMap(([name, index]) => {
      const tile = index.getTile(z, x, y)
      return tile && tile.features.length > 0 ? [[name, tile] as const] : []
    })
    tiles.set(
      zxyToTileId(z, x, y),
      gzipSync(writeTile(Object.fromEntries(found), { version: 2, extent }), { level: 1 }),
    )
  }
  return writeArchive({
    tiles,
    tileType: 1,
    minZoom,
    maxZoom,
    bounds,
    metadata: { vector_layers: Object.keys(layers).map((id) => ({ id, fields: {} })), ...metadata },
  })
}

const tilePixels = 256

/** Coordinates of the centre of a pixel. */
function placeOf(z: number, x: number, y: number): readonly [lon: number, lat: number] {
  const across = 2 ** z
  const lat = (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / across))) * 180) / Math.PI
  return [(x / across) * 360 - 180, lat]
}

/** @param heightAt in metres. */
export async function terrainArchive(
  heightAt: (lon: number, lat: number) => number,
  bounds: Box,
  [minZoom, maxZoom]: readonly [number, number],
): Promise<Buffer> {
  const tiles = new Map<number, Uint8Array>()
  for (const { z, x, y } of placesIn(bounds, minZoom, maxZoom)) {
    const pixels = Buffer.alloc(tilePixels * tilePixels * 3)
    for (let at = 0; at < tilePixels * tilePixels; at += 1) {
      const [right, down] = [at % tilePixels, Math.floor(at / tilePixels)]
      const [lon, lat] = placeOf(z, x + (right + 0.5) / tilePixels, y + (down + 0.5) / tilePixels)
      const value = Math.round((heightAt(lon, lat) + 32_768) * 256)
      pixels.writeUIntBE(value, at * 3, 3)
    }
    const picture = sharp(pixels, { raw: { width: tilePixels, height: tilePixels, channels: 3 } })
    tiles.set(zxyToTileId(z, x, y), await picture.png({ compressionLevel: 3 }).toBuffer())
  }
  return writeArchive({
    tiles,
    tileType: 2,
    minZoom,
    maxZoom,
    bounds,
    metadata: { attribution: 'Heights of a formula' },
  })
}

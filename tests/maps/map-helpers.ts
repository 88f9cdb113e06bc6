// Shared by the tests of maps: photos at given positions, and an independent tile decoder.
import assert from 'node:assert/strict'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { positionColumns } from '../../src/images/image-table.ts'
import type { ImageState } from '../../src/database/schema.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import type { Person, Waymark } from '../helpers/waymark.ts'

export type Dot = readonly [x: number, y: number]

export interface DrawnFeature {
  readonly id: number | undefined
  readonly properties: Readonly<Record<string, string | number | boolean>>
  /** In tile units, 4096 per side. */
  readonly lines: readonly (readonly Dot[])[]
}

export type DrawnTile = Readonly<Record<string, readonly DrawnFeature[]>>

export function decodeTile(bytes: Uint8Array): DrawnTile {
  const { layers } = new VectorTile(new PbfReader(bytes))
  return Object.fromEntries(
    Object.entries(layers).map(([name, layer]) => {
      assert.deepEqual([layer.version, layer.extent], [2, 4096], name)
      const features = Array.from({ length: layer.length }, (_, at) => {
        const feature = layer.feature(at)
        const lines = feature.loadGeometry().map((line) => line.map(({ x, y }): Dot => [x, y]))
        return { id: feature.id, properties: { ...feature.properties }, lines }
      })
      return [name, features]
    }),
  )
}

export async function tileOf(waymark: Waymark, key: string, address: string): Promise<DrawnTile> {
  const answer = await waymark.fetch(`/v2/tiles/${address}.mvt?api_key=${key}`)
  assert.equal(answer.status, 200, `${address}: ${answer.status}`)
  return decodeTile(new Uint8Array(await answer.arrayBuffer()))
}

const maxLatitude = 85.051_128_779_806_6

/** Where on the square of Web Mercator, by the textbook's formula. */
export function squareOf(lat: number, lon: number): Dot {
  const phi = (Math.min(maxLatitude, Math.max(-maxLatitude, lat)) * Math.PI) / 180
  return [(lon + 180) / 360, (1 - Math.log(Math.tan(phi) + 1 / Math.cos(phi)) / Math.PI) / 2]
}

/** The tile of the zoom that a place is in: on an edge, the eastern or southern one, and never one outside of the world. */
export function tileNumbers(lat: number, lon: number, zoom: number): readonly [x: number, y: number] {
  const side = 2 ** zoom
  const [x, y] = squareOf(lat, lon).map((share) => Math.min(side - 1, Math.max(0, Math.floor(share * side))))
  return [x ?? NaN, y ?? NaN]
}

export interface Place {
  readonly lat: number
  readonly lon: number
}

export interface PutPhoto {
  readonly trailId: number
  readonly state?: ImageState
  readonly place?: Place | undefined
  readonly title?: string
}

export interface Photos {
  /** @returns their ids, in order. */
  put(photos: readonly PutPhoto[]): Promise<number[]>
}

/** Photos as rows of one upload, since a thousand uploads would take minutes. */
export async function createPhotos(waymark: Waymark, person: Person, trailId: number): Promise<Photos> {
  const { db } = waymark.installation.database
  const first = await waymark.upload(person, trailId, await jpegPicture())
  const model = await db.selectFrom('image').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
  let seq = 1_000
  let nextId = 9_000_000_000_000
  return {
    put: async (photos) => {
      const rows = photos.map(({ trailId: trail, state = 'approved', place, title = 'A title' }) => {
        seq += 1
        nextId += 1
        const position = place && { lat: String(place.lat), lon: String(place.lon) }
        return {
          ...model,
          ...positionColumns(position),
          id: nextId,
          seq,
          trail_id: trail,
          state,
          title,
          queued_at: null,
        }
      })
      for (let at = 0; at < rows.length; at += 100)
        await db
          .insertInto('image')
          .values(rows.slice(at, at + 100))
          .execute()
      return rows.map(({ id }) => id)
    },
  }
}

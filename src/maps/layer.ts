// The common type of a tile's layers: a tile is its layers in sequence, so each is encoded and cached separately.
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { tileExtent } from './world.ts'

export type Dot = readonly [x: number, y: number]

/** A feature in dots of its tile, as geojson-vt makes and vt-pbf takes it; their types reach us as any. */
export interface TileFeature {
  readonly id: number
  /** Values of the specification: a point or a line. */
  readonly type: 1 | 2
  readonly tags: Readonly<Record<string, string | number>>
  readonly geometry: readonly Dot[] | readonly (readonly Dot[])[]
}

/** A layer of one tile. */
export interface Layer {
  /** None if it has nothing to show. */
  readonly bytes: Buffer
  /** The count of commits before the queries: the layer is valid until a later commit changes what it shows. */
  readonly since: number
  /** What it was drawn from, if that takes long. */
  readonly source?: string | undefined
}

/** Counts work beyond that of an ordinary tile. @throws refusal `too-many-requests`. */
export type Charge = (cost: number) => void

const writeTile = fromGeojsonVt as unknown as (
  layers: Readonly<Record<string, { readonly features: readonly TileFeature[] }>>,
  form: { readonly version: number; readonly extent: number },
) => Uint8Array

export function writeLayer(name: string, features: readonly TileFeature[]): Buffer {
  if (features.length === 0) return Buffer.alloc(0)
  // A copy, so that the cache retains nothing else.
  return Buffer.from(writeTile({ [name]: { features } }, { version: 2, extent: tileExtent }))
}

// What the layers of a tile have in common: a tile is its layers, one after the other, so each is written and kept alone.
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { tileExtent } from './world.ts'

export type Dot = readonly [x: number, y: number]

/** A feature in dots of its tile, as geojson-vt makes and vt-pbf takes it; their types reach us as any. */
export interface TileFeature {
  readonly id: number
  /** Of the specification: a point or a line. */
  readonly type: 1 | 2
  readonly tags: Readonly<Record<string, string | number>>
  readonly geometry: readonly Dot[] | readonly (readonly Dot[])[]
}

/** A layer of one tile. */
export interface Layer {
  /** None where it has nothing to show. */
  readonly bytes: Buffer
  /** The count of commits before it was looked up: it holds until one of those after touches what it shows. */
  readonly since: number
  /** Of what it was drawn from, where that takes long. */
  readonly source?: string | undefined
}

/** Counts what is done beyond what every tile takes. @throws refusal `too-many-requests`. */
export type Charge = (cost: number) => void

const writeTile = fromGeojsonVt as unknown as (
  layers: Readonly<Record<string, { readonly features: readonly TileFeature[] }>>,
  form: { readonly version: number; readonly extent: number },
) => Uint8Array

export function writeLayer(name: string, features: readonly TileFeature[]): Buffer {
  if (features.length === 0) return Buffer.alloc(0)
  // Of its own memory, which is all that the cache holds.
  return Buffer.from(writeTile({ [name]: { features } }, { version: 2, extent: tileExtent }))
}

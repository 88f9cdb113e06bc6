// Finds map features within a few pixels of the pointer, since nobody hits a line exactly.
import type { Map as MapLibreMap, MapGeoJSONFeature, MapMouseEvent } from 'maplibre-gl'
import type { Neighbour } from './kinds.ts'

const reachPx = 7

/** From the topmost to the lowest. */
const layers = ['pointed', 'points', 'clusters', 'lines', 'around-photos', 'around-trails']

export type Hit =
  | { readonly kind: 'thing'; readonly id: string }
  | { readonly kind: 'cluster'; readonly clusterId: number; readonly at: [number, number] }
  | { readonly kind: 'neighbour'; readonly neighbour: Neighbour }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : NaN)

function neighbourOf({ layer, properties }: MapGeoJSONFeature): Neighbour {
  const trailId = numberOf(properties['trailID'])
  return layer.id === 'around-photos'
    ? { kind: 'photo', id: numberOf(properties['imageID']), trailId, name: textOf(properties['title']) }
    : { kind: 'trail', id: trailId, trailId, name: textOf(properties['name']) }
}

function read(feature: MapGeoJSONFeature): Hit | undefined {
  const { layer, properties, geometry } = feature
  if (layer.id.startsWith('around-')) return { kind: 'neighbour', neighbour: neighbourOf(feature) }
  if (layer.id !== 'clusters') return { kind: 'thing', id: textOf(properties['id']) }
  if (geometry.type !== 'Point') return undefined
  const [lon = 0, lat = 0] = geometry.coordinates
  return { kind: 'cluster', clusterId: numberOf(properties['cluster_id']), at: [lon, lat] }
}

export function hitAt(map: MapLibreMap, { point: { x, y } }: MapMouseEvent): Hit | undefined {
  const there = layers.filter((id) => map.getLayer(id))
  if (there.length === 0) return undefined
  const box: [[number, number], [number, number]] = [
    [x - reachPx, y - reachPx],
    [x + reachPx, y + reachPx],
  ]
  const found = map.queryRenderedFeatures(box, { layers: there })
  const ranked = found.toSorted((one, other) => layers.indexOf(one.layer.id) - layers.indexOf(other.layer.id))
  return ranked[0] && read(ranked[0])
}

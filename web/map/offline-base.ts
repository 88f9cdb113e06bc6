// The built-in map, which needs no map data: the outlines of the world (Natural Earth, public domain) and a
// graticule. At high zoom the outlines would be kilometres off, so they fade out.
import type {
  ExpressionSpecification,
  GeoJSONSource,
  LayerSpecification,
  Map as MapLibreMap,
  SourceSpecification,
} from 'maplibre-gl'
import type { FeatureCollection, Geometry } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import type { Base } from './base.ts'
import { mapColours, type MapColours } from './colours.ts'
import { graticule, nothing } from './geometry.ts'
import { fonts } from './style/map-text.ts'
import { unroll } from './unroll.ts'

/** Below this zoom the coarse outlines are enough; above `minTrueZoom` none are drawn. */
const fineZoom = 3
const minTrueZoom = 10

const fading = (max: number): ExpressionSpecification => [
  'interpolate',
  ['linear'],
  ['zoom'],
  8,
  max,
  minTrueZoom,
  0,
]

type World = Topology<{ land: GeometryCollection; countries: GeometryCollection }>

/** Each in a separate chunk, loaded when needed. */
async function readWorld(size: 'coarse' | 'fine'): Promise<World> {
  const file =
    size === 'coarse' ? import('world-atlas/countries-110m.json') : import('world-atlas/countries-50m.json')
  return (await file).default
}

const landOf = (world: World): FeatureCollection => {
  const { features } = feature(world, world.objects.land)
  return {
    type: 'FeatureCollection',
    features: features.map(({ properties, geometry }) => ({
      type: 'Feature',
      properties,
      geometry: unroll(geometry),
    })),
  }
}

/** Only borders between countries: the coast is drawn separately. */
const bordersOf = (world: World): Geometry =>
  unroll(mesh(world, world.objects.countries, (one, other) => one !== other))

const offlineSources: Readonly<Record<string, SourceSpecification>> = {
  land: { type: 'geojson', data: nothing },
  countries: { type: 'geojson', data: nothing },
  graticule: { type: 'geojson', data: nothing },
}

/** The graticule with labels: besides the scale bar, the only orientation at high zoom. */
const graticuleLayers = (colours: MapColours): readonly LayerSpecification[] => [
  {
    id: 'graticule',
    type: 'line',
    source: 'graticule',
    paint: { 'line-color': colours.grid, 'line-width': ['interpolate', ['linear'], ['zoom'], 8, 1, 11, 0.6] },
  },
  {
    id: 'graticule-labels',
    type: 'symbol',
    source: 'graticule',
    layout: {
      'symbol-placement': 'line',
      'symbol-spacing': 600,
      'text-field': ['get', 'label'],
      'text-font': fonts.plain,
      'text-size': 10,
      'text-offset': [0, -0.6],
    },
    paint: {
      'text-color': colours.text,
      'text-opacity': 0.7,
      'text-halo-color': colours.halo,
      'text-halo-width': 1,
    },
  },
]

const offlineLayers = (colours: MapColours): readonly LayerSpecification[] => [
  {
    id: 'background',
    type: 'background',
    paint: {
      'background-color': ['interpolate', ['linear'], ['zoom'], 8, colours.water, minTrueZoom, colours.land],
    },
  },
  {
    id: 'land',
    type: 'fill',
    source: 'land',
    maxzoom: minTrueZoom,
    paint: { 'fill-color': colours.land, 'fill-antialias': true },
  },
  {
    id: 'coast',
    type: 'line',
    source: 'land',
    maxzoom: minTrueZoom,
    paint: { 'line-color': colours.coast, 'line-width': 1, 'line-opacity': fading(1) },
  },
  {
    id: 'borders',
    type: 'line',
    source: 'countries',
    maxzoom: minTrueZoom,
    paint: { 'line-color': colours.border, 'line-width': 1, 'line-opacity': fading(0.9) },
  },
  ...graticuleLayers(colours),
]

export const offlineBase: Base = {
  sources: offlineSources,
  layers: ({ scheme }) => offlineLayers(mapColours[scheme]),
  takesRelief: true,
  isOffline: true,
}

const sourceOf = (map: MapLibreMap, id: string): GeoJSONSource | undefined => map.getSource<GeoJSONSource>(id)

/** Updates the graticule as the map moves, and loads the outlines for its zoom. @returns a function that ends this. */
export function keepOffline(map: MapLibreMap): () => void {
  let shown: 'coarse' | 'fine' | undefined
  let isGone = false

  async function showWorld(size: 'coarse' | 'fine'): Promise<void> {
    shown = size
    const world = await readWorld(size)
    if (isGone || shown !== size) return
    void sourceOf(map, 'land')?.setData(landOf(world))
    void sourceOf(map, 'countries')?.setData(bordersOf(world))
  }

  function follow(): void {
    const zoom = map.getZoom()
    const box = map.getBounds()
    const lines = graticule([box.getWest(), box.getSouth(), box.getEast(), box.getNorth()])
    void sourceOf(map, 'graticule')?.setData(lines)
    const needed = zoom < fineZoom ? 'coarse' : 'fine'
    // Once loaded, the fine outlines are also used for the whole world.
    if (zoom >= minTrueZoom || shown === needed || shown === 'fine') return
    void showWorld(needed).catch(() => {
      shown = undefined
    })
  }

  map.on('moveend', follow)
  follow()
  return () => {
    isGone = true
    map.off('moveend', follow)
  }
}

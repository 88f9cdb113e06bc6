// The operator's own base map (MAP_PMTILES), one file that is read in ranges: vector tiles as Protomaps makes them, or images.
import { addProtocol, type LayerSpecification, type SourceSpecification } from 'maplibre-gl'
import { PMTiles, Protocol, TileType } from 'pmtiles'
import type { MapColours } from './colours.ts'
import { labelFont } from './layers.ts'

const protocol = new Protocol({ metadata: true })
addProtocol('pmtiles', protocol.tile)

export interface PmtilesBase {
  readonly sources: Readonly<Record<string, SourceSpecification>>
  readonly layers: (colours: MapColours) => readonly LayerSpecification[]
}

const inLayer = (layer: string) => ({ source: 'base', 'source-layer': layer }) as const

/** The layers that tiles of Protomaps have; what a file lacks is not drawn. */
const vectorLayers = (colours: MapColours): readonly LayerSpecification[] => [
  { id: 'background', type: 'background', paint: { 'background-color': colours.water } },
  { id: 'earth', type: 'fill', ...inLayer('earth'), paint: { 'fill-color': colours.land } },
  {
    id: 'landcover',
    type: 'fill',
    ...inLayer('landcover'),
    maxzoom: 8,
    filter: ['in', ['get', 'kind'], ['literal', ['forest', 'grassland', 'scrub']]],
    paint: { 'fill-color': colours.green, 'fill-opacity': 0.6 },
  },
  {
    id: 'greens',
    type: 'fill',
    ...inLayer('landuse'),
    filter: [
      'in',
      ['get', 'kind'],
      [
        'literal',
        ['forest', 'wood', 'park', 'nature_reserve', 'national_park', 'protected_area', 'grass', 'meadow'],
      ],
    ],
    paint: { 'fill-color': colours.green, 'fill-opacity': 0.7 },
  },
  {
    id: 'water',
    type: 'fill',
    ...inLayer('water'),
    filter: ['==', ['geometry-type'], 'Polygon'],
    paint: { 'fill-color': colours.water },
  },
  {
    id: 'rivers',
    type: 'line',
    ...inLayer('water'),
    filter: ['==', ['geometry-type'], 'LineString'],
    paint: { 'line-color': colours.coast, 'line-width': 1 },
  },
  {
    id: 'buildings',
    type: 'fill',
    ...inLayer('buildings'),
    minzoom: 14,
    paint: { 'fill-color': colours.built },
  },
  {
    id: 'paths',
    type: 'line',
    ...inLayer('roads'),
    minzoom: 12,
    filter: ['==', ['get', 'kind'], 'path'],
    paint: { 'line-color': colours.road, 'line-width': 1.2, 'line-dasharray': [2, 1.5] },
  },
  {
    id: 'roads',
    type: 'line',
    ...inLayer('roads'),
    filter: ['!', ['in', ['get', 'kind'], ['literal', ['path', 'rail', 'ferry']]]],
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: {
      'line-color': colours.road,
      'line-width': ['interpolate', ['exponential', 1.5], ['zoom'], 6, 0.5, 12, 1.4, 18, 10],
    },
  },
  {
    id: 'frontiers',
    type: 'line',
    ...inLayer('boundaries'),
    paint: { 'line-color': colours.border, 'line-width': 1, 'line-dasharray': [3, 2] },
  },
  {
    id: 'places',
    type: 'symbol',
    ...inLayer('places'),
    layout: {
      'text-field': ['coalesce', ['get', 'name'], ''],
      'text-font': labelFont,
      'text-size': ['interpolate', ['linear'], ['zoom'], 4, 11, 14, 15],
      'text-max-width': 8,
    },
    paint: { 'text-color': colours.text, 'text-halo-color': colours.halo, 'text-halo-width': 1.5 },
  },
]

const imageLayers = (colours: MapColours): readonly LayerSpecification[] => [
  { id: 'background', type: 'background', paint: { 'background-color': colours.water } },
  { id: 'base', type: 'raster', source: 'base' },
]

/** @throws where the file cannot be read. */
export async function readPmtilesBase(address: string): Promise<PmtilesBase> {
  const archive = new PMTiles(address)
  protocol.add(archive)
  const { tileType } = await archive.getHeader()
  const url = `pmtiles://${address}`
  return tileType === TileType.Mvt
    ? { sources: { base: { type: 'vector', url } }, layers: vectorLayers }
    : { sources: { base: { type: 'raster', url, tileSize: 256 } }, layers: imageLayers }
}

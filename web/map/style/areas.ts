// Our style for Protomaps tiles (schema 4), from the bottom: land cover, water, buildings.
import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl'
import type { StyleColours } from './map-style-colours.ts'

export const inLayer = (layer: string) => ({ source: 'base', 'source-layer': layer }) as const

export const isKind = (...kinds: readonly string[]): ExpressionSpecification => [
  'in',
  ['get', 'kind'],
  ['literal', kinds],
]

export const isShape = (shape: 'Point' | 'LineString' | 'Polygon'): ExpressionSpecification => [
  '==',
  ['geometry-type'],
  shape,
]

/** Interpolates between two zooms; constant outside. */
export const byZoom = (...stops: readonly number[]): ExpressionSpecification => [
  'interpolate',
  ['exponential', 1.5],
  ['zoom'],
  ...stops,
]

/** Areas with special rules, whatever grows there. */
const isReserve: ExpressionSpecification = [
  'all',
  isShape('Polygon'),
  isKind('national_park', 'nature_reserve', 'protected_area'),
]

/** The colour of each kind; others look like the land. */
const covers = (colours: StyleColours): readonly (readonly [readonly string[], string])[] => [
  [['forest', 'wood'], colours.forest],
  [['grass', 'grassland', 'meadow', 'village_green', 'recreation_ground', 'golf_course'], colours.grass],
  [['scrub', 'heath', 'orchard', 'vineyard', 'allotments'], colours.scrub],
  [['barren', 'bare_rock', 'scree', 'quarry'], colours.rock],
  [['sand', 'beach'], colours.sand],
  [['glacier'], colours.ice],
  [['wetland'], colours.wetland],
  [['farmland', 'farmyard'], colours.farmland],
  [['park', 'garden', 'cemetery', 'camp_site', 'pitch', 'playground', 'zoo'], colours.park],
  [['residential', 'urban_area', 'school', 'hospital', 'university', 'pedestrian'], colours.town],
  [['industrial', 'commercial', 'railway', 'military', 'aerodrome'], colours.works],
]

const kindsIn = (colours: StyleColours): readonly string[] => covers(colours).flatMap(([kinds]) => kinds)

const toneOf = (colours: StyleColours): ExpressionSpecification =>
  covers(colours).reduce<ExpressionSpecification>(
    (otherwise, [kinds, colour]) => ['case', isKind(...kinds), colour, otherwise],
    ['literal', colours.land],
  )

function waterLayers(colours: StyleColours): readonly LayerSpecification[] {
  const isDry = ['==', ['get', 'intermittent'], true] satisfies ExpressionSpecification
  return [
    {
      id: 'water',
      type: 'fill',
      ...inLayer('water'),
      filter: isShape('Polygon'),
      paint: { 'fill-color': colours.water },
    },
    {
      id: 'shores',
      type: 'line',
      ...inLayer('water'),
      minzoom: 11,
      filter: isShape('Polygon'),
      paint: { 'line-color': colours.shore, 'line-width': 0.8, 'line-opacity': 0.7 },
    },
    {
      id: 'rivers',
      type: 'line',
      ...inLayer('water'),
      filter: ['all', isShape('LineString'), isKind('river', 'canal')],
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': colours.shore, 'line-width': byZoom(8, 0.8, 12, 1.8, 16, 4, 20, 12) },
    },
    {
      id: 'streams',
      type: 'line',
      ...inLayer('water'),
      minzoom: 12,
      filter: ['all', isShape('LineString'), ['!', isKind('river', 'canal')], ['!', isDry]],
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': colours.shore, 'line-width': byZoom(12, 0.7, 16, 2, 20, 6) },
    },
    {
      id: 'dry-streams',
      type: 'line',
      ...inLayer('water'),
      minzoom: 13,
      filter: ['all', isShape('LineString'), ['!', isKind('river', 'canal')], isDry],
      paint: {
        'line-color': colours.shore,
        'line-width': byZoom(13, 0.7, 16, 1.6, 20, 5),
        'line-dasharray': [4, 2],
      },
    },
  ]
}

export const areaLayers = (colours: StyleColours): readonly LayerSpecification[] => [
  // The colour of land: a file of one region ends somewhere, and that is not a coast. The sea comes with the tiles.
  { id: 'background', type: 'background', paint: { 'background-color': colours.land } },
  {
    id: 'earth',
    type: 'fill',
    ...inLayer('earth'),
    filter: isShape('Polygon'),
    paint: { 'fill-color': colours.land },
  },
  {
    id: 'landcover',
    type: 'fill',
    ...inLayer('landcover'),
    filter: isKind(...kindsIn(colours)),
    paint: {
      'fill-color': toneOf(colours),
      // Replaced by land use.
      'fill-opacity': ['interpolate', ['linear'], ['zoom'], 6, 1, 8, 0],
    },
  },
  {
    id: 'landuse',
    type: 'fill',
    ...inLayer('landuse'),
    filter: ['all', isShape('Polygon'), isKind(...kindsIn(colours))],
    paint: { 'fill-color': toneOf(colours) },
  },
  {
    id: 'reserves',
    type: 'fill',
    ...inLayer('landuse'),
    filter: isReserve,
    paint: { 'fill-color': colours.reserve, 'fill-opacity': 0.12 },
  },
  {
    id: 'reserve-edges',
    type: 'line',
    ...inLayer('landuse'),
    minzoom: 9,
    filter: isReserve,
    paint: {
      'line-color': colours.reserve,
      'line-width': 1.6,
      'line-opacity': 0.8,
      'line-dasharray': [4, 2],
    },
  },
  // Above the relief, which is inserted below the first line: a lake has no slopes.
  ...waterLayers(colours),
]

/** Above the relief, whose shading would make them look dirty. */
export const buildingLayers = (colours: StyleColours): readonly LayerSpecification[] => [
  {
    id: 'buildings',
    type: 'fill',
    ...inLayer('buildings'),
    minzoom: 13,
    filter: isKind('building', 'building_part'),
    paint: { 'fill-color': colours.building, 'fill-outline-color': colours.wall },
  },
]

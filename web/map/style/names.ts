// Our style for Protomaps tiles: names, from low to high priority. Trail lines are below them.
import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl'
import { inLayer, isKind, isShape } from './areas.ts'
import type { MapLook } from './look.ts'
import { peakIcon } from './map-icons.ts'
import { styleColours } from './map-style-colours.ts'
import { fonts, heightText, nameIn } from './map-text.ts'

const haloed = (colour: string, halo: string, width = 1.6) =>
  ({ 'text-color': colour, 'text-halo-color': halo, 'text-halo-width': width }) as const

/** For places: the lower it is, the earlier it is shown. Cities have a high rank, hamlets a low one. */
const bySize: ExpressionSpecification = [
  '-',
  ['coalesce', ['get', 'min_zoom'], 14],
  ['/', ['coalesce', ['get', 'population_rank'], 0], 20],
]

const rank: ExpressionSpecification = ['coalesce', ['get', 'population_rank'], 0]

const placeSize: ExpressionSpecification = [
  'interpolate',
  ['linear'],
  ['zoom'],
  4,
  ['interpolate', ['linear'], rank, 8, 10.5, 14, 14],
  10,
  ['interpolate', ['linear'], rank, 2, 11, 8, 13, 14, 19],
  15,
  ['interpolate', ['linear'], rank, 0, 12, 6, 14.5, 12, 20],
]

const alongLine = { 'symbol-placement': 'line', 'text-max-angle': 35, 'symbol-spacing': 300 } as const

function lineNames(look: MapLook): readonly LayerSpecification[] {
  const colours = styleColours[look.scheme]
  const name = nameIn(look)
  return [
    {
      id: 'river-names',
      type: 'symbol',
      ...inLayer('water'),
      minzoom: 11,
      filter: isShape('LineString'),
      layout: {
        ...alongLine,
        'text-field': name,
        'text-font': fonts.italic,
        'text-size': ['interpolate', ['linear'], ['zoom'], 11, 11, 16, 13.5],
        'text-letter-spacing': 0.08,
      },
      paint: haloed(colours.waterName, colours.halo, 1.4),
    },
    {
      id: 'path-names',
      type: 'symbol',
      ...inLayer('roads'),
      minzoom: 14,
      filter: isKind('path', 'track', 'other'),
      layout: {
        ...alongLine,
        'text-field': name,
        'text-font': fonts.plain,
        'text-size': 11.5,
        'text-offset': [0, -0.9],
      },
      paint: haloed(colours.path, colours.halo),
    },
    {
      id: 'road-names',
      type: 'symbol',
      ...inLayer('roads'),
      minzoom: 12,
      filter: [
        'step',
        ['zoom'],
        isKind('highway', 'major_road', 'medium_road'),
        14,
        isKind('highway', 'major_road', 'medium_road', 'minor_road'),
      ],
      layout: {
        ...alongLine,
        'text-field': [
          'case',
          ['==', name, ''],
          ['coalesce', ['get', 'ref'], ['get', 'shield_text'], ''],
          name,
        ],
        'text-font': fonts.plain,
        'text-size': ['interpolate', ['linear'], ['zoom'], 12, 11, 17, 13.5],
      },
      paint: haloed(colours.quietName, colours.halo),
    },
  ]
}

function areaNames(look: MapLook): readonly LayerSpecification[] {
  const colours = styleColours[look.scheme]
  const name = nameIn(look)
  return [
    {
      id: 'water-names',
      type: 'symbol',
      ...inLayer('water'),
      filter: isShape('Point'),
      layout: {
        'text-field': name,
        'text-font': fonts.italic,
        'text-size': ['interpolate', ['linear'], ['zoom'], 3, 11, 14, 14],
        'text-letter-spacing': 0.06,
        'text-max-width': 8,
      },
      paint: haloed(colours.waterName, colours.halo, 1.4),
    },
    {
      id: 'nature-names',
      type: 'symbol',
      ...inLayer('pois'),
      minzoom: 9,
      filter: isKind('national_park', 'nature_reserve', 'protected_area', 'forest', 'wood', 'park'),
      layout: {
        'text-field': name,
        'text-font': fonts.italic,
        'text-size': ['interpolate', ['linear'], ['zoom'], 9, 11, 15, 13],
        'text-max-width': 8,
      },
      paint: haloed(colours.natureName, colours.halo),
    },
    {
      id: 'useful-names',
      type: 'symbol',
      ...inLayer('pois'),
      minzoom: 14,
      filter: isKind(
        'alpine_hut',
        'wilderness_hut',
        'shelter',
        'viewpoint',
        'camp_site',
        'station',
        'attraction',
        'waterfall',
        'cave_entrance',
        'saddle',
      ),
      layout: { 'text-field': name, 'text-font': fonts.plain, 'text-size': 11.5, 'text-max-width': 8 },
      paint: haloed(colours.quietName, colours.halo),
    },
  ]
}

/** Schema 4 has `elevation`, the previous one `ele`; either as a number or as text. */
const elevation: ExpressionSpecification = [
  'to-number',
  ['coalesce', ['get', 'elevation'], ['get', 'ele']],
  Number.MIN_SAFE_INTEGER,
]

function peakNames(look: MapLook): LayerSpecification {
  const colours = styleColours[look.scheme]
  const hasHeight: ExpressionSpecification = ['>', elevation, Number.MIN_SAFE_INTEGER]
  return {
    id: 'peaks',
    type: 'symbol',
    ...inLayer('pois'),
    minzoom: 10,
    filter: isKind('peak', 'volcano'),
    layout: {
      'icon-image': peakIcon,
      'icon-size': ['interpolate', ['linear'], ['zoom'], 10, 0.8, 15, 1.1],
      'symbol-sort-key': ['-', ['case', hasHeight, elevation, 0]],
      'text-field': [
        'format',
        nameIn(look),
        { 'text-font': ['literal', fonts.bold] },
        ['case', hasHeight, ['concat', '\n', heightText(elevation, look)], ''],
        { 'font-scale': 0.92 },
      ],
      'text-font': fonts.plain,
      'text-size': ['interpolate', ['linear'], ['zoom'], 10, 11, 15, 12.5],
      'text-anchor': 'top',
      'text-offset': [0, 0.6],
      'text-max-width': 8,
      'text-optional': true,
    },
    paint: {
      ...haloed(colours.peak, colours.halo),
      'icon-color': colours.peak,
      'icon-halo-color': colours.halo,
      'icon-halo-width': 1.5,
    },
  }
}

function placeNames(look: MapLook): readonly LayerSpecification[] {
  const colours = styleColours[look.scheme]
  const name = nameIn(look)
  return [
    {
      id: 'quarters',
      type: 'symbol',
      ...inLayer('places'),
      minzoom: 12,
      filter: isKind('neighbourhood', 'macrohood', 'suburb', 'quarter'),
      layout: {
        'text-field': name,
        'text-font': fonts.plain,
        'text-size': 11.5,
        'text-letter-spacing': 0.08,
        'text-max-width': 8,
      },
      paint: haloed(colours.quietName, colours.halo),
    },
    {
      id: 'region-names',
      type: 'symbol',
      ...inLayer('places'),
      minzoom: 4,
      maxzoom: 9,
      filter: isKind('region'),
      layout: {
        'text-field': name,
        'text-font': fonts.plain,
        'text-size': 12.5,
        'text-letter-spacing': 0.12,
        'text-max-width': 8,
      },
      paint: haloed(colours.quietName, colours.halo),
    },
    {
      id: 'places',
      type: 'symbol',
      ...inLayer('places'),
      filter: isKind('locality', 'city', 'town', 'village', 'hamlet'),
      layout: {
        'text-field': name,
        'text-font': ['case', ['>=', rank, 8], ['literal', fonts.bold], ['literal', fonts.plain]],
        'text-size': placeSize,
        'text-max-width': 8,
        'symbol-sort-key': bySize,
        'text-padding': 4,
      },
      paint: haloed(colours.name, colours.halo, 1.8),
    },
    {
      id: 'country-names',
      type: 'symbol',
      ...inLayer('places'),
      maxzoom: 8,
      filter: isKind('country'),
      layout: {
        'text-field': name,
        'text-font': fonts.bold,
        'text-size': ['interpolate', ['linear'], ['zoom'], 2, 11, 6, 17],
        'text-max-width': 7,
      },
      paint: haloed(colours.name, colours.halo, 1.8),
    },
  ]
}

/** From bottom to top: if two collide, the later one is shown. */
export const nameLayers = (look: MapLook): readonly LayerSpecification[] => [
  ...lineNames(look),
  ...areaNames(look),
  peakNames(look),
  ...placeNames(look),
]

// Our style for Protomaps tiles: roads with a casing by class, and paths, tracks and steps for hikers, dashed and in
// a colour that no road has.
import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl'
import { byZoom, inLayer, isKind } from './areas.ts'
import type { StyleColours } from './map-style-colours.ts'

const round = { 'line-cap': 'round', 'line-join': 'round' } as const

const isDetail = (...details: readonly string[]): ExpressionSpecification => [
  'in',
  ['coalesce', ['get', 'kind_detail'], ''],
  ['literal', details],
]

/** Schema 4 has true and false, the previous one yes and no. */
const isTrue = (name: string): ExpressionSpecification => ['in', ['get', name], ['literal', [true, 'yes']]]

const isTunnel = isTrue('is_tunnel')
const isBridge = isTrue('is_bridge')
const isSteps: ExpressionSpecification = ['all', isKind('path'), isDetail('steps')]
const isTrack: ExpressionSpecification = ['any', isDetail('track'), ['==', ['get', 'kind'], 'track']]
const isPath: ExpressionSpecification = ['all', isKind('path'), ['!', isDetail('steps', 'track', 'pier')]]

interface RoadClass {
  readonly id: 'highway' | 'major' | 'minor' | 'service'
  readonly minzoom: number
  readonly filter: ExpressionSpecification
  /** Width of the fill by zoom; the casing is wider by the edge. */
  readonly widths: readonly number[]
  readonly edge: number
}

/** From minor to major, so that major roads are on top. */
const roads: readonly RoadClass[] = [
  {
    id: 'service',
    minzoom: 14,
    filter: ['any', ['all', isKind('minor_road'), isDetail('service')], isKind('other')],
    widths: [14, 0.8, 16, 3, 20, 14],
    edge: 0.8,
  },
  {
    id: 'minor',
    minzoom: 11,
    filter: ['all', isKind('minor_road'), ['!', isDetail('service')]],
    widths: [11, 0.5, 14, 2.4, 16, 6, 20, 26],
    edge: 0.9,
  },
  {
    id: 'major',
    minzoom: 6,
    filter: isKind('major_road', 'medium_road'),
    widths: [6, 0.4, 10, 1.4, 14, 4.5, 16, 9, 20, 36],
    edge: 1.1,
  },
  {
    id: 'highway',
    minzoom: 4,
    filter: isKind('highway'),
    widths: [4, 0.6, 8, 1.6, 12, 3.6, 16, 12, 20, 46],
    edge: 1.3,
  },
]

const broader = (widths: readonly number[], edge: number): number[] =>
  widths.map((value, at) => (at % 2 === 0 ? value : value + 2 * edge))

const coloursOf = (colours: StyleColours, id: RoadClass['id']) =>
  id === 'service' ? colours.minor : colours[id]

const casing = (
  colours: StyleColours,
  { id, minzoom, filter, widths, edge }: RoadClass,
): LayerSpecification => ({
  id: `${id}-casing`,
  type: 'line',
  ...inLayer('roads'),
  minzoom: Math.max(minzoom, 9),
  filter,
  layout: { 'line-join': 'round' },
  paint: {
    'line-color': coloursOf(colours, id).casing,
    'line-width': byZoom(...broader(widths, edge)),
    // A bridge has a stronger casing than a road, a tunnel a fainter one.
    'line-opacity': ['case', isTunnel, 0.35, isBridge, 1, 0.85],
  },
})

const fill = (colours: StyleColours, { id, minzoom, filter, widths }: RoadClass): LayerSpecification => ({
  id,
  type: 'line',
  ...inLayer('roads'),
  minzoom,
  filter,
  layout: round,
  paint: {
    'line-color': coloursOf(colours, id).fill,
    'line-width': byZoom(...widths),
    'line-opacity': ['case', isTunnel, 0.45, 1],
  },
})

function footLayers(colours: StyleColours): readonly LayerSpecification[] {
  const foot = (
    id: string,
    minzoom: number,
    filter: ExpressionSpecification,
    widths: readonly number[],
    dashes: number[],
  ): LayerSpecification => ({
    id,
    type: 'line',
    ...inLayer('roads'),
    minzoom,
    filter,
    layout: { 'line-join': 'round' },
    paint: { 'line-color': colours.path, 'line-width': byZoom(...widths), 'line-dasharray': dashes },
  })
  return [
    {
      id: 'foot-casing',
      type: 'line',
      ...inLayer('roads'),
      minzoom: 13,
      filter: ['any', isPath, isTrack, isSteps],
      layout: round,
      paint: {
        'line-color': colours.pathCasing,
        'line-width': byZoom(13, 2.6, 16, 5.5, 20, 12),
        'line-opacity': 0.75,
      },
    },
    foot('tracks', 11, isTrack, [11, 0.9, 14, 1.7, 16, 2.8, 20, 6], [6, 1.6]),
    foot('paths', 11, isPath, [11, 0.8, 14, 1.5, 16, 2.4, 20, 5], [2.6, 1.4]),
    foot('steps', 13, isSteps, [13, 2, 16, 4.5, 20, 9], [0.5, 0.5]),
  ]
}

function railLayers(colours: StyleColours): readonly LayerSpecification[] {
  return [
    {
      id: 'rails',
      type: 'line',
      ...inLayer('roads'),
      minzoom: 9,
      filter: isKind('rail'),
      paint: { 'line-color': colours.rail, 'line-width': byZoom(9, 0.7, 14, 1.5, 20, 4) },
    },
    {
      id: 'sleepers',
      type: 'line',
      ...inLayer('roads'),
      minzoom: 13,
      filter: isKind('rail'),
      paint: {
        'line-color': colours.rail,
        'line-width': byZoom(13, 3, 16, 6, 20, 14),
        'line-dasharray': [0.25, 2.5],
      },
    },
    {
      id: 'lifts',
      type: 'line',
      ...inLayer('roads'),
      minzoom: 11,
      filter: isKind('aerialway'),
      paint: { 'line-color': colours.rail, 'line-width': 1.4, 'line-dasharray': [8, 1.5, 1, 1.5] },
    },
    {
      id: 'ferries',
      type: 'line',
      ...inLayer('roads'),
      minzoom: 7,
      filter: isKind('ferry'),
      paint: { 'line-color': colours.ferry, 'line-width': 1.2, 'line-dasharray': [4, 3] },
    },
    {
      id: 'piers',
      type: 'line',
      ...inLayer('roads'),
      minzoom: 13,
      filter: isDetail('pier'),
      paint: { 'line-color': colours.land, 'line-width': byZoom(13, 1.5, 16, 5, 20, 18) },
    },
  ]
}

export function borderLayers(colours: StyleColours): readonly LayerSpecification[] {
  const level: ExpressionSpecification = ['to-number', ['get', 'kind_detail'], 99]
  const isCountry: ExpressionSpecification = ['any', isKind('country'), ['<=', level, 2]]
  return [
    {
      id: 'regions',
      type: 'line',
      ...inLayer('boundaries'),
      minzoom: 4,
      filter: ['all', ['!', isCountry], ['any', isKind('region'), ['<=', level, 4]]],
      paint: { 'line-color': colours.border, 'line-width': 1, 'line-opacity': 0.6, 'line-dasharray': [3, 2] },
    },
    {
      id: 'countries',
      type: 'line',
      ...inLayer('boundaries'),
      filter: isCountry,
      paint: {
        'line-color': colours.border,
        'line-width': byZoom(2, 0.8, 8, 1.6, 14, 2.6),
        'line-opacity': ['case', isTrue('disputed'), 0.5, 0.9],
        'line-dasharray': [5, 1.5, 1, 1.5],
      },
    },
  ]
}

export const wayLayers = (colours: StyleColours): readonly LayerSpecification[] => [
  ...railLayers(colours),
  ...roads.map((road) => casing(colours, road)),
  ...roads.map((road) => fill(colours, road)),
  ...footLayers(colours),
]

// The layers of every map, whatever its base: surroundings, circles, lines and points, with their styles.
import type { ExpressionSpecification, LayerSpecification, SourceSpecification } from 'maplibre-gl'
import {
  groundLayers,
  neighbourLayers,
  neighbourPoints,
  rounded,
  type LayerChoices,
} from './around-layers.ts'
import type { MapColours } from './colours.ts'
import { nothing } from './geometry.ts'
import type { MapViewProps } from './kinds.ts'
import { dotIcon } from './style/map-icons.ts'
import { fonts } from './style/map-text.ts'

export interface OverlayChoices {
  readonly tileUrl: string
  readonly neighbours: NonNullable<MapViewProps['neighbours']>
  readonly isClustered: boolean
}

const geojson = { type: 'geojson', data: nothing, promoteId: 'id' } as const

export function overlaySources({ tileUrl, neighbours, isClustered }: OverlayChoices) {
  const clustered = { cluster: true, clusterRadius: 42, clusterMaxZoom: 17 } as const
  const own: Record<string, SourceSpecification> = {
    circles: geojson,
    lines: geojson,
    marks: { type: 'geojson', data: nothing },
    points: isClustered
      ? { ...geojson, ...clustered, clusterProperties: { count: ['+', ['get', 'count']] } }
      : geojson,
    pointed: geojson,
  }
  if (neighbours === 'none') return own
  return { around: { type: 'vector', tiles: [tileUrl], maxzoom: 18 } satisfies SourceSpecification, ...own }
}

const lineTones = ({ lines }: MapColours): ExpressionSpecification => [
  'match',
  ['get', 'tone'],
  'route',
  lines.route,
  'draft',
  lines.draft,
  'muted',
  lines.muted,
  lines.trail,
]

const pointTones = ({ points }: MapColours): ExpressionSpecification => [
  'match',
  ['get', 'tone'],
  'pending',
  points.pending,
  'bad',
  points.bad,
  'you',
  points.you,
  points.photo,
]

const circleTones = ({ circle, points }: MapColours): ExpressionSpecification => [
  'match',
  ['get', 'tone'],
  'accuracy',
  points.you,
  circle,
]

const isPointed: ExpressionSpecification = ['boolean', ['feature-state', 'pointed'], false]

function lineLayers(colours: MapColours): readonly LayerSpecification[] {
  return [
    {
      id: 'circles',
      type: 'fill',
      source: 'circles',
      paint: { 'fill-color': circleTones(colours), 'fill-opacity': 0.15 },
    },
    {
      id: 'circle-edges',
      type: 'line',
      source: 'circles',
      paint: { 'line-color': circleTones(colours), 'line-width': 1.5, 'line-dasharray': [3, 2] },
    },
    {
      id: 'line-casings',
      type: 'line',
      source: 'lines',
      layout: rounded,
      paint: { 'line-color': colours.casing, 'line-width': ['case', isPointed, 10, 6], 'line-opacity': 0.9 },
    },
    {
      id: 'lines',
      type: 'line',
      source: 'lines',
      layout: rounded,
      paint: {
        'line-color': ['case', isPointed, colours.pointed, lineTones(colours)],
        'line-width': ['case', isPointed, 5, 3.5],
      },
    },
  ]
}

/** The label of a point: the number of things it represents, or nothing. */
const countText: ExpressionSpecification = [
  'case',
  ['>', ['get', 'count'], 1],
  ['case', ['>', ['get', 'count'], 999], '999+', ['to-string', ['get', 'count']]],
  '',
]
const isMany: ExpressionSpecification = ['>', ['get', 'count'], 1]

function pointLayers(colours: MapColours): readonly LayerSpecification[] {
  return [
    {
      id: 'points',
      type: 'circle',
      source: 'points',
      filter: ['!', ['has', 'cluster']],
      paint: {
        'circle-color': pointTones(colours),
        'circle-radius': ['case', isMany, 12, 7],
        'circle-stroke-color': colours.casing,
        'circle-stroke-width': 2,
      },
    },
    {
      id: 'clusters',
      type: 'circle',
      source: 'points',
      filter: ['has', 'cluster'],
      paint: {
        'circle-color': colours.cluster,
        'circle-radius': ['interpolate', ['linear'], ['log10', ['get', 'count']], 0.3, 13, 3, 24],
        'circle-stroke-color': colours.casing,
        'circle-stroke-width': 2.5,
      },
    },
    {
      id: 'counts',
      type: 'symbol',
      source: 'points',
      layout: {
        'text-field': countText,
        'text-font': fonts.plain,
        'text-size': 12,
        'text-allow-overlap': true,
        'text-ignore-placement': true,
      },
      paint: { 'text-color': colours.onCluster },
    },
    {
      id: 'labels',
      type: 'symbol',
      source: 'points',
      filter: ['all', ['!', ['has', 'cluster']], ['!=', ['get', 'label'], '']],
      layout: {
        'text-field': ['get', 'label'],
        'text-font': fonts.plain,
        'text-size': 12.5,
        'text-anchor': 'top',
        'text-offset': [0, 0.9],
        'text-max-width': 9,
        'text-optional': true,
      },
      paint: { 'text-color': colours.text, 'text-halo-color': colours.halo, 'text-halo-width': 1.5 },
    },
    {
      id: 'pointed',
      type: 'circle',
      source: 'pointed',
      paint: {
        'circle-color': colours.pointed,
        'circle-radius': 9,
        'circle-stroke-color': colours.casing,
        'circle-stroke-width': 3,
      },
    },
  ]
}

/** The distance from the start, along the line; more marks when zoomed in. */
const marks = (colours: MapColours): LayerSpecification => ({
  id: 'marks',
  type: 'symbol',
  source: 'marks',
  minzoom: 8,
  filter: ['>=', ['get', 'weight'], ['step', ['zoom'], 10, 9.5, 5, 11.5, 1]],
  layout: {
    'icon-image': dotIcon,
    'icon-overlap': 'always',
    'text-field': ['get', 'text'],
    'text-font': fonts.plain,
    'text-size': 11,
    'text-variable-anchor': ['right', 'left', 'bottom', 'top'],
    'text-radial-offset': 0.65,
    'text-optional': false,
    'symbol-sort-key': ['-', ['get', 'weight']],
  },
  paint: {
    'text-color': colours.text,
    'text-halo-color': colours.halo,
    'text-halo-width': 1.6,
    'icon-color': colours.casing,
    'icon-halo-color': colours.text,
    'icon-halo-width': 1,
  },
})

/** From bottom to top: lines are below the names of the base map, points above them. */
export const overlayLayers = (
  colours: MapColours,
  choices: LayerChoices,
): { readonly lines: readonly LayerSpecification[]; readonly points: readonly LayerSpecification[] } => ({
  lines: [
    ...groundLayers(colours, choices),
    ...neighbourLayers(colours, choices.neighbours),
    ...lineLayers(colours),
  ],
  points: [...neighbourPoints(colours, choices.neighbours), marks(colours), ...pointLayers(colours)],
})

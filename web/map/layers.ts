// What lies on every map, whatever its base: neighbours, circles, lines and points, with their looks.
import type { ExpressionSpecification, LayerSpecification, SourceSpecification } from 'maplibre-gl'
import type { MapColours } from './colours.ts'
import { nothing } from './geometry.ts'
import type { MapViewProps } from './kinds.ts'

/** Of the system: without a glyph server, MapLibre draws the letters itself. */
export const labelFont = ['sans-serif']

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
const rounded = { 'line-cap': 'round', 'line-join': 'round' } as const

function neighbourLayers(
  colours: MapColours,
  neighbours: OverlayChoices['neighbours'],
): readonly LayerSpecification[] {
  if (neighbours === 'none') return []
  const trails: LayerSpecification = {
    id: 'around-trails',
    type: 'line',
    source: 'around',
    'source-layer': 'trails',
    layout: rounded,
    paint: {
      'line-color': colours.neighbour,
      'line-width': ['interpolate', ['linear'], ['zoom'], 5, 1.5, 14, 3],
      'line-opacity': 0.75,
    },
  }
  const photos: LayerSpecification = {
    id: 'around-photos',
    type: 'circle',
    source: 'around',
    'source-layer': 'photos',
    minzoom: 9,
    paint: { 'circle-color': colours.neighbour, 'circle-radius': 3, 'circle-opacity': 0.8 },
  }
  return neighbours === 'trails' ? [trails] : [trails, photos]
}

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

/** What is on a point: how many things it stands for, or nothing. */
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
        'text-font': labelFont,
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
        'text-font': labelFont,
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

/** From below to above. */
export const overlayLayers = (
  colours: MapColours,
  neighbours: OverlayChoices['neighbours'],
): readonly LayerSpecification[] => [
  ...neighbourLayers(colours, neighbours),
  ...lineLayers(colours),
  ...pointLayers(colours),
]

// The surroundings on every map: all trails of the service with their names, its photos, and on the plain built-in
// map a hint of the ground along the lines.
import type { LayerSpecification } from 'maplibre-gl'
import type { MapColours } from './colours.ts'
import type { MapViewProps } from './kinds.ts'
import { fonts } from './style/map-text.ts'

type Neighbours = NonNullable<MapViewProps['neighbours']>

export const rounded = { 'line-cap': 'round', 'line-join': 'round' } as const

export interface LayerChoices {
  readonly neighbours: Neighbours
  /** Nothing else on that map shows what is there, so the lines get some ground around them. */
  readonly isOnPaper: boolean
}

const ground = (colours: MapColours, id: string, from: Readonly<Record<string, string>>) =>
  ({
    id,
    type: 'line',
    source: 'around',
    ...from,
    minzoom: 8,
    layout: rounded,
    paint: {
      'line-color': colours.ground,
      'line-width': ['interpolate', ['exponential', 1.4], ['zoom'], 8, 10, 16, 150],
      'line-blur': ['interpolate', ['exponential', 1.4], ['zoom'], 8, 6, 16, 90],
      'line-opacity': ['interpolate', ['linear'], ['zoom'], 8, 0, 10, 1],
    },
  }) satisfies LayerSpecification

export function groundLayers(
  colours: MapColours,
  { isOnPaper, neighbours }: LayerChoices,
): readonly LayerSpecification[] {
  if (!isOnPaper) return []
  const own = ground(colours, 'line-ground', { source: 'lines' })
  if (neighbours === 'none') return [own]
  return [ground(colours, 'around-ground', { 'source-layer': 'trails' }), own]
}

export function neighbourLayers(colours: MapColours, neighbours: Neighbours): readonly LayerSpecification[] {
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
  return [trails]
}

/** Above names and lines, since they are small and can be clicked. */
export function neighbourPoints(colours: MapColours, neighbours: Neighbours): readonly LayerSpecification[] {
  if (neighbours === 'none') return []
  const names: LayerSpecification = {
    id: 'around-names',
    type: 'symbol',
    source: 'around',
    'source-layer': 'trails',
    minzoom: 10,
    layout: {
      'symbol-placement': 'line',
      'symbol-spacing': 350,
      'text-max-angle': 35,
      'text-field': ['get', 'name'],
      'text-font': fonts.bold,
      'text-size': ['interpolate', ['linear'], ['zoom'], 9, 11, 15, 13],
      'text-offset': [0, 1.1],
    },
    paint: { 'text-color': colours.lines.trail, 'text-halo-color': colours.halo, 'text-halo-width': 1.8 },
  }
  const photos: LayerSpecification = {
    id: 'around-photos',
    type: 'circle',
    source: 'around',
    'source-layer': 'photos',
    minzoom: 9,
    paint: { 'circle-color': colours.neighbour, 'circle-radius': 3, 'circle-opacity': 0.8 },
  }
  return neighbours === 'trails' ? [names] : [names, photos]
}

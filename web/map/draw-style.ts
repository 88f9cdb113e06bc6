// Adds layers to the map in order: base, relief, our lines, names, our points; and replaces them when colours or
// units change.
import type { LayerSpecification, Map as MapLibreMap, VectorTileSource } from 'maplibre-gl'
import type { Base } from './base.ts'
import { mapColours } from './colours.ts'
import { overlayLayers, overlaySources, type OverlayChoices } from './layers.ts'
import type { Relief } from './relief/relief.ts'
import type { MapLook } from './style/look.ts'

/** The layer where names begin: above all areas and lines. */
function firstName(map: MapLibreMap): string | undefined {
  const { layers } = map.getStyle()
  const last = layers.findLastIndex(({ type }) => type !== 'symbol')
  return layers[last + 1]?.id
}

/** Adds our layers to a style that has just been loaded. */
export function addOverlay(
  map: MapLibreMap,
  choices: OverlayChoices & Pick<Drawn, 'base'>,
  look: MapLook,
): void {
  const { neighbours, base } = choices
  const { lines, points } = overlayLayers(mapColours[look.scheme], { neighbours, isOnPaper: base.isOffline })
  for (const [id, source] of Object.entries(overlaySources(choices))) map.addSource(id, source)
  const above = firstName(map)
  for (const layer of lines) map.addLayer(layer, above)
  for (const layer of points) map.addLayer(layer)
}

/** Below roads and rivers, with the elevations among the names. Call it when the overlay exists. */
export function addRelief(map: MapLibreMap, relief: Relief, look: MapLook): void {
  const { layers } = map.getStyle()
  const firstLine = layers.find(({ type }) => type === 'line')?.id
  const ours = layers.findIndex(({ id }) => id === 'lines')
  const afterOurs = layers[ours + 1]?.id
  for (const [id, source] of Object.entries(relief.sources(look))) map.addSource(id, source)
  for (const layer of relief.layers(look)) map.addLayer(layer, firstLine)
  for (const layer of relief.nameLayers(look)) map.addLayer(layer, afterOurs)
}

interface Drawn {
  readonly base: Base
  readonly relief: Relief | undefined
  readonly neighbours: OverlayChoices['neighbours']
}

type PaintName = Parameters<MapLibreMap['setPaintProperty']>[1]
type LayoutName = Parameters<MapLibreMap['setLayoutProperty']>[1]

function redrawLayer(map: MapLibreMap, { id, paint = {}, layout = {} }: LayerSpecification): void {
  if (!map.getLayer(id)) return
  for (const [name, value] of Object.entries(paint)) map.setPaintProperty(id, name as PaintName, value)
  for (const [name, value] of Object.entries(layout)) map.setLayoutProperty(id, name as LayoutName, value)
}

/** Unchanged layers are cheap: MapLibre compares. */
export function redraw(map: MapLibreMap, { base, relief, neighbours }: Drawn, look: MapLook): void {
  const { lines, points } = overlayLayers(mapColours[look.scheme], { neighbours, isOnPaper: base.isOffline })
  const ofRelief = relief ? [...relief.layers(look), ...relief.nameLayers(look)] : []
  for (const layer of [...base.layers(look), ...ofRelief, ...lines, ...points]) redrawLayer(map, layer)
  if (!relief) return
  const contours = map.getSource<VectorTileSource>('contours')
  const tiles = relief.contourTiles(look)
  // The last value set: `contours.tiles` follows only with the next frame, and is undefined before the first.
  const given: { readonly tiles?: readonly string[] } | undefined = contours?.serialize()
  if (contours && given?.tiles?.[0] !== tiles[0]) contours.setTiles(tiles)
}

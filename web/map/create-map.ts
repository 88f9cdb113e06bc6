// Makes the map itself: MapLibre with its worker from our own origin, our layers on the base, and the controls.
import 'maplibre-gl/dist/maplibre-gl.css'
import {
  AttributionControl,
  Map as MapLibreMap,
  NavigationControl,
  setWorkerUrl,
  type MapOptions,
  type StyleSpecification,
} from 'maplibre-gl'
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url'
import { mapStrings } from '../strings/map.ts'
import { offlineBase, type Base } from './base.ts'
import { mapColours, type ColourScheme } from './colours.ts'
import { roomy } from './geometry.ts'
import type { Bounds } from './kinds.ts'
import { overlayLayers, overlaySources, type OverlayChoices } from './layers.ts'

setWorkerUrl(new URL(workerUrl, import.meta.url).href)

/** Of the whole service; pages say `initialBounds` where they know better. */
const world: Bounds = [-170, -55, 180, 75]

export interface MapChoices extends OverlayChoices {
  readonly container: HTMLElement
  readonly label: string
  readonly base: Base
  readonly scheme: ColourScheme
  readonly initialBounds: Bounds | undefined
  readonly letsPageScroll: boolean
  /** Below it, requests are our own service's and go as its page's. */
  readonly baseUrl: string
}

export const toBox = (bounds: Bounds): [number, number, number, number] => [...roomy(bounds)]

const styleOf = (base: Base, scheme: ColourScheme): StyleSpecification => ({
  version: 8,
  sources: { ...base.sources },
  layers: [...base.layers(mapColours[scheme])],
})

/** The words of MapLibre's own parts. */
const localeOf = (label: string): Record<string, string> => ({
  'Map.Title': label,
  'NavigationControl.ZoomIn': mapStrings.zoomIn,
  'NavigationControl.ZoomOut': mapStrings.zoomOut,
  'AttributionControl.ToggleAttribution': mapStrings.attribution,
  'CooperativeGesturesHandler.WindowsHelpText': mapStrings.withCtrl,
  'CooperativeGesturesHandler.MacHelpText': mapStrings.withCommand,
  'CooperativeGesturesHandler.MobileHelpText': mapStrings.withTwoFingers,
})

/** Puts ours on top; asked again where a style has been replaced. */
function addOverlay(map: MapLibreMap, choices: OverlayChoices, scheme: ColourScheme): void {
  for (const [id, source] of Object.entries(overlaySources(choices))) map.addSource(id, source)
  for (const layer of overlayLayers(mapColours[scheme], choices.neighbours)) map.addLayer(layer)
}

/** @throws where the browser cannot draw it. `onReady` is told once, with the base that it stands on. */
export function createMap(choices: MapChoices, onReady: (base: Base) => void): MapLibreMap {
  const { container, label, base, scheme, initialBounds, letsPageScroll, baseUrl } = choices
  const transformRequest: MapOptions['transformRequest'] = (url) =>
    url.startsWith(`${baseUrl}/v2/`)
      ? { url, credentials: 'same-origin', headers: { 'X-Waymark-Page': '1' } }
      : { url }
  const map = new MapLibreMap({
    container,
    style: base.styleUrl ?? styleOf(base, scheme),
    bounds: toBox(initialBounds ?? world),
    fitBoundsOptions: { padding: 44, maxZoom: 16 },
    attributionControl: false,
    locale: localeOf(label),
    cooperativeGestures: letsPageScroll,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    maxZoom: 20,
    transformRequest,
  })
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.addControl(new NavigationControl({ showCompass: false }), 'top-right')

  let standsOn = base
  map.on('error', () => {
    // Tiles come and go with the network, and are asked for again. A style that cannot be read leaves nothing at all.
    if (standsOn.styleUrl === undefined || map.isStyleLoaded() === true || map.getSource('points')) return
    standsOn = offlineBase
    map.setStyle(styleOf(offlineBase, scheme))
  })
  map.once('style.load', () => {
    addOverlay(map, choices, scheme)
    if (standsOn.hasOthersData) map.addControl(new AttributionControl({ compact: true }), 'bottom-right')
    onReady(standsOn)
  })
  return map
}

type PaintName = Parameters<MapLibreMap['setPaintProperty']>[1]

/** Draws everything of ours in the other colours, without loading anything anew. */
export function recolour(
  map: MapLibreMap,
  base: Base,
  { scheme, neighbours }: Pick<MapChoices, 'scheme' | 'neighbours'>,
): void {
  const colours = mapColours[scheme]
  for (const { id, paint = {} } of [...base.layers(colours), ...overlayLayers(colours, neighbours)]) {
    if (!map.getLayer(id)) continue
    for (const [name, value] of Object.entries(paint)) map.setPaintProperty(id, name as PaintName, value)
  }
}

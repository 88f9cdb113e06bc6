// Creates the map: MapLibre with its worker from our own origin, our layers on the base map, and the controls.
import 'maplibre-gl/dist/maplibre-gl.css'
import {
  Map as MapLibreMap,
  NavigationControl,
  setWorkerUrl,
  type MapOptions,
  type StyleSpecification,
} from 'maplibre-gl'
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url'
import { mapStrings } from '../strings/map.ts'
import { addAttribution } from './attribution.ts'
import { watchBase } from './base-watch.ts'
import type { Base } from './base.ts'
import { addOverlay } from './draw-style.ts'
import { roomy } from './geometry.ts'
import type { Bounds, Trouble } from './kinds.ts'
import { overlaySources, type OverlayChoices } from './layers.ts'
import { addIcons } from './style/map-icons.ts'
import type { MapLook } from './style/look.ts'

setWorkerUrl(new URL(workerUrl, import.meta.url).href)

/** The default view, nearly the whole world; pages pass `initialBounds` if they know better. */
const world: Bounds = [-170, -55, 180, 75]

/** The position of the map that this one replaces. */
export type Camera = Pick<MapOptions, 'center' | 'zoom'>

export interface MapChoices extends OverlayChoices {
  readonly container: HTMLElement
  readonly label: string
  readonly base: Base
  readonly look: MapLook
  readonly initialBounds: Bounds | undefined
  readonly camera: Camera | undefined
  readonly letsPageScroll: boolean
  /** Requests below this URL go to our own service, with the page's credentials. */
  readonly baseUrl: string
}

export interface MapListeners {
  /** Called once, when the page's layers can be added. */
  readonly onReady: (map: MapLibreMap) => void
  /** Called at most once: nothing of the base map could be loaded. */
  readonly onTrouble: (trouble: Trouble, map: MapLibreMap) => void
}

export const toBox = (bounds: Bounds): [number, number, number, number] => [...roomy(bounds)]

const styleOf = (base: Base, look: MapLook): StyleSpecification => ({
  version: 8,
  sources: { ...base.sources },
  layers: [...base.layers(look)],
})

/** The labels of MapLibre's own controls. */
const localeOf = (label: string): Record<string, string> => ({
  'Map.Title': label,
  'NavigationControl.ZoomIn': mapStrings.zoomIn,
  'NavigationControl.ZoomOut': mapStrings.zoomOut,
  'AttributionControl.ToggleAttribution': mapStrings.attribution,
  'CooperativeGesturesHandler.WindowsHelpText': mapStrings.withCtrl,
  'CooperativeGesturesHandler.MacHelpText': mapStrings.withCommand,
  'CooperativeGesturesHandler.MobileHelpText': mapStrings.withTwoFingers,
})

/** @throws if the browser cannot render it. */
export function createMap(choices: MapChoices, { onReady, onTrouble }: MapListeners): MapLibreMap {
  const { container, label, base, look, initialBounds, camera, letsPageScroll, baseUrl } = choices
  const transformRequest: MapOptions['transformRequest'] = (url) =>
    url.startsWith(`${baseUrl}/v2/`)
      ? { url, credentials: 'same-origin', headers: { 'X-Waymark-Page': '1' } }
      : { url }
  const map = new MapLibreMap({
    container,
    style: base.styleUrl ?? styleOf(base, look),
    ...(camera ?? { bounds: toBox(initialBounds ?? world) }),
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

  // Tiles fail and are retried with the network. Without a listener, each failure would be an error on the console.
  map.on('error', () => undefined)
  if (!base.isOffline) {
    const ours = new Set(['heights', 'contours', ...Object.keys(overlaySources(choices))])
    const watched = { isOfBase: (id: string) => !ours.has(id), hasStyle: base.styleUrl !== undefined }
    watchBase(map, watched, (trouble) => onTrouble(trouble, map))
  }
  map.once('style.load', () => {
    addIcons(map)
    addOverlay(map, choices, look)
    addAttribution(map)
    onReady(map)
  })
  return map
}

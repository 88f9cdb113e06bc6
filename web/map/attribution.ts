// The attribution of the map, always visible: never behind a button.
import { AttributionControl, type Map as MapLibreMap } from 'maplibre-gl'

/** Shows the attribution of every source that has one. */
export function addAttribution(map: MapLibreMap): void {
  map.addControl(new AttributionControl({ compact: false }), 'bottom-right')
}

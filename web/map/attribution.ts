// Whose data the map shows, written on it for as long as the map is there: never behind a sign that has to be clicked.
import { AttributionControl, type Map as MapLibreMap } from 'maplibre-gl'

/** Of every source that says whose it is. */
export function addAttribution(map: MapLibreMap): void {
  map.addControl(new AttributionControl({ compact: false }), 'bottom-right')
}

// Markers that a canvas draws badly: a camera's field of view at a constant size, and a draggable marker.
import { Marker, type Map as MapLibreMap } from 'maplibre-gl'
import { conePath } from './cone-path.ts'
import styles from './map.module.css'
import type { Position } from './kinds.ts'

const sizePx = 96
const svgNamespace = 'http://www.w3.org/2000/svg'

function svgOf(attributes: Readonly<Record<string, string>>, path: string): SVGSVGElement {
  const svg = document.createElementNS(svgNamespace, 'svg')
  for (const [name, value] of Object.entries({ ...attributes, 'aria-hidden': 'true' }))
    svg.setAttribute(name, value)
  const shape = document.createElementNS(svgNamespace, 'path')
  shape.setAttribute('d', path)
  svg.append(shape)
  return svg
}

/** @param direction degrees clockwise from north. @returns a function that removes it. */
export function addCone(map: MapLibreMap, [lon, lat]: Position, direction: number): () => void {
  const element = document.createElement('div')
  element.className = styles.cone ?? ''
  element.dataset['direction'] = String(Math.round(direction))
  const size = String(sizePx)
  element.append(svgOf({ width: size, height: size, viewBox: `0 0 ${size} ${size}` }, conePath(sizePx / 2)))
  const marker = new Marker({ element, rotation: direction, rotationAlignment: 'map' })
  marker.setLngLat([lon, lat]).addTo(map)
  return () => void marker.remove()
}

/**
 * For mouse and touch; keyboard users have fields beside the map.
 * @returns a function that removes it.
 */
export function addHandle(
  map: MapLibreMap,
  [lon, lat]: Position,
  onDragged: (to: { readonly lon: number; readonly lat: number }) => void,
): () => void {
  const element = document.createElement('div')
  element.className = styles.handle ?? ''
  const marker = new Marker({ element, draggable: true })
  marker.on('dragend', () => {
    const to = marker.getLngLat().wrap()
    onDragged({ lon: to.lng, lat: to.lat })
  })
  marker.setLngLat([lon, lat]).addTo(map)
  return () => void marker.remove()
}

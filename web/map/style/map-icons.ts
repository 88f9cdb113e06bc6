// The icons on the map, drawn here so that no sprite is requested: a triangle for peaks, a dot for distances. As
// distance fields they take any colour, and a halo.
import type { Map as MapLibreMap } from 'maplibre-gl'

export const peakIcon = 'waymark-peak'
export const dotIcon = 'waymark-dot'

const size = 32
const corners = [
  [16, 7],
  [25, 24],
  [7, 24],
] as const

/** MapLibre's value for the edge, and the change per pixel of distance from it. */
const edge = 0.75
const perPixel = 1 / 8

/** Pixels from the triangle; negative inside. */
function fromTriangle(x: number, y: number): number {
  let nearest = Infinity
  let isInside = true
  for (const [at, [fromX, fromY]] of corners.entries()) {
    const [toX, toY] = corners[(at + 1) % corners.length] ?? corners[0]
    const [dx, dy] = [toX - fromX, toY - fromY]
    const share = ((x - fromX) * dx + (y - fromY) * dy) / (dx * dx + dy * dy)
    const along = Math.min(1, Math.max(0, share))
    nearest = Math.min(nearest, Math.hypot(x - fromX - along * dx, y - fromY - along * dy))
    if (dx * (y - fromY) - dy * (x - fromX) < 0) isInside = false
  }
  return isInside ? -nearest : nearest
}

const dotRadius = 7
const fromDot = (x: number, y: number): number => Math.hypot(x - size / 2, y - size / 2) - dotRadius

function addIcon(map: MapLibreMap, id: string, distanceAt: (x: number, y: number) => number): void {
  const data = new Uint8Array(size * size * 4)
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const share = edge - distanceAt(x + 0.5, y + 0.5) * perPixel
      data[(y * size + x) * 4 + 3] = Math.round(255 * Math.min(1, Math.max(0, share)))
    }
  map.addImage(id, { width: size, height: size, data }, { sdf: true, pixelRatio: 2 })
}

export function addIcons(map: MapLibreMap): void {
  addIcon(map, peakIcon, fromTriangle)
  addIcon(map, dotIcon, fromDot)
}

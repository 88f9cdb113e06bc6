// The visible part of a route: of 400,000 points those that make a difference of a pixel, and the handles in the
// view.
import { countOf, type Chunks } from './columns.ts'
import type { PointRef, RouteState, Segment } from './route-state.ts'

export type LonLat = [lon: number, lat: number]
/** West, south, east, north; west is less than east. */
export type View = readonly [west: number, south: number, east: number, north: number]

/** Width of the world in pixels at a zoom, with MapLibre's 512-pixel tiles. */
const worldPixels = (zoom: number): number => 512 * 2 ** zoom

/** In Web Mercator from 0 to 1, as MapLibre draws it. */
const mercatorY = (lat: number): number => {
  const sine = Math.sin((Math.min(85.0511, Math.max(-85.0511, lat)) * Math.PI) / 180)
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
}

/**
 * Continues from the previous longitude, beyond 180 if necessary, so that a line is not broken at the antimeridian.
 */
export function unwrapped(lon: number, before: number): number {
  return Number.isNaN(before) ? lon : lon + 360 * Math.round((before - lon) / 360)
}

/**
 * Tells whether a position is at least this many pixels from the last accepted one, without a logarithm for each of
 * 400,000 points.
 */
function createSpacer(zoom: number): (lon: number, lat: number, minPixels: number) => boolean {
  const pixelsOfLon = worldPixels(zoom) / 360
  let [lastLon, lastLat, pixelsOfLat] = [NaN, NaN, NaN]
  return (lon, lat, minPixels) => {
    const isNear =
      Math.abs(lon - lastLon) * pixelsOfLon < minPixels && Math.abs(lat - lastLat) * pixelsOfLat < minPixels
    if (isNear) return false
    lastLon = lon
    lastLat = lat
    // Mercator stretches north–south as much as east–west.
    pixelsOfLat = pixelsOfLon / Math.max(0.05, Math.cos((lat * Math.PI) / 180))
    return true
  }
}

/** Points closer than this to the last drawn one are left out. */
const minPixels = 2
/** Outside the view detail is not visible, but the line has to continue. */
const minPixelsOutside = 24

function drawnLine(chunks: Chunks, view: View, zoom: number): LonLat[] {
  const [west, south, east, north] = view
  const line: LonLat[] = []
  const isFar = createSpacer(zoom)
  let before = (west + east) / 2
  let [skippedLon, skippedLat] = [NaN, NaN]
  for (const { count, lats, lons } of chunks) {
    for (let index = 0; index < count; index += 1) {
      const lat = lats[index] ?? NaN
      const lon = unwrapped(lons[index] ?? NaN, before)
      before = lon
      const isInside = lon >= west && lon <= east && lat >= south && lat <= north
      if (isFar(lon, lat, isInside ? minPixels : minPixelsOutside)) {
        line.push([lon, lat])
        skippedLon = NaN
      } else [skippedLon, skippedLat] = [lon, lat]
    }
  }
  // The end is always drawn.
  if (!Number.isNaN(skippedLon)) line.push([skippedLon, skippedLat])
  return line
}

/** The lines to draw for a view and zoom. */
export const drawnLines = (segments: readonly Segment[], view: View, zoom: number): LonLat[][] =>
  segments.map(({ chunks }) => drawnLine(chunks, view, zoom))

export interface Handle {
  readonly ref: PointRef
  readonly lon: number
  readonly lat: number
}

/** Closer handles would hide the line; the points can still be grabbed. */
const minHandlePixels = 13
/** More would take too long; then only the line is drawn. */
export const maxHandles = 1_000

/** The points in the view that are drawn as handles; undefined if there are too many. */
export function handlesIn(
  { segments }: Pick<RouteState, 'segments'>,
  view: View,
  zoom: number,
): readonly Handle[] | undefined {
  const [west, south, east, north] = view
  const middle = (west + east) / 2
  const handles: Handle[] = []
  const isFar = createSpacer(zoom)
  for (const [segment, { chunks }] of segments.entries()) {
    let first = 0
    for (const { count, lats, lons } of chunks) {
      for (let at = 0; at < count; at += 1) {
        const lat = lats[at] ?? NaN
        if (lat < south || lat > north) continue
        const lon = unwrapped(lons[at] ?? NaN, middle)
        if (lon < west || lon > east) continue
        if (!isFar(lon, lat, minHandlePixels)) continue
        if (handles.length === maxHandles) return undefined
        handles.push({ ref: { segment, index: first + at }, lon, lat })
      }
      first += count
    }
  }
  return handles
}

export interface Nearest {
  readonly ref: PointRef
  readonly pixels: number
}

export interface Touch {
  readonly lon: number
  readonly lat: number
  readonly zoom: number
}

/** The point nearest to a position on the map, in pixels. */
export function nearestPoint(
  { segments }: Pick<RouteState, 'segments'>,
  { lon, lat, zoom }: Touch,
): Nearest | undefined {
  const pixels = worldPixels(zoom)
  const y = mercatorY(lat)
  let nearest: Nearest | undefined
  for (const [segment, { chunks }] of segments.entries()) {
    let index = -1
    for (const { count, lats, lons } of chunks) {
      for (let at = 0; at < count; at += 1) {
        index += 1
        const across = (Math.abs(unwrapped(lons[at] ?? NaN, lon) - lon) / 360) * pixels
        if (across >= (nearest?.pixels ?? Infinity)) continue
        const distance = Math.hypot(across, (mercatorY(lats[at] ?? NaN) - y) * pixels)
        if (distance < (nearest?.pixels ?? Infinity)) nearest = { ref: { segment, index }, pixels: distance }
      }
    }
  }
  return nearest
}

export interface OnLine extends Nearest {
  /** Between the point of `ref` and the next one. */
  readonly lon: number
  readonly lat: number
}

/** The position on the line nearest to a position on the map. */
export function nearestOnLine(
  { segments }: Pick<RouteState, 'segments'>,
  { lon, lat, zoom }: Touch,
): OnLine | undefined {
  const pixels = worldPixels(zoom)
  const y = mercatorY(lat)
  let nearest: OnLine | undefined
  for (const [segment, { chunks }] of segments.entries()) {
    let index = -1
    let [lastX, lastY, lastLat, before] = [NaN, NaN, NaN, lon]
    for (const { count, lats, lons } of chunks) {
      for (let at = 0; at < count; at += 1) {
        index += 1
        const pointLat = lats[at] ?? NaN
        before = unwrapped(lons[at] ?? NaN, before)
        const [pointX, pointY] = [((before - lon) / 360) * pixels, (mercatorY(pointLat) - y) * pixels]
        if (index > 0) {
          const [dx, dy] = [pointX - lastX, pointY - lastY]
          const square = dx * dx + dy * dy
          const share = square === 0 ? 0 : Math.min(1, Math.max(0, -(lastX * dx + lastY * dy) / square))
          const distance = Math.hypot(lastX + share * dx, lastY + share * dy)
          if (distance < (nearest?.pixels ?? Infinity)) {
            nearest = {
              ref: { segment, index: index - 1 },
              pixels: distance,
              lon: lon + ((lastX + share * dx) / pixels) * 360,
              lat: lastLat + share * (pointLat - lastLat),
            }
          }
        }
        ;[lastX, lastY, lastLat] = [pointX, pointY, pointLat]
      }
    }
  }
  return nearest
}

/** The bounding box of the route; west is less than east. Undefined without points. */
export function viewOf(segments: readonly Segment[]): View | undefined {
  let [west, south, east, north, before] = [Infinity, Infinity, -Infinity, -Infinity, NaN]
  for (const { chunks } of segments) {
    for (const { count, lats, lons } of chunks) {
      for (let index = 0; index < count; index += 1) {
        const lat = lats[index] ?? NaN
        before = unwrapped(lons[index] ?? NaN, before)
        west = Math.min(west, before)
        east = Math.max(east, before)
        south = Math.min(south, lat)
        north = Math.max(north, lat)
      }
    }
  }
  return segments.some(({ chunks }) => countOf(chunks) > 0) ? [west, south, east, north] : undefined
}

// The line of a route as a drawing: north up, to scale at its centre, with no more detail than is visible.
import { runYielding } from '../shared/yielding.ts'
import type { Line } from '../shared/geo/points.ts'
import { html, type Html } from '../site/html.ts'
import { thinLines } from './thin-lines.ts'

const width = 640
const height = 360
const margin = 24
/** Points closer than this are merged. */
const minStep = 1.5
/** Yields after this many points: a route may have hundreds of thousands. */
const pointsOfTurn = 5_000

export interface Place {
  readonly x: number
  readonly y: number
}

const radians = Math.PI / 180
const round = (value: number): number => Math.round(value * 10) / 10

/** The equivalent longitude nearest to the other one, so that a line continues across the antimeridian. */
const nearTo = (lon: number, other: number): number => lon + 360 * Math.round((other - lon) / 360)

/** Passes each point of the lines to `take`, with a longitude near that of the first. */
function* eachPoint(
  lines: readonly Line[],
  take: (lat: number, lon: number, line: number) => void,
): Generator<undefined, void> {
  const [one] = lines
  if (one === undefined) return
  const start = one.points.lon(one.first)
  for (const [at, { points, first, end }] of lines.entries()) {
    let before = start
    for (let index = first; index < end; index += 1) {
      before = nearTo(points.lon(index), before)
      take(points.lat(index), before, at)
      if (index % pointsOfTurn === 0) yield
    }
  }
}

/** The projection from degrees to the drawing: as large as fits, and centred. */
function* scaleOf(lines: readonly Line[]): Generator<undefined, (lat: number, lon: number) => Place> {
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity]
  yield* eachPoint(lines, (lat, lon) => {
    west = Math.min(west, lon)
    east = Math.max(east, lon)
    south = Math.min(south, lat)
    north = Math.max(north, lat)
  })
  const narrow = Math.cos(((south + north) / 2) * radians)
  const scale = Math.min(
    (width - 2 * margin) / Math.max((east - west) * narrow, 1e-6),
    (height - 2 * margin) / Math.max(north - south, 1e-6),
  )
  const middle = { lon: (west + east) / 2, lat: (south + north) / 2 }
  return (lat, lon) => ({
    x: round(width / 2 + (lon - middle.lon) * narrow * scale),
    y: round(height / 2 - (lat - middle.lat) * scale),
  })
}

const isNear = (one: Place, other: Place): boolean => Math.hypot(one.x - other.x, one.y - other.y) < minStep

/** @returns the lines in the drawing, each with both ends; none if there are no points. */
export function* placesOf(lines: readonly Line[]): Generator<undefined, Place[][]> {
  const filled = lines.filter(({ first, end }) => end > first)
  const placeOf = yield* scaleOf(filled)
  const drawn = filled.map((): Place[] => [])
  const ends: (Place | undefined)[] = []
  yield* eachPoint(filled, (lat, lon, line) => {
    const place = placeOf(lat, lon)
    const kept = drawn[line]
    const last = kept?.at(-1)
    ends[line] = place
    if (last === undefined || !isNear(place, last)) kept?.push(place)
  })
  for (const [line, kept] of drawn.entries()) {
    const end = ends[line]
    if (end !== undefined && end !== kept.at(-1) && kept.length > 0) kept.push(end)
  }
  return drawn
}

/** The drawn lines, independent of the route's name. */
export interface Drawing {
  readonly content: Html
  readonly isEmpty: boolean
}

/** Change it with every change of how lines are drawn: it is part of the ETag. */
export const drawingVersion = 2

export async function drawLines(lines: readonly Line[]): Promise<Drawing> {
  const drawn = await runYielding(placesOf(lines))
  const first = drawn[0]?.[0]
  const last = drawn.at(-1)?.at(-1)
  if (first === undefined || last === undefined) return { content: html``, isEmpty: true }
  const thinned = await runYielding(thinLines(drawn))
  const paths = thinned.map((line) => html`<path d="M${line.map(({ x, y }) => `${x} ${y}`).join('L')}" />`)
  const content = html`${paths}
    <circle class="start" cx="${first.x}" cy="${first.y}" r="7" />
    <circle class="end" cx="${last.x}" cy="${last.y}" r="7" />`
  return { content, isEmpty: false }
}

export const frameDrawing = (
  { content, isEmpty }: Drawing,
  { line, hidden }: { readonly line: string; readonly hidden: string },
): Html =>
  isEmpty
    ? html`<p>${hidden}</p>`
    : html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${line}">${content}</svg>`

// The route as a file: the imported document byte for byte if it is still valid, otherwise a new one; and as GeoJSON.
import { writeGeoJson } from '../../src/shared/geo/geojson.ts'
import type { GpxRoute, GpxTrack } from '../../src/shared/gpx/gpx-document.ts'
import { writeGpx } from '../../src/shared/gpx/gpx-writer.ts'
import { editingGpx, type EditedLine } from '../../src/shared/gpx/rewrite/gpx-edit.ts'
import type { Line } from '../../src/shared/geo/points.ts'
import { withTurns } from '../../src/shared/text/text-chunks.ts'
import { countOf, flattened, lineOfChunk, sliced } from './columns.ts'
import { isAsImported, pointCount, type RouteState, type Segment, type Source } from './route-state.ts'

const creator = 'Waymark'

const lineOf = ({ chunks }: Segment): Line => lineOfChunk(flattened(chunks))

function routesOf(segments: readonly Segment[]): GpxRoute[] {
  return segments
    .filter(({ kind }) => kind === 'rte')
    .map((segment) => ({ name: segment.name, line: lineOf(segment) }))
}

/** Adjacent lines of one group are the segments of one track. */
function tracksOf(segments: readonly Segment[]): GpxTrack[] {
  const tracks: { group: number; name: string | undefined; segments: Line[] }[] = []
  for (const segment of segments) {
    if (segment.kind !== 'trk') continue
    const last = tracks.at(-1)
    if (last?.group === segment.group) last.segments.push(lineOf(segment))
    else tracks.push({ group: segment.group, name: segment.name, segments: [lineOf(segment)] })
  }
  return tracks
}

/** With everything in the document that was not edited. */
function* editedPieces(
  { segments, waypoints, name, description }: RouteState,
  source: Source,
): Generator<string, void> {
  const lines = segments.map(({ kind, group, name: lineName, inSource, chunks }): EditedLine => {
    const columns = flattened(chunks)
    const originOf = (index: number): number => columns.origins[index] ?? NaN
    return { kind, group, name: lineName, inSource, line: lineOfChunk(columns), originOf }
  })
  const keepsWaypoints = waypoints !== undefined && waypoints === source.waypoints
  const steps = editingGpx(source.text, { name, description, creator, lines, keepsWaypoints })
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) yield '' // the page stays responsive
  yield* step.value
}

/** Empty if there is nothing to write: the service uses `""` for a route without a document. */
export function gpxPieces(state: RouteState): Iterable<string> {
  const { source, segments, waypoints, name, description } = state
  if (source !== undefined && isAsImported(state)) return [source.text]
  if (segments.length === 0 && waypoints === undefined) return []
  if (source !== undefined) return editedPieces(state, source)
  return writeGpx({
    name,
    description,
    creator,
    ...(waypoints && { waypoints }),
    routes: routesOf(segments),
    tracks: tracksOf(segments),
  })
}

async function gathered(pieces: Iterable<string>): Promise<string> {
  const texts: string[] = []
  for await (const piece of withTurns(pieces)) texts.push(piece)
  return texts.join('')
}

/** The page stays responsive: 400,000 points take a second. */
export const gpxOf = (state: RouteState): Promise<string> => gathered(gpxPieces(state))

export function geoJsonOf({ name, description, segments, waypoints }: RouteState): Promise<string> {
  const lines = segments.map(lineOf)
  return gathered(
    writeGeoJson({
      properties: { name, description },
      lines,
      box: undefined,
      ...(waypoints && { waypoints }),
    }),
  )
}

/** Average number of bytes per point, from a sample spread over the route. */
function bytesOfPoint({ segments }: Pick<RouteState, 'segments'>): number {
  const chunks = segments.flatMap(({ chunks: own }) => own)
  const sample = chunks
    .filter((_, at) => at % Math.ceil(chunks.length / sampledChunks) === 0)
    .map((chunk) => sliced([chunk], 0, pointsOfSample))
  const points = sample.reduce((sum, own) => sum + countOf(own), 0)
  if (points === 0) return 0
  const tracks = [{ name: undefined, segments: [lineOfChunk(flattened(sample.flat()))] }]
  let bytes = 0
  for (const piece of writeGpx({ name: '', description: '', creator, routes: [], tracks }))
    bytes += piece.length
  return bytes / points
}

const [sampledChunks, pointsOfSample] = [20, 10]

/** Approximate length of the GPX with this many points: estimated once, for any number. */
export function sizerOf(
  state: Pick<RouteState, 'segments' | 'waypoints' | 'source'>,
): (points?: number) => number {
  const all = pointCount(state)
  const { source } = state
  const ofSource = source === undefined ? 0 : source.text.length / Math.max(1, pointCount(source))
  const perPoint = Math.max(bytesOfPoint(state), ofSource)
  const whole = source !== undefined && isAsImported(state) ? source.text.length : Math.round(perPoint * all)
  return (points = all) => (points === all ? whole : Math.round(perPoint * points))
}

const utf8 = new TextEncoder()

/** Counted as the service does. */
export const byteLength = (text: string): number => utf8.encode(text).length

/** The name of the download, valid on every file system. */
export function fileNameOf(name: string, extension: 'gpx' | 'geojson'): string {
  const plain = name.replaceAll(/[\p{C}"\\/:*?<>|]+/gu, ' ').trim()
  return `${Array.from(plain).slice(0, 80).join('') || 'route'}.${extension}`
}

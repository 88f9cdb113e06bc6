// Reads and writes trails as GeoJSON: a FeatureCollection, OpenTrails or plain, including its lines.
import { parseId } from '../shared/classic/classic-paths.ts'
import { runYielding } from '../shared/yielding.ts'
import { gatherTrails, unreadable, type FileLimits, type FileReading, type FileTrail } from './file-trail.ts'
import { maxRead } from './trail-checks.ts'
import type { Trail } from './trail-table.ts'

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Text that is too long for any field is refused unread (trail-checks.ts). */
const trimmed = (text: string): string => (text.length > maxRead ? text : text.trim())

/** A number or its digits; OpenTrails writes IDs as text. */
function idOf(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'string' ? parseId(trimmed(String(value))) : undefined
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/** The text, or the error message if it is not text. */
function textOf(value: unknown, property: string): { readonly text: string; readonly fault?: string } {
  if (!isGiven(value)) return { text: '' }
  return typeof value === 'string'
    ? { text: trimmed(value) }
    : { text: '', fault: `${property} must be a string.` }
}

/** Other GeoJSON geometries, such as the point of a trailhead, say nothing about the trail's line. */
const noLines: ReadonlySet<unknown> = new Set([
  'Point',
  'MultiPoint',
  'Polygon',
  'MultiPolygon',
  'GeometryCollection',
])

/** Without a line, the trail keeps its current one. */
function geometriesOf(geometry: unknown): readonly unknown[] | undefined {
  const says = geometry !== undefined && geometry !== null
  return says && !(isObject(geometry) && noLines.has(geometry['type'])) ? [geometry] : undefined
}

function readFeature(
  feature: unknown,
  place: string,
): { readonly trail?: FileTrail; readonly faults: readonly string[] } {
  const isFeature = isObject(feature) && feature['type'] === 'Feature'
  if (!isFeature) return { faults: ['it is not a GeoJSON Feature.'] }
  const properties = isObject(feature['properties']) ? feature['properties'] : {}
  const id = [properties['trailID'], properties['id'], feature['id']].find(isGiven)
  const [name, slug] = [textOf(properties['name'], 'name'), textOf(properties['slug'], 'slug')]
  const faults = [name.fault, slug.fault].filter((fault) => fault !== undefined)
  if (faults.length > 0) return { faults }
  const geometries = geometriesOf(feature['geometry'])
  const described = properties['description']
  // Other values with this name are not meant for people; an empty one leaves the description unchanged.
  const description = typeof described === 'string' && described !== '' ? described : undefined
  return {
    trail: { id: idOf(id), name: name.text, slug: slug.text || undefined, description, geometries, place },
    faults,
  }
}

/** The parts of a file that are read, however deep; everything else is skipped. */
export const namesRead: ReadonlySet<string> = new Set([
  'type',
  'features',
  'id',
  'properties',
  'trailID',
  'name',
  'slug',
  'description',
  'geometry',
  'coordinates',
])

function* readingFeatures(
  features: readonly unknown[],
  limits: FileLimits,
): Generator<undefined, FileReading> {
  const gathered = gatherTrails(limits)
  for (const [index, feature] of features.entries()) {
    const place = `feature ${index + 1}`
    const { trail, faults } = readFeature(feature, place)
    if (trail) yield* gathered.adding(trail)
    for (const detail of faults) gathered.addProblem({ place, detail })
    yield
  }
  return gathered.reading()
}

/**
 * @param collection the parsed file. @throws SyntaxError if it is not a FeatureCollection, and refusal
 * `body-too-large`.
 */
export async function readTrailsGeojson(collection: unknown, limits: FileLimits = {}): Promise<FileReading> {
  const features =
    isObject(collection) && collection['type'] === 'FeatureCollection' ? collection['features'] : undefined
  if (!Array.isArray(features)) throw unreadable('it is not a GeoJSON FeatureCollection')
  return runYielding(readingFeatures(features, limits))
}

/** The trail as a Feature; OpenTrails uses `id` for the trailID. */
export function featureText(
  { id, name, slug }: Trail,
  { geometry, description }: { readonly geometry: string | undefined; readonly description: string },
): string {
  const described = description === '' ? {} : { description }
  const properties = JSON.stringify({ trailID: id, id: String(id), name, slug, ...described })
  return `{"type":"Feature","properties":${properties},"geometry":${geometry ?? 'null'}}`
}

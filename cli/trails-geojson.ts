// Trails in GeoJSON: a FeatureCollection, OpenTrails or plain; geometries are not read.
import { canonicalId } from './options.ts'
import type { FileTrail } from './trail-file.ts'

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // The message quotes the file, with its line breaks.
    throw new SyntaxError(`it is not JSON: ${message.replaceAll(/\s+/g, ' ')}`, { cause: error })
  }
}

/** A number or its digits; OpenTrails writes ids as text. */
function idOf(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'string'
    ? canonicalId(String(value).trim())
    : undefined
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

function textOf(value: unknown, property: string, place: string): string {
  if (!isGiven(value)) return ''
  if (typeof value !== 'string') throw new SyntaxError(`${place}: ${property} must be text`)
  return value.trim()
}

function readFeature(feature: unknown, index: number): FileTrail {
  const place = `feature ${index + 1}`
  const isFeature = isObject(feature) && feature['type'] === 'Feature'
  if (!isFeature) throw new SyntaxError(`${place}: it is no GeoJSON Feature`)
  const properties = isObject(feature['properties']) ? feature['properties'] : {}
  const id = [properties['trailID'], properties['id'], feature['id']].find(isGiven)
  return {
    id: idOf(id),
    name: textOf(properties['name'], 'name', place),
    slug: textOf(properties['slug'], 'slug', place) || undefined,
    place,
  }
}

/** @throws SyntaxError whose message begins with the feature. */
export function readTrailsGeojson(text: string): FileTrail[] {
  const collection = parseJson(text)
  const features =
    isObject(collection) && collection['type'] === 'FeatureCollection' ? collection['features'] : undefined
  if (!Array.isArray(features)) throw new SyntaxError('it is no GeoJSON FeatureCollection')
  return features.map(readFeature)
}

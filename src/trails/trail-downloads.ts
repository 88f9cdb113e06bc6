// One trail as a file: GPX, KML or GeoJSON, with its name, its description and the elevations of its line.
import { writeGpx } from '../shared/gpx/gpx-writer.ts'
import type { Line } from '../shared/geo/points.ts'
import { withTurns } from '../shared/text/text-chunks.ts'
import type { Db } from '../database/database.ts'
import type { Chunks } from '../http/representation.ts'
import { findLine, type DownloadedTrail } from './line-table.ts'
import { readStoredLine } from './measured-trails.ts'
import { writeKml } from './trail-kml.ts'
import { featureText } from './trails-geojson.ts'

export const downloadFormats = {
  gpx: { mediaType: 'application/gpx+xml', called: 'GPX 1.1' },
  kml: { mediaType: 'application/vnd.google-earth.kml+xml', called: 'KML' },
  geojson: { mediaType: 'application/geo+json', called: 'GeoJSON' },
} as const

export type DownloadFormat = keyof typeof downloadFormats

/** GPX readers expect two points in a segment; the schema does not require any. */
function gpxOf({ name, description, slug }: DownloadedTrail, lines: readonly Line[], publicUrl: string) {
  const link = `${publicUrl}/t/${encodeURIComponent(slug)}`
  const tracks = lines.length === 0 ? [] : [{ name, segments: lines }]
  return writeGpx({ name, description, creator: 'Waymark', link, routes: [], tracks })
}

/** Bytes of the stored line for one unit of the rate limits. */
const bytesOfUnit = 128 * 1024

function* geojsonOf(trail: DownloadedTrail, geometry: string | undefined): Generator<string, void> {
  const { description } = trail
  yield `{"type":"FeatureCollection","features":[\n${featureText(trail, { geometry, description })}\n]}\n`
}

export function createDownloads(db: Db, publicUrl: string) {
  async function written(trail: DownloadedTrail, format: DownloadFormat, geometry: string | null) {
    if (format === 'geojson') return geojsonOf(trail, geometry ?? undefined)
    const lines = await readStoredLine(geometry)
    return format === 'gpx' ? gpxOf(trail, lines, publicUrl) : writeKml({ ...trail, lines })
  }

  /** @param charge charges the cost of the body before it is generated. */
  return (trail: DownloadedTrail, format: DownloadFormat, charge: (cost: number) => void): Chunks => ({
    mediaType: downloadFormats[format].mediaType,
    isFile: format === 'geojson',
    identity: JSON.stringify([format, publicUrl, ...Object.values(trail)]),
    chunks: async () => {
      const geometry = (await findLine(db, trail.id))?.geometry ?? null
      charge(Math.floor((geometry?.length ?? 0) / bytesOfUnit))
      return withTurns(await written(trail, format, geometry))
    },
  })
}

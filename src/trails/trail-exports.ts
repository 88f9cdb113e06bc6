// All trails as one file, CSV or GeoJSON, in chunks. Importing the same file again changes nothing.
import type { Db } from '../database/database.ts'
import { listAfter, listDescriptions, listLines, type Trail } from './trail-table.ts'
import { csvHeader, csvRow } from './trails-csv.ts'
import { featureText } from './trails-geojson.ts'

export const exportFormats = {
  csv: 'text/csv',
  geojson: 'application/geo+json',
} as const

export type ExportFormat = keyof typeof exportFormats

const trailsAtOnce = 200
/** Lines may be long. */
const linesAtOnce = 10

/** In order of their IDs; trails that are added or deleted meanwhile may be included or not. */
async function* everyTrail(db: Db, atOnce: number): AsyncGenerator<readonly Trail[], void> {
  let after = 0
  for (;;) {
    const trails = await listAfter(db, after, atOnce)
    if (trails.length > 0) yield trails
    const last = trails.at(-1)
    if (trails.length < atOnce || last === undefined) return
    after = last.id
  }
}

async function* csvChunks(db: Db): AsyncGenerator<string, void> {
  yield csvHeader
  for await (const trails of everyTrail(db, trailsAtOnce)) yield trails.map(csvRow).join('')
}

async function* geojsonChunks(db: Db): AsyncGenerator<string, void> {
  let separator = ''
  yield '{"type":"FeatureCollection","features":['
  for await (const trails of everyTrail(db, linesAtOnce)) {
    const ids = trails.map(({ id }) => id)
    const lines = await listLines(db, ids)
    const descriptions = await listDescriptions(db, ids)
    for (const trail of trails) {
      const rest = { geometry: lines.get(trail.id), description: descriptions.get(trail.id) ?? '' }
      yield `${separator}\n${featureText(trail, rest)}`
      separator = ','
    }
  }
  yield '\n]}\n'
}

export const exportChunks = (db: Db, format: ExportFormat): AsyncGenerator<string, void> =>
  format === 'csv' ? csvChunks(db) : geojsonChunks(db)

// Reads a file of trails, CSV or GeoJSON, into what the trails feature imports; a fault is one sentence with its place.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { TrailInput } from '../src/trails/trails.ts'
import { fail, isSystemError, systemSentence, wrongUsage } from './failures.ts'
import { readTrailsCsv } from './trails-csv.ts'
import { readTrailsGeojson } from './trails-geojson.ts'

/** A trail as a file gives it, with the words that a fault names it by, such as `line 3`. */
export interface FileTrail extends TrailInput {
  readonly place: string
}

const readers: Readonly<Record<string, (text: string) => FileTrail[]>> = {
  '.csv': readTrailsCsv,
  '.geojson': readTrailsGeojson,
  '.json': readTrailsGeojson,
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    throw isSystemError(error) ? fail('wrong-file', systemSentence(error)) : error
  }
}

/** The text without a byte-order mark. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new SyntaxError('it is not UTF-8')
  }
}

/** A trail that stands in the file twice alike counts once; two that differ would leave to chance which one wins. */
function withoutRepeats(trails: readonly FileTrail[]): FileTrail[] {
  const byId = new Map<number, FileTrail>()
  return trails.filter((trail) => {
    if (trail.id === undefined) return true // the import itself refuses it
    const earlier = byId.get(trail.id)
    if (!earlier) {
      byId.set(trail.id, trail)
      return true
    }
    if (earlier.name === trail.name && earlier.slug === trail.slug) return false
    throw new SyntaxError(`${trail.place}: trail ${trail.id} differs from ${earlier.place}`)
  })
}

/** @throws a failure of one sentence that names the file, the place in it and what is wrong. */
export async function readTrailFile(file: string): Promise<FileTrail[]> {
  const read = readers[path.extname(file).toLowerCase()]
  if (!read) throw wrongUsage(`${file} must end in .csv or .geojson.`)
  const bytes = await readBytes(file)
  try {
    const trails = withoutRepeats(read(decode(bytes)))
    return trails.map(({ id, name, slug, place }) => ({ id, name, slug, place: `${file}: ${place}` }))
  } catch (error) {
    throw error instanceof SyntaxError ? fail('wrong-file', `${file}: ${error.message}.`) : error
  }
}

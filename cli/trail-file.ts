// Reads a file of trails, CSV or GeoJSON, into what the trails feature imports; a fault is one sentence with its place.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FileReading, FileTrail } from '../src/trails/file-trail.ts'
import { readTrailsCsv } from '../src/trails/trails-csv.ts'
import { readTrailsGeojson } from '../src/trails/trails-geojson.ts'
import { fail, isSystemError, systemSentence, wrongUsage } from './failures.ts'

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // The message quotes the file, with its line breaks.
    throw new SyntaxError(`it is not JSON: ${message.replaceAll(/\s+/g, ' ')}`, { cause: error })
  }
}

const readGeojson = async (text: string): Promise<FileReading> => readTrailsGeojson(parseJson(text))

const readers: Readonly<Record<string, (text: string) => Promise<FileReading>>> = {
  '.csv': readTrailsCsv,
  '.geojson': readGeojson,
  '.json': readGeojson,
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
    throw new SyntaxError('it is not valid UTF-8')
  }
}

/**
 * What can be read of the file, and every problem of what cannot; places name the file.
 * @throws a failure of one sentence where nothing can be read.
 */
export async function examineTrailFile(file: string): Promise<FileReading> {
  const read = readers[path.extname(file).toLowerCase()]
  if (!read) throw wrongUsage(`${file} must end in .csv or .geojson.`)
  const bytes = await readBytes(file)
  const placed = <Placed extends { readonly place: string }>(thing: Placed): Placed => ({
    ...thing,
    place: `${file}: ${thing.place}`,
  })
  try {
    const { trails, problems } = await read(decode(bytes))
    return { trails: trails.map(placed), problems: problems.map(placed) }
  } catch (error) {
    throw error instanceof SyntaxError ? fail('wrong-file', `${file}: ${error.message}.`) : error
  }
}

/** @throws a failure of one sentence that names the file, the place in it and what is wrong. */
export async function readTrailFile(file: string): Promise<readonly FileTrail[]> {
  const { trails, problems } = await examineTrailFile(file)
  const [first] = problems
  if (first) throw fail('wrong-file', `${first.place}: ${first.detail}`)
  return trails
}

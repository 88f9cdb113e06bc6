// Reads a file of trails, CSV or GeoJSON, for import; each error is one sentence with its location.
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
    // The parser's message quotes the file, including its line breaks.
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
 * Everything that can be read, and every problem with the rest, with the file name.
 * @throws a failure with one sentence if nothing can be read.
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

/** @throws a failure with one sentence that names the file, the location in it and the problem. */
export async function readTrailFile(file: string): Promise<readonly FileTrail[]> {
  const { trails, problems } = await examineTrailFile(file)
  const [first] = problems
  if (first) throw fail('wrong-file', `${first.place}: ${first.detail}`)
  return trails
}

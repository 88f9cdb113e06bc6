// The file of `waymark upload --csv`: which photos to upload, and the details of each; one sentence for each invalid
// line.
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import type { ImageDetails } from '../../client/client.ts'
import { trailImageDetails } from '../../src/shared/classic/classic-shapes.ts'
import type { Reading } from '../../src/shared/classic/reading.ts'
import { unguarded } from '../../src/shared/text/csv-cells.ts'
import { parseTimestamp } from '../../src/shared/v2/timestamps.ts'
import { fail, isSystemError, systemSentence } from '../failures.ts'
import { sized } from '../output.ts'
import type { FoundFile } from './photo-files.ts'

const columns = ['file', 'title', 'caption', 'lat', 'lon', 'time', 'licence'] as const
type Column = (typeof columns)[number]

/** About 300,000 photos. */
const maxBytes = 64 * 1024 ** 2

/** A line of the list. */
export interface ListedFile extends FoundFile {
  readonly line: number
  /** Code of the licence that the photo is uploaded under. */
  readonly licence?: string
}

const { title, caption, lat: latField, lon: lonField } = trailImageDetails.fields

type Cells = Readonly<Record<Column, string>>

/** The error message for a cell, or its value. */
function valueOf<Value>(reading: Reading<Value>): Value {
  if (reading.ok) return reading.value
  throw new RangeError(reading.fault.detail)
}

/** @throws RangeError with one sentence. */
function positionOf({ lat, lon }: Cells): Pick<ImageDetails, 'lat' | 'lon'> {
  if (lat === '' && lon === '') return {}
  if (lat === '' || lon === '') throw new RangeError('lat and lon must both be given, or neither.')
  const [north, east] = [
    valueOf(latField.kind.read(lat, 'lat')) ?? '0',
    valueOf(lonField.kind.read(lon, 'lon')) ?? '0',
  ]
  if (Number(north) === 0 && Number(east) === 0)
    throw new RangeError('lat and lon are both 0: leave both empty if the position is unknown.')
  return { lat: Number(north), lon: Number(east) }
}

/** @throws RangeError with one sentence. */
function timeOf({ time }: Cells): Pick<ImageDetails, 'takenAt'> {
  if (time === '') return {}
  const takenAt = time.replace(/^(\d{4}-\d\d-\d\d) /, '$1T')
  if (parseTimestamp(takenAt) === undefined)
    throw new RangeError(
      'time must be a timestamp with an offset from UTC, such as 2026-05-14T09:08:07+02:00.',
    )
  return { takenAt }
}

function textsOf(cells: Cells): Pick<ImageDetails, 'title' | 'caption'> {
  return {
    ...(cells.title !== '' && { title: valueOf(title.kind.read(unguarded(cells.title), 'title')) }),
    ...(cells.caption !== '' && {
      caption: valueOf(caption.kind.read(unguarded(cells.caption), 'caption')),
    }),
  }
}

interface Row {
  readonly cells: readonly string[]
  /** The line on which it ends. */
  readonly line: number
}

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size > maxBytes) throw fail('wrong-file', `${file} is larger than ${sized(maxBytes)}.`)
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    if (error instanceof TypeError)
      throw fail('wrong-file', `${file} is not UTF-8 text: save it as CSV in UTF-8.`)
    throw isSystemError(error) ? fail('wrong-file', systemSentence(error)) : error
  }
}

/** Spreadsheets write semicolons if the comma is the decimal separator, and some write tabs. */
function delimiterOf(text: string): string {
  const header = /^.*[^\s,;].*$/m.exec(text)?.[0] ?? ''
  return [',', ';', '\t'].find((mark) => header.includes(mark)) ?? ','
}

const faults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted field is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quote inside a quoted field must be doubled',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'a quoted field has text after its closing quote',
  INVALID_OPENING_QUOTE: 'a field that contains a quote must be quoted',
}

function rowsOf(text: string, file: string): Row[] {
  try {
    const records: unknown = parse(text, {
      delimiter: delimiterOf(text),
      info: true,
      relax_column_count: true,
      // Spreadsheets write an empty row as delimiters only.
      skip_records_with_empty_values: true,
      skip_empty_lines: true,
      trim: true,
    })
    // With `info`, records are objects, which the library's types do not cover.
    return (records as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      cells: record,
      line: info.lines,
    }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const what = faults[error.code] ?? error.message
    throw fail('wrong-file', `${file} cannot be read as CSV: line ${String(error['lines'])}: ${what}.`)
  }
}

/** @returns the index of each column; -1 if it is missing. @throws one sentence. */
function readHeader(row: Row | undefined, file: string): Readonly<Record<Column, number>> {
  const names = row?.cells.map((cell) => cell.toLowerCase()) ?? []
  const isKnown = (name: string): boolean => columns.some((column) => column === name)
  const unknown = names.flatMap((name, at) => (isKnown(name) ? [] : [`'${row?.cells[at] ?? name}'`]))
  if (unknown.length > 0)
    throw fail(
      'wrong-file',
      `${file} has unknown columns: ${unknown.join(', ')}. The columns are ${columns.join(', ')}.`,
    )
  const twice = columns.find((column) => names.indexOf(column) !== names.lastIndexOf(column))
  if (twice) throw fail('wrong-file', `${file} has the column ${twice} twice.`)
  if (!names.includes('file'))
    throw fail('wrong-file', `${file} has no column 'file': its first line must name the columns.`)
  const places = columns.map((column) => [column, names.indexOf(column)] as const)
  return Object.fromEntries(places) as Record<Column, number>
}

/**
 * Reads the list. File names are relative to the list's folder.
 * @throws one sentence if the file is not a valid list; invalid lines are refused individually.
 */
export async function readPhotoList(file: string): Promise<ListedFile[]> {
  const [first, ...rows] = rowsOf(await readText(file), file)
  const header = readHeader(first, file)
  const width = first?.cells.length ?? 0
  const lines = new Map<string, number>()

  function read({ cells: fields, line }: Row): ListedFile {
    const cells = Object.fromEntries(
      columns.map((column) => [column, fields[header[column]] ?? '']),
    ) as Record<Column, string>
    const photo = path.resolve(path.dirname(file), cells.file)
    const named = cells.file === '' ? file : path.join(path.dirname(file), cells.file)
    const shown = path.isAbsolute(cells.file) ? cells.file : named
    try {
      if (fields.length > width)
        throw new RangeError(`the line has ${fields.length} fields, but the header has ${width}.`)
      if (cells.file === '') throw new RangeError('the column file is empty.')
      const before = lines.get(photo)
      if (before !== undefined) throw new RangeError(`the file is listed on line ${before} too.`)
      const details = { ...textsOf(cells), ...positionOf(cells), ...timeOf(cells) }
      lines.set(photo, line)
      return { file: shown, line, details, ...(cells.licence !== '' && { licence: cells.licence }) }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return { file: shown, line, refused: `Line ${line} of ${file}: ${error.message}` }
    }
  }

  return rows.map(read)
}

/**
 * A site has one licence for all photos, the one in force at the upload. A photo meant for another is not uploaded.
 * @param code of the licence in force; null if there is none.
 */
export function withLicence(listed: ListedFile, list: string, code: string | null): ListedFile {
  const { file, line, licence, refused } = listed
  if (refused !== undefined || licence === undefined || licence === code) return listed
  const site = code === null ? 'has no photo licence' : `publishes photos under ${code}`
  return { file, line, refused: `Line ${line} of ${list}: licence is ${licence}, but this site ${site}.` }
}

// Reads and writes trails as CSV: the header trailID,name,slug in any order, optionally with a description when
// reading, and one trail per row.
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { parseId } from '../shared/classic/classic-paths.ts'
import { atOnce, createYielder } from '../shared/yielding.ts'
import type { LongText } from '../shared/text/long-text.ts'
import { csvText, unguarded } from '../shared/text/csv-cells.ts'
import { slicesOf } from '../shared/text/text-slices.ts'
import { gatherTrails, tooManyTrails, unreadable, type FileLimits, type FileReading } from './file-trail.ts'
import type { Trail } from './trail-table.ts'

interface Row {
  readonly cells: readonly string[]
  /** The line on which it ends. */
  readonly line: number
}

const faults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted field is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quote inside a quoted field must be doubled',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'a quoted field has text after its closing quote',
  CSV_MAX_RECORD_SIZE: 'a row is longer than a million bytes, possibly because of an unclosed quote',
  INVALID_OPENING_QUOTE: 'a field that contains a quote must be quoted',
}

const maxRowBytes = 1_000_000
/** Exports of spreadsheets and databases have tens of columns; checking a million would take too long. */
const maxColumns = 1_000

/** Up to a thousand rows: about 2 ms of reading. */
const charactersOfStep = 4 * 1024

/** Commas in a quoted field count as well: an outline in text form has tens of thousands. */
const maxCommas = 100_000
const [newline, comma] = [10, 44]

/** @throws SyntaxError for a row that the parser would split into a million fields in one step. */
function createCommaCounter(): (slice: string) => void {
  let line = 1
  let commas = 0
  return (slice) => {
    for (let at = 0; at < slice.length; at += 1) {
      const code = slice.charCodeAt(at)
      if (code === comma) commas += 1
      if (code !== newline) continue
      line += 1
      commas = 0
    }
    if (commas > maxCommas) throw unreadable(`line ${line}: a row has more than ${maxCommas} commas`)
  }
}

async function* stepsOf(text: LongText): AsyncGenerator<Buffer, void> {
  const yielder = createYielder()
  const countCommas = createCommaCounter()
  for (const slice of slicesOf(text, charactersOfStep)) {
    countCommas(slice)
    yield Buffer.from(slice)
    await yielder.yieldIfDue()
  }
}

/** One at a time, so that they need not be held in memory. @throws SyntaxError whose message begins with the line. */
async function* rowsOf(text: LongText): AsyncGenerator<Row, void> {
  const options = {
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: maxRowBytes,
    // One step at a time: buffered rows would be processed without yielding.
    writableHighWaterMark: 1,
  }
  const steps = Readable.from(stepsOf(text), { objectMode: false, highWaterMark: 1 })
  const parser = parse(options)
  steps.once('error', (error) => parser.destroy(error)) // pipe does not forward errors
  try {
    // With `info`, records are objects, which the library's types do not cover.
    const records: AsyncIterable<unknown> = steps.pipe(parser)
    for await (const { record, info } of records as AsyncIterable<{
      record: string[]
      info: { lines: number }
    }>)
      yield { cells: record, line: info.lines }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw unreadable(`line ${String(error['lines'])}: ${faults[error.code] ?? error.message}`, error)
  } finally {
    steps.destroy()
  }
}

/** Indexes of the columns. */
interface Header {
  readonly id: number
  readonly name: number
  /** Undefined if it is missing. */
  readonly slug: number | undefined
  readonly description: number | undefined
  /** Number of columns. */
  readonly fields: number
}

function readHeader({ cells, line }: Row): Header {
  if (cells.length > maxColumns)
    throw unreadable(`line ${line}: the header has more than ${maxColumns} columns`)
  const words = cells.map((cell) => cell.toLowerCase())
  const place = (column: string): number | undefined => {
    const index = words.indexOf(column.toLowerCase())
    if (words.indexOf(column.toLowerCase(), index + 1) > index && index >= 0) {
      throw unreadable(`line ${line}: the header has ${column} twice`)
    }
    return index < 0 ? undefined : index
  }
  const [id, name] = [place('trailID'), place('name')]
  if (id === undefined || name === undefined) {
    throw unreadable(`line ${line}: the header must have trailID and name, separated by commas`)
  }
  return { id, name, slug: place('slug'), description: place('description'), fields: cells.length }
}

/** @throws SyntaxError whose message begins with the line, and refusal `body-too-large`. */
export async function readTrailsCsv(
  text: LongText,
  { maxTrails = Infinity }: FileLimits = {},
): Promise<FileReading> {
  const gathered = gatherTrails({ maxTrails })
  let header: Header | undefined
  let rows = 0
  for await (const row of rowsOf(text)) {
    const { cells, line } = row
    if (!header) {
      header = readHeader(row)
      continue
    }
    rows += 1
    if (rows > maxTrails) throw tooManyTrails(maxTrails) // duplicates count too, because they take time
    const place = `line ${line}`
    if (cells.length > header.fields) {
      gathered.addProblem({
        place,
        detail: `the row has ${cells.length} fields, but the header has ${header.fields}.`,
      })
      continue
    }
    const trail = {
      id: parseId(cells[header.id] ?? ''),
      name: unguarded(cells[header.name] ?? ''),
      slug: header.slug === undefined ? undefined : cells[header.slug],
      // An empty one leaves the description unchanged: many tables have the column for another purpose.
      description: unguarded(cells[header.description ?? -1] ?? '') || undefined,
      place,
    }
    atOnce(gathered.adding(trail)) // a row has no line, so it is one short step
  }
  if (!header) throw unreadable('line 1: the header trailID,name,slug is missing')
  return gathered.reading()
}

export const csvHeader = 'trailID,name,slug\r\n'

/** One line of the file, including its line end (RFC 4180). */
export const csvRow = ({ id, name, slug }: Trail): string => `${id},${csvText(name)},${csvText(slug)}\r\n`

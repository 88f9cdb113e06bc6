// Trails in CSV: the header trailID,name,slug in any order, and one trail a row; read and written.
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { parseId } from '../contract/classic-paths.ts'
import { nextTurn } from '../contract/in-turns.ts'
import { slicesOf } from '../contract/text-slices.ts'
import { unreadable, withoutRepeats, type FileReading, type FileTrail } from './file-trail.ts'
import type { TrailProblem } from './trail-checks.ts'
import type { Trail } from './trail-table.ts'

interface Row {
  readonly cells: readonly string[]
  /** The line on which it ends. */
  readonly line: number
}

const faults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted field is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quote inside a quoted field must be doubled',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'a quoted field goes on after its closing quote',
  CSV_MAX_RECORD_SIZE: 'a row has more than a million bytes, as where a quote is not closed',
  INVALID_OPENING_QUOTE: 'a field that holds a quote must be quoted as a whole',
}

const mostRowBytes = 1_000_000

async function* stepsOf(text: string): AsyncGenerator<Buffer, void> {
  for (const slice of slicesOf(text)) {
    yield Buffer.from(slice)
    await nextTurn()
  }
}

async function parseRows(text: string): Promise<Row[]> {
  const options = {
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: mostRowBytes,
  }
  const rows: Row[] = []
  try {
    // With `info` every record comes as an object, which the library's types do not know.
    const records: AsyncIterable<unknown> = Readable.from(stepsOf(text), { objectMode: false }).pipe(
      parse(options),
    )
    for await (const { record, info } of records as AsyncIterable<{
      record: string[]
      info: { lines: number }
    }>)
      rows.push({ cells: record, line: info.lines })
    return rows
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw unreadable(`line ${String(error['lines'])}: ${faults[error.code] ?? error.message}`, error)
  }
}

/** Where the columns stand; undefined for a slug that is not there. */
function readHeader({ cells, line }: Row): { id: number; name: number; slug: number | undefined } {
  const words = cells.map((cell) => cell.toLowerCase())
  const place = (column: string): number | undefined => {
    const index = words.indexOf(column.toLowerCase())
    if (words.indexOf(column.toLowerCase(), index + 1) > index && index >= 0) {
      throw unreadable(`line ${line}: the header names ${column} twice`)
    }
    return index < 0 ? undefined : index
  }
  const [id, name, slug] = [place('trailID'), place('name'), place('slug')]
  if (id === undefined || name === undefined) {
    throw unreadable(`line ${line}: the header must name trailID and name, separated by commas`)
  }
  return { id, name, slug }
}

/**
 * What a spreadsheet would take for a formula, in whatever width of letters, and whatever looks as if we had marked it
 * already: an apostrophe before it says that it is text. Ours is taken off again when the file is read.
 */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

const guarded = (cell: string): string => (formula.test(cell) ? `'${cell}` : cell)

const unguarded = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell

/** @throws SyntaxError whose message begins with the line. */
export async function readTrailsCsv(text: string): Promise<FileReading> {
  const [header, ...rows] = await parseRows(text)
  if (!header) throw unreadable('line 1: the header trailID,name,slug is missing')
  const columns = readHeader(header)
  const trails: FileTrail[] = []
  const problems: TrailProblem[] = []
  for (const { cells, line } of rows) {
    const place = `line ${line}`
    if (cells.length > header.cells.length) {
      const detail = `${cells.length} fields under a header of ${header.cells.length}.`
      problems.push({ place, detail })
      continue
    }
    trails.push({
      id: parseId(cells[columns.id] ?? ''),
      name: unguarded(cells[columns.name] ?? ''),
      slug: columns.slug === undefined ? undefined : cells[columns.slug],
      place,
    })
  }
  return withoutRepeats({ trails, problems })
}

export const csvHeader = 'trailID,name,slug\r\n'

function cellOf(text: string): string {
  const cell = guarded(text)
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** One line of the file, its end included (RFC 4180). */
export const csvRow = ({ id, name, slug }: Trail): string => `${id},${cellOf(name)},${cellOf(slug)}\r\n`

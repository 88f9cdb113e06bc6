// Trails in CSV: the header trailID,name,slug in any order, and one trail a row.
import { CsvError, parse } from 'csv-parse/sync'
import { canonicalId } from './options.ts'
import type { FileTrail } from './trail-file.ts'

interface Row {
  readonly cells: readonly string[]
  /** The line on which it ends. */
  readonly line: number
}

const faults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted field is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quote inside a quoted field must be doubled',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'a quoted field goes on after its closing quote',
  INVALID_OPENING_QUOTE: 'a field that holds a quote must be quoted as a whole',
}

function parseRows(text: string): Row[] {
  try {
    // With `info` every record comes as an object, which the library's types do not know.
    const records = parse(text, {
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    return records.map(({ record, info }) => ({ cells: record, line: info.lines }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new SyntaxError(`line ${String(error['lines'])}: ${faults[error.code] ?? error.message}`, {
      cause: error,
    })
  }
}

/** Where the columns stand; undefined for a slug that is not there. */
function readHeader({ cells, line }: Row): { id: number; name: number; slug: number | undefined } {
  const words = cells.map((cell) => cell.toLowerCase())
  const place = (column: string): number | undefined => {
    const index = words.indexOf(column.toLowerCase())
    if (words.indexOf(column.toLowerCase(), index + 1) > index && index >= 0) {
      throw new SyntaxError(`line ${line}: the header names ${column} twice`)
    }
    return index < 0 ? undefined : index
  }
  const [id, name, slug] = [place('trailID'), place('name'), place('slug')]
  if (id === undefined || name === undefined) {
    throw new SyntaxError(`line ${line}: the header must name trailID and name, separated by commas`)
  }
  return { id, name, slug }
}

/** @throws SyntaxError whose message begins with the line. */
export function readTrailsCsv(text: string): FileTrail[] {
  const [header, ...rows] = parseRows(text)
  if (!header) throw new SyntaxError('line 1: the header trailID,name,slug is missing')
  const columns = readHeader(header)
  return rows.map(({ cells, line }) => {
    if (cells.length > header.cells.length) {
      throw new SyntaxError(`line ${line}: ${cells.length} fields under a header of ${header.cells.length}`)
    }
    return {
      id: canonicalId(cells[columns.id] ?? ''),
      name: cells[columns.name] ?? '',
      slug: columns.slug === undefined ? undefined : cells[columns.slug],
      place: `line ${line}`,
    }
  })
}

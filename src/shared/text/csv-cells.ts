// Cells of CSV files (RFC 4180) that a spreadsheet opens: written so that none of them is taken for a formula.

/**
 * What a spreadsheet would take for a formula, in whatever width of letters, and whatever looks as if we had marked it
 * already: an apostrophe before it says that it is text. Ours is taken off again when the file is read.
 */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

const guarded = (cell: string): string => (formula.test(cell) ? `'${cell}` : cell)

/** The text of a cell that `csvText` wrote, or that somebody else did. */
export const unguarded = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell

const quoted = (cell: string): string =>
  /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** A cell that holds a text of people. */
export const csvText = (text: string): string => quoted(guarded(text))

/** A cell of whatever kind: only texts could be taken for formulas. */
export function csvCell(value: string | number | boolean | null): string {
  if (value === null) return ''
  return typeof value === 'string' ? csvText(value) : String(value)
}

export const csvLine = (values: readonly (string | number | boolean | null)[]): string =>
  `${values.map(csvCell).join(',')}\r\n`

// Exports the history of a photo: JSON as returned by the server, or CSV without executable formulas.
import type { HistoryEntry } from '../../../../client/client.ts'

/**
 * A cell that starts with one of these is a formula in a spreadsheet, in some also the full-width forms: a note could
 * send data out (trust.md 38).
 */
const isFormula = /^[=+\-@＝＋－＠\t\r\n]/

/** RFC 4180: quoted if necessary, quotes doubled. An apostrophe precedes a possible formula. */
export function csvCell(value: string | number | null): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const safe = isFormula.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvOf = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')

const header = [
  'imageID',
  'position',
  'at',
  'acctID',
  'displayName',
  'from',
  'to',
  'reason',
  'reasonLabel',
  'note',
]

export function historyCsv(imageId: number, entries: readonly HistoryEntry[]): string {
  return csvOf([
    header,
    ...entries.map(({ position, at, actor, from, to, reason, reasonLabel, note }) => [
      imageId,
      position,
      at,
      actor?.acctID ?? null,
      actor?.displayName ?? null,
      from,
      to,
      reason,
      reasonLabel,
      note,
    ]),
  ])
}

export const historyJson = (imageId: number, entries: readonly HistoryEntry[]): string =>
  `${JSON.stringify({ imageID: imageId, items: entries }, null, 2)}\n`

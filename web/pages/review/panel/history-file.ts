// The history of a photo as a file to keep: JSON as the server tells it, or CSV that no spreadsheet runs as a formula.
import type { HistoryEntry } from '../../../../client/client.ts'

/** A cell that begins so is a formula to a spreadsheet, the wide forms to some: a note could call out (trust.md 38). */
const isFormula = /^[=+\-@＝＋－＠\t\r\n]/

/** RFC 4180: quoted where it must be, quotes doubled. An apostrophe before what would be a formula. */
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

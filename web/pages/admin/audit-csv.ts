// The audit as CSV, safe to open in a spreadsheet.
import type { AuditEntry } from '../../../client/client.ts'

const head = ['position', 'at', 'actor', 'via', 'action', 'acctID', 'detail']

/** What a spreadsheet would run as a formula: OWASP's list, and the wide forms that some take for the same. */
const formula = /^[=+\-@＝＋－＠\t\r\n]/

/** An apostrophe before a formula makes it a text; quotes hold commas and line breaks (RFC 4180). */
export function csvCell(value: string): string {
  const safe = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function auditCsv(entries: readonly AuditEntry[]): string {
  const rows = entries.map(({ position, at, actor, via, action, acctID, detail }) => [
    String(position),
    at,
    actor === null ? '' : String(actor),
    via,
    action,
    acctID === null ? '' : String(acctID),
    Object.keys(detail).length === 0 ? '' : JSON.stringify(detail),
  ])
  return [head, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

// The audit log as CSV, safe to open in a spreadsheet.
import type { AuditEntry } from '../../../client/client.ts'

const head = ['position', 'at', 'actor', 'via', 'action', 'acctID', 'detail']

/** Characters that start a formula in a spreadsheet: OWASP's list, and the full-width forms that some accept. */
const formula = /^[=+\-@＝＋－＠\t\r\n]/

/** An apostrophe turns a formula into text; quotes protect commas and line breaks (RFC 4180). */
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

// Refusals as RFC 9457 problem documents, in JSON and XML, and the page behind each problem type (contract C37).
import { replaceForbidden } from '../contract/characters.ts'
import { escapeHtml, page } from './page.ts'
import { refusals, type Refusal, type RefusalCode } from '../errors.ts'
import { withoutSecrets } from './redact.ts'

export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail?: string
  /** The id under which the log speaks of the request. */
  readonly instance: string
}

export function problemOf(refusal: Refusal, publicUrl: string, requestId: string): ProblemDocument {
  const { status, title } = refusals[refusal.code]
  return {
    type: `${publicUrl}/problems/${refusal.code}`,
    title,
    status,
    ...(refusal.detail === undefined ? {} : { detail: withoutSecrets(refusal.detail) }),
    instance: `urn:waymark:request:${requestId}`,
  }
}

/** A detail may quote what was sent, and XML has no way to hold a control character. */
const xmlText = (text: string): string => escapeHtml(replaceForbidden(text))

/** No slash is escaped, unlike in image details. */
export function writeProblem(problem: ProblemDocument, format: 'json' | 'xml'): string {
  if (format === 'json') return JSON.stringify(problem)
  const members = Object.entries(problem).map(
    ([name, value]) => `<${name}>${xmlText(String(value))}</${name}>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<problem xmlns="urn:ietf:rfc:7807">${members.join('')}</problem>`
}

export function isRefusalCode(text: string): text is RefusalCode {
  return Object.hasOwn(refusals, text)
}

/** The page that a problem's `type` resolves to. */
export function problemPage(code: RefusalCode): string {
  const { status, title, help } = refusals[code]
  return page(
    title,
    `<p>Status ${status}, code <code>${code}</code></p>\n<p>${escapeHtml(help)}</p>\n<p><a href="../problems">All problems</a></p>`,
  )
}

/** The list of all problem pages. */
export function problemIndexPage(): string {
  const rows = Object.entries(refusals).map(
    ([code, { status, title }]) =>
      `<tr><td>${status}</td><td><a href="problems/${code}">${escapeHtml(title)}</a></td></tr>`,
  )
  return page('Problems', `<table>\n<tr><th>Status</th><th>Title</th></tr>\n${rows.join('\n')}\n</table>`)
}

// Refusals as RFC 9457 problem documents, in JSON and XML (contract C37).
import { replaceForbidden } from '../shared/text/characters.ts'
import { refusals, type Refusal, type RefusalCode } from '../errors.ts'
import { escapeHtml } from '../site/html.ts'
import { withoutSecrets } from './logs/redact.ts'

export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  /** The id under which the log speaks of the request. */
  readonly instance: string
}

export function problemOf(refusal: Refusal, publicUrl: string, requestId: string): ProblemDocument {
  const { status, title, detail } = refusals[refusal.code]
  return {
    type: `${publicUrl}/problems/${refusal.code}`,
    title,
    status,
    detail: withoutSecrets(refusal.detail ?? detail),
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

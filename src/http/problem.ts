// Refusals as RFC 9457 problem documents, in JSON and XML (contract C37).
import type { Language } from '../shared/languages.ts'
import { replaceForbidden } from '../shared/text/characters.ts'
import { refusals, type Refusal, type RefusalCode } from '../errors.ts'
import { escapeHtml } from '../site/html.ts'
import { realLanguage, type PageLanguage } from '../texts/request-language.ts'
import { textsIn } from '../texts/texts.ts'
import { withoutSecrets } from './logs/redact.ts'

export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  /** The id under which the log speaks of the request. */
  readonly instance: string
  /** Further members for programs. */
  readonly [member: string]: string | number
}

const detailOf = (refusal: Refusal, language: PageLanguage): string =>
  refusal.detailIn(realLanguage(language)) ?? textsIn(language).refusals[refusal.code].detail

/** Language of a problem document; undefined if all of it is English. */
export function problemLanguage(refusal: Refusal, language: PageLanguage): Language | undefined {
  const isEnglish = detailOf(refusal, language) === detailOf(refusal, 'en')
  return isEnglish ? undefined : realLanguage(language)
}

/** The title is English in every language (contract C37), the detail in that of the request. */
export function problemOf(
  refusal: Refusal,
  publicUrl: string,
  requestId: string,
  language: PageLanguage = 'en',
): ProblemDocument {
  const { status, title } = refusals[refusal.code]
  return {
    type: `${publicUrl}/problems/${refusal.code}`,
    title,
    status,
    detail: withoutSecrets(detailOf(refusal, language)),
    instance: `urn:waymark:request:${requestId}`,
    ...refusal.members,
  }
}

/** A detail may quote input, and XML cannot represent control characters. */
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

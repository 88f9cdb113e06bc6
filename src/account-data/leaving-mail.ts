// The email that confirms an account deletion, sent to the address that is no longer stored.
import type { Language } from '../shared/languages.ts'
import type { LeavingReport } from '../shared/v2/leaving-schemas.ts'
import { textsIn } from '../texts/texts.ts'

export interface LeavingMail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

export function leavingMail(to: string, language: Language, report: LeavingReport): LeavingMail {
  const { subject, text } = textsIn(language).signInMails.accountDeleted(report)
  return { to, subject, text: text.join('\n\n') }
}

// The mails of signing in: a text of the catalogue for the reader's language, to an address.
import { hash } from 'node:crypto'
import type { Mail } from '../mail/mailer.ts'
import type { Language } from '../shared/languages.ts'
import { textsIn, type Texts } from '../texts/texts.ts'

interface MailText {
  readonly subject: string
  /** Paragraphs. */
  readonly text: readonly string[]
}

/** What the limit on mails counts: the address, however it is written. */
export const recipientOf = (email: string): string => hash('sha256', email.trim().toLowerCase())

export function mailTo(
  to: string,
  language: Language,
  write: (mails: Texts['signInMails']) => MailText,
): Mail {
  const { subject, text } = write(textsIn(language).signInMails)
  return { to, subject, text: text.join('\n\n') }
}

// The emails about photos, in the language of the recipient.
import type { Mail } from '../mail/mailer.ts'
import { mailLanguage } from '../texts/request-language.ts'
import { textsIn, type Texts } from '../texts/texts.ts'
import type { Recipient } from './decision-emails-table.ts'

type Reader = Pick<Recipient, 'email' | 'language'>
type DecisionMails = Texts['decisionMails']

const mailsFor = (language: string | null): DecisionMails => textsIn(mailLanguage(language)).decisionMails

export interface MailedDecision {
  readonly title: string
  readonly trailName: string
  readonly decision: 'approved' | 'rejected'
  /** The label; undefined if no reason was given. */
  readonly reason: string | undefined
  /** Its URL; undefined if it is not public. */
  readonly link: string | undefined
}

const maxListed = 20
const maxNameLength = 100

/** A title may hold anything, and must not look like a line of the mail. */
function inOneLine(text: string): string {
  const line = text.replaceAll(/[\p{Control}\p{Line_Separator}\p{Paragraph_Separator}]+/gu, ' ').trim()
  const characters = Array.from(line)
  return characters.length > maxNameLength ? `${characters.slice(0, maxNameLength).join('')}…` : line
}

function linesOf({ title, trailName, decision, reason, link }: MailedDecision, mails: DecisionMails): string {
  const name = inOneLine(title)
  const photo = name === '' ? mails.untitled : mails.quoted(name)
  const verdict =
    decision === 'approved'
      ? mails.approved
      : mails.rejected(reason === undefined ? reason : inOneLine(reason))
  return [
    `- ${photo}, ${inOneLine(trailName)}: ${verdict}`,
    ...(link === undefined ? [] : [`  ${link}`]),
  ].join('\n')
}

function subjectOf(decisions: readonly MailedDecision[], mails: DecisionMails): string {
  if (decisions.length > 1) return mails.subjectMany(decisions.length)
  return decisions[0]?.decision === 'approved' ? mails.subjectApproved : mails.subjectRejected
}

/** @param decisions one at least. */
export function decisionsMail(
  { email: to, language }: Reader,
  publicUrl: string,
  decisions: readonly MailedDecision[],
): Mail {
  const mails = mailsFor(language)
  const listed = decisions.slice(0, maxListed)
  const more = decisions.length - listed.length
  const paragraphs = [
    mails.lead(decisions.length),
    listed.map((decision) => linesOf(decision, mails)).join('\n'),
    ...(more > 0 ? [mails.more(more)] : []),
    mails.unsubscribe(`${publicUrl}/account`),
  ]
  return { to, subject: subjectOf(decisions, mails), text: paragraphs.join('\n\n') }
}

/** @param waiting one at least. */
export function waitingMail(
  { email: to, language }: Reader,
  { publicUrl, reviewUrl }: { readonly publicUrl: string; readonly reviewUrl: string },
  waiting: number,
): Mail {
  const mails = mailsFor(language)
  const subject = mails.waiting(waiting)
  const unsubscribe = mails.unsubscribe(`${publicUrl}/account`)
  return { to, subject, text: `${subject}:\n\n${reviewUrl}\n\n${unsubscribe}` }
}

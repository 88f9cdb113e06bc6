// The mails about photos, word for word.
import type { Mail } from '../mail/mailer.ts'

export interface ToldDecision {
  readonly title: string
  readonly trailName: string
  readonly decision: 'approved' | 'rejected'
  /** In words; undefined where none was given. */
  readonly reason: string | undefined
  /** Where it is to be seen; undefined where it is not. */
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

function linesOf({ title, trailName, decision, reason, link }: ToldDecision): string {
  const name = inOneLine(title)
  const photo = name === '' ? 'A photo without a title' : `"${name}"`
  const why = decision === 'rejected' && reason !== undefined ? `: ${inOneLine(reason)}` : ''
  const verdict = decision === 'approved' ? 'accepted, everybody can see it' : `not accepted${why}`
  return [
    `- ${photo}, ${inOneLine(trailName)}: ${verdict}`,
    ...(link === undefined ? [] : [`  ${link}`]),
  ].join('\n')
}

const farewell = (publicUrl: string): string =>
  `You get this mail because you have not turned such mails off. To do so, open this page:\n${publicUrl}/account`

function subjectOf(decisions: readonly ToldDecision[]): string {
  if (decisions.length > 1) return `News of ${decisions.length} of your photos`
  return decisions[0]?.decision === 'approved' ? 'Your photo was accepted' : 'Your photo was not accepted'
}

/** @param decisions one at least. */
export function decisionsMail(to: string, publicUrl: string, decisions: readonly ToldDecision[]): Mail {
  const listed = decisions.slice(0, maxListed)
  const more = decisions.length - listed.length
  const paragraphs = [
    decisions.length === 1 ? 'Your photo was looked at:' : 'Your photos were looked at:',
    listed.map(linesOf).join('\n'),
    ...(more > 0 ? [`And ${more} more.`] : []),
    farewell(publicUrl),
  ]
  return { to, subject: subjectOf(decisions), text: paragraphs.join('\n\n') }
}

/** @param waiting one at least. */
export function waitingMail(
  to: string,
  { publicUrl, reviewUrl }: { readonly publicUrl: string; readonly reviewUrl: string },
  waiting: number,
): Mail {
  const count = waiting === 1 ? '1 photo is' : `${waiting} photos are`
  return {
    to,
    subject: `${count} waiting for review`,
    text: `${count} waiting for review:\n\n${reviewUrl}\n\n${farewell(publicUrl)}`,
  }
}

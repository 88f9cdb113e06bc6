// The mail to whoever has left, at the address that is no longer kept.
import type { LeavingReport } from '../shared/v2/leaving-schemas.ts'

export interface LeavingMail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

export function leavingMail(to: string, report: LeavingReport): LeavingMail {
  const { photosDeleted, photosKept, routesDeleted } = report
  const paragraphs = [
    'Your account is deleted, and with it what was yours alone: how you signed in, keys, applications, webhooks, privacy zones and this address.',
    `Photos deleted: ${photosDeleted}. Photos that stay listed, by a former member: ${photosKept}. Routes deleted: ${routesDeleted}.`,
    'Backups that were made before still hold it until those who run the site discard them.',
    'You can sign up anew with this address; that is a new account. If it was not you who asked for this, tell those who run the site at once.',
  ]
  return {
    to,
    subject: 'Your account is deleted',
    text: paragraphs.join('\n\n'),
  }
}

// The mails that people get, word for word.
import { hash } from 'node:crypto'
import type { Mail } from '../mail/mailer.ts'

const mail = (to: string, subject: string, ...paragraphs: readonly string[]): Mail => ({
  to,
  subject,
  text: paragraphs.join('\n\n'),
})

/** What the limit on mails counts: the address, however it is written. */
export const recipientOf = (email: string): string => hash('sha256', email.trim().toLowerCase())

export const signUpMail = (to: string, link: string): Mail =>
  mail(
    to,
    'Finish creating your account',
    'Somebody, probably you, wants an account for this address. To choose a name and a password, open this link within a day:',
    link,
    'If it was not you, do nothing: without the link there is no account.',
  )

export const knownAddressMail = (
  to: string,
  { publicUrl, resetLink }: { readonly publicUrl: string; readonly resetLink: string | undefined },
): Mail =>
  mail(
    to,
    'You already have an account',
    'Somebody, probably you, asked for a new account for this address. You already have one. Sign in here:',
    `${publicUrl}/sign-in`,
    ...(resetLink === undefined
      ? []
      : ['If you forgot your password, choose a new one within an hour by this link:', resetLink]),
    'If it was not you, do nothing: nothing has changed.',
  )

export const invitationMail = (to: string, link: string): Mail =>
  mail(
    to,
    'You are invited to create an account',
    'To choose a name and a password, open this link within seven days:',
    link,
    'If you do not expect this, do nothing.',
  )

export const resetMail = (to: string, link: string): Mail =>
  mail(
    to,
    'Choose a new password',
    'Somebody, probably you, asked for a new password. To choose one, open this link within an hour:',
    link,
    'If it was not you, do nothing: your password stays as it is.',
  )

export const confirmEmailMail = (to: string, link: string): Mail =>
  mail(
    to,
    'Confirm your e-mail address',
    'To use this address for your account, open this link within a day:',
    link,
    'If you have no such account, do nothing.',
  )

export const emailChangedMail = (to: string): Mail =>
  mail(
    to,
    'The e-mail address of your account has changed',
    'Your account has another e-mail address now, and this one no longer signs in.',
    'If it was not you, tell those who run the site at once.',
  )

export const passwordChangedMail = (to: string): Mail =>
  mail(
    to,
    'Your password has changed',
    'Your password was changed, and every other browser is signed out. After a reset, applications have to be allowed again.',
    'If it was not you, ask for a new password at once.',
  )

export const passkeyAddedMail = (
  to: string,
  { name, publicUrl }: { readonly name: string; readonly publicUrl: string },
): Mail =>
  mail(
    to,
    'A passkey was added to your account',
    `The passkey "${name}" was added to your account and can sign in to it from now on.`,
    'If it was not you, remove it here, and choose a new password:',
    `${publicUrl}/account/passkeys`,
  )

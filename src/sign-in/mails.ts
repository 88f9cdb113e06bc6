// The mails that people get, word for word.
import type { Mail } from '../mail/mailer.ts'

const signature = '\n\n-- \nWaymark'

const mail = (to: string, subject: string, ...paragraphs: readonly string[]): Mail => ({
  to,
  subject,
  text: paragraphs.join('\n\n') + signature,
})

export const signUpMail = (to: string, link: string): Mail =>
  mail(
    to,
    'Finish your Waymark account',
    'Somebody, probably you, wants an account for this address. To choose a name and a password, open this link within a day:',
    link,
    'If it was not you, do nothing: without the link there is no account.',
  )

export const knownAddressMail = (to: string, publicUrl: string): Mail =>
  mail(
    to,
    'You have a Waymark account already',
    'Somebody, probably you, wanted a new account for this address. You have one: sign in here, or ask there for a new password.',
    `${publicUrl}/sign-in`,
    'If it was not you, do nothing: nothing has changed.',
  )

export const invitationMail = (to: string, link: string): Mail =>
  mail(
    to,
    'You are invited to Waymark',
    'You are invited to have an account. To choose a name and a password, open this link within seven days:',
    link,
    'If you do not expect this, do nothing.',
  )

export const resetMail = (to: string, link: string): Mail =>
  mail(
    to,
    'A new Waymark password',
    'Somebody, probably you, asked for a new password. To choose one, open this link within an hour:',
    link,
    'If it was not you, do nothing: your password stays as it is.',
  )

export const confirmEmailMail = (to: string, link: string): Mail =>
  mail(
    to,
    'Confirm your address for Waymark',
    'To use this address for your account, open this link within a day:',
    link,
    'If you have no such account, do nothing.',
  )

export const emailChangedMail = (to: string): Mail =>
  mail(
    to,
    'The address of your Waymark account has changed',
    'Your account has another e-mail address now, and this one no longer signs in.',
    'If it was not you, tell those who run the site at once.',
  )

export const passwordChangedMail = (to: string): Mail =>
  mail(
    to,
    'Your Waymark password has changed',
    'Your password was changed, and every browser that was signed in with the old one is signed out.',
    'If it was not you, ask for a new password at once.',
  )

// What is wrong with a form, in a sentence: the details of those refusals that people read on a page.
import type { Tools } from '../../shared/text/plurals.ts'

export function details({ plural }: Tools) {
  const inSeconds = (seconds: number): string =>
    plural(seconds, { one: '1 second', other: `${seconds} seconds` })
  const weak = (why: string): string =>
    `password ${why}: choose another one, such as three or four random words.`

  return {
    email: 'email must be an email address.',
    controls: 'name and email must not contain control characters.',
    name: (max: number) => `name must have 1 to ${max} characters.`,
    passwordLength: (min: number, max: number) => `password must have ${min} to ${max} characters.`,
    passwordOwn: weak('must not be your name, your email address or the name of the site'),
    passwordPattern: weak('must not be a repetition or a sequence'),
    passwordCommon: weak('is too common'),
    noAddress: 'This account has no email address. Add one first.',
    notUnclaimed: 'Only an account that nobody has claimed yet can be given an email address.',
    addressTaken: 'Another account has this email address.',
    addressKnown: 'An account with this email address already exists. Sign in, or reset your password.',
    wait: (
      seconds: number,
      { hasPasskeys, canMail }: { readonly hasPasskeys: boolean; readonly canMail: boolean },
    ) => {
      const byPasskey = hasPasskeys ? ', sign in with a passkey' : ''
      const byLink = canMail
        ? 'request a link with "Forgot your password?"'
        : 'ask the site administrators for a link to choose a new password'
      return `Too many wrong passwords. Try again in ${inSeconds(seconds)}${byPasskey}, or ${byLink}.`
    },
    waitOrSignIn: (seconds: number) =>
      `Too many wrong passwords. Try again in ${inSeconds(seconds)}, or sign in again.`,
    stale: 'You signed in more than ten minutes ago: enter your password, or sign in again.',
    manyMails:
      'Three emails were sent to this address within an hour. Open the latest one, or try again in an hour.',
    otherAccount: 'The application expects another account. Go back to it and start again.',
  }
}

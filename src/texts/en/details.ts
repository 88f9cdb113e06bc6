// What is wrong with a form, in a sentence: the details of those refusals that people read on a page.
import type { Tools } from '../../shared/text/plurals.ts'

export function details({ plural }: Tools) {
  const inSeconds = (seconds: number): string =>
    plural(seconds, { one: '1 second', other: `${seconds} seconds` })
  const weak = (why: string): string => `password ${why}: choose another one, such as three or four words.`

  return {
    email: 'email must be an e-mail address.',
    controls: 'name and email must not hold control characters.',
    name: (max: number) => `name must have 1 to ${max} characters.`,
    passwordLength: (min: number, max: number) => `password must have ${min} to ${max} characters.`,
    passwordOwn: weak('must not be your name, your e-mail address or the name of the site'),
    passwordPattern: weak('repeats itself, or only counts up or down'),
    passwordCommon: weak('is one of the most common'),
    addressTaken: 'Another account has this e-mail address.',
    addressKnown: 'An account with this e-mail address exists already: sign in, or ask for a new password.',
    wait: (
      seconds: number,
      { hasPasskeys, canMail }: { readonly hasPasskeys: boolean; readonly canMail: boolean },
    ) => {
      const byPasskey = hasPasskeys ? ', sign in with a passkey' : ''
      const byLink = canMail
        ? 'have a link mailed to you by "Forgot your password?"'
        : 'ask the people who run this site for a link to choose a new password'
      return `There were too many wrong passwords: try again in ${inSeconds(seconds)}${byPasskey}, or ${byLink}.`
    },
    waitOrSignIn: (seconds: number) =>
      `There were too many wrong passwords: try again in ${inSeconds(seconds)}, or sign in again.`,
    stale: 'You signed in more than ten minutes ago: give your password too, or sign in once more.',
    manyMails: 'Three mails went to this address within an hour: open the latest, or try again in an hour.',
    otherAccount: 'The application waits for another account. Go back to it and start again.',
  }
}

// The German sentences on what is wrong with a form.
import type { Tools } from '../../shared/text/plurals.ts'
import type { Texts } from '../en/english.ts'

export function details({ plural }: Tools): Texts['details'] {
  const inSeconds = (seconds: number): string => plural(seconds, { one: '# Sekunde', other: '# Sekunden' })
  const weak = (why: string): string =>
    `Das Passwort ${why}. Wähle ein anderes, zum Beispiel drei oder vier Wörter.`

  return {
    email: 'Das ist keine gültige E-Mail-Adresse.',
    controls: 'Name und E-Mail-Adresse dürfen keine Steuerzeichen enthalten.',
    name: (max) => `Der Name muss 1 bis ${max} Zeichen haben.`,
    passwordLength: (min, max) => `Das Passwort muss ${min} bis ${max} Zeichen haben.`,
    passwordOwn: weak('darf nicht dein Name, deine E-Mail-Adresse oder der Name der Website sein'),
    passwordPattern: weak('wiederholt sich oder zählt nur auf oder ab'),
    passwordCommon: weak('gehört zu den häufigsten'),
    noAddress: 'Dieses Konto hat keine E-Mail-Adresse. Gib ihm zuerst eine.',
    notUnclaimed: 'Nur ein Konto, das noch niemand übernommen hat, kann eine E-Mail-Adresse bekommen.',
    addressTaken: 'Diese E-Mail-Adresse gehört zu einem anderen Konto.',
    addressKnown:
      'Es gibt schon ein Konto mit dieser E-Mail-Adresse: Melde dich an oder fordere ein neues Passwort an.',
    wait: (seconds, { hasPasskeys, canMail }) => {
      const byPasskey = hasPasskeys ? ', melde dich mit einem Passkey an' : ''
      const byLink = canMail
        ? 'lass dir über „Passwort vergessen?“ einen Link schicken'
        : 'bitte die Admins der Website um einen Link, mit dem du ein neues Passwort wählst'
      return `Zu viele falsche Passwörter: Versuch es in ${inSeconds(seconds)} noch einmal${byPasskey} oder ${byLink}.`
    },
    waitOrSignIn: (seconds) =>
      `Zu viele falsche Passwörter: Versuch es in ${inSeconds(seconds)} noch einmal oder melde dich neu an.`,
    stale:
      'Du hast dich vor mehr als zehn Minuten angemeldet: Gib auch dein Passwort ein oder melde dich noch einmal an.',
    manyMails:
      'An diese Adresse gingen innerhalb einer Stunde schon drei E-Mails: Öffne die neueste oder versuch es in einer Stunde noch einmal.',
    otherAccount: 'Die Anwendung wartet auf ein anderes Konto. Geh zu ihr zurück und fang neu an.',
  }
}

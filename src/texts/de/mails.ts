// The German texts of every mail.
import type { Tools } from '../../shared/text/plurals.ts'
import type { Texts } from '../en/english.ts'

const ignore = 'Wenn du das nicht warst, ignoriere diese E-Mail.'

export const signInMails: Texts['signInMails'] = {
  signUp: (link) => ({
    subject: 'Schließ die Erstellung deines Kontos ab',
    text: [
      'Jemand, wahrscheinlich du, möchte mit dieser E-Mail-Adresse ein Konto erstellen. Um Name und Passwort zu wählen, öffne innerhalb eines Tages diesen Link:',
      link,
      `${ignore} Solange niemand den Link öffnet, entsteht kein Konto.`,
    ],
  }),
  knownAddress: (signInLink, resetLink) => ({
    subject: 'Du hast schon ein Konto',
    text: [
      'Jemand, wahrscheinlich du, wollte mit dieser E-Mail-Adresse ein Konto erstellen. Du hast schon eins. Hier kannst du dich anmelden:',
      signInLink,
      ...(resetLink === undefined
        ? []
        : [
            'Wenn du dein Passwort vergessen hast, wähle innerhalb einer Stunde über diesen Link ein neues:',
            resetLink,
          ]),
      `${ignore} Es hat sich nichts geändert.`,
    ],
  }),
  invitation: (link) => ({
    subject: 'Du bist eingeladen, ein Konto zu erstellen',
    text: [
      'Um Name und Passwort zu wählen, öffne innerhalb von sieben Tagen diesen Link:',
      link,
      'Wenn du mit dieser Einladung nichts anfangen kannst, ignoriere diese E-Mail.',
    ],
  }),
  reset: (link) => ({
    subject: 'Wähle ein neues Passwort',
    text: [
      'Jemand, wahrscheinlich du, möchte ein neues Passwort. Um eins zu wählen, öffne innerhalb einer Stunde diesen Link:',
      link,
      `${ignore} Dein Passwort hat sich nicht geändert.`,
    ],
  }),
  claim: (link, resetPage) => ({
    subject: 'Deine Fotos und dein Konto sind jetzt hier',
    text: [
      'Dein Konto einer anderen Website wurde mit deinen Fotos hierher übernommen. Um es zu bekommen, öffne innerhalb einer Stunde diesen Link und wähle ein Passwort:',
      link,
      `Danach bekommst du mit dieser Adresse einen neuen Link: ${resetPage}`,
      'Wenn du diese Website nicht kennst, ignoriere diese E-Mail.',
    ],
  }),
  confirmEmail: (link) => ({
    subject: 'Bestätige deine E-Mail-Adresse',
    text: [
      'Um diese Adresse für dein Konto zu verwenden, öffne innerhalb eines Tages diesen Link:',
      link,
      'Wenn du kein solches Konto hast, ignoriere diese E-Mail.',
    ],
  }),
  emailChanged: {
    subject: 'Die E-Mail-Adresse deines Kontos hat sich geändert',
    text: [
      'Dein Konto hat jetzt eine andere E-Mail-Adresse. Mit dieser hier kannst du dich nicht mehr anmelden.',
      'Wenn du das nicht warst, melde dich sofort bei den Admins der Website.',
    ],
  },
  passwordChanged: {
    subject: 'Dein Passwort wurde geändert',
    text: [
      'Dein Passwort wurde geändert, und alle anderen Browser sind abgemeldet. Wenn du es zurückgesetzt hast, musst du auch Anwendungen neu erlauben.',
      'Wenn du das nicht warst, fordere sofort ein neues Passwort an.',
    ],
  },
  passkeyAdded: (name, link) => ({
    subject: 'Ein Passkey wurde zu deinem Konto hinzugefügt',
    text: [
      `Der Passkey „${name}“ wurde zu deinem Konto hinzugefügt. Du kannst dich ab jetzt damit anmelden.`,
      'Wenn du das nicht warst, entferne ihn hier und wähle ein neues Passwort:',
      link,
    ],
  }),
  accountDeleted: ({ photosDeleted, photosKept, routesDeleted }) => ({
    subject: 'Dein Konto wurde gelöscht',
    text: [
      'Dein Konto wurde gelöscht, zusammen mit deiner Anmeldung, deinen Schlüsseln, Anwendungen, Webhooks und Privatzonen und dieser E-Mail-Adresse.',
      `Gelöschte Fotos: ${photosDeleted}. Fotos, die veröffentlicht bleiben, von einem ehemaligen Mitglied: ${photosKept}. Gelöschte Routen: ${routesDeleted}.`,
      'Ältere Backups enthalten deine Daten noch, bis die Admins der Website sie löschen.',
      'Du kannst mit dieser Adresse ein neues Konto erstellen. Wenn du die Löschung nicht wolltest, melde dich sofort bei den Admins der Website.',
    ],
  }),
}

export const decisionMails = ({ plural }: Tools): Texts['decisionMails'] => ({
  untitled: 'Ein Foto ohne Titel',
  quoted: (title) => `„${title}“`,
  approved: 'veröffentlicht',
  rejected: (reason) => (reason === undefined ? 'abgelehnt' : `abgelehnt: ${reason}`),
  subjectApproved: 'Dein Foto wurde veröffentlicht',
  subjectRejected: 'Dein Foto wurde abgelehnt',
  subjectMany: (count) =>
    plural(count, { one: '# deiner Fotos wurde geprüft', other: '# deiner Fotos wurden geprüft' }),
  lead: (count) => plural(count, { one: 'Dein Foto wurde geprüft:', other: 'Deine Fotos wurden geprüft:' }),
  more: (count) => plural(count, { one: 'Und # weiteres.', other: 'Und # weitere.' }),
  waiting: (count) =>
    plural(count, { one: '# Foto wartet auf Prüfung', other: '# Fotos warten auf Prüfung' }),
  unsubscribe: (link) =>
    `Du bekommst diese E-Mail, weil E-Mails über Fotos für dein Konto eingeschaltet sind. Hier kannst du sie ausschalten:\n${link}`,
})

// The German texts of the pages to sign in, to create an account and to set a password.
import type { Texts } from '../en/english.ts'

export const signIn: Texts['signIn'] = {
  title: 'Anmelden',
  signIn: 'Anmelden',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  passwordHint: 'Mindestens 8 Zeichen. Mehrere Wörter sind sicherer als ein Wort mit Sonderzeichen.',
  name: 'Name',
  nameHint: 'Steht neben deinen Fotos.',
  forgot: 'Passwort vergessen?',
  or: 'Oder ohne Passwort:',
  passkey: 'Mit einem Passkey anmelden',
  passkeyFailed: {
    unused: 'Es wurde kein Passkey verwendet. Versuch es noch einmal, oder melde dich anders an.',
    elsewhere: 'Unter dieser Adresse gibt es keine Passkeys. Öffne die Website unter ihrer Hauptadresse.',
    unreachable: 'Die Website ist nicht erreichbar. Versuch es noch einmal.',
    unexpected: 'Die Website hat unerwartet geantwortet. Versuch es noch einmal.',
  },
  noAccount: 'Noch kein Konto? <link>Konto erstellen</link>',
  hasAccount: 'Du hast schon ein Konto? <link>Anmelden</link>',
  signedOut: {
    title: 'Abgemeldet',
    notice: 'Du bist in diesem Browser abgemeldet.',
    drafts:
      'Fotos und Routen, die noch nicht gesendet sind, bleiben in diesem Browser und sind nur für dein Konto sichtbar. Um sie zu löschen, melde dich wieder an und dann über das Menü der Web-App ab.',
    again: 'Wieder anmelden',
  },
  createAccount: 'Konto erstellen',
  sendLink: 'Link senden',
  signUp: {
    lead: 'Wir schicken dir einen Link. Öffne ihn, um Name und Passwort zu wählen.',
    leadUnproved: 'Mit einem Konto kannst du Fotos hochladen und Routen speichern.',
    sent: 'Wir haben dir eine E-Mail geschickt.',
    sentLead:
      'Öffne den Link darin, um Name und Passwort zu wählen. Er funktioniert einmal und einen Tag lang.',
  },
  checkEmail: 'Sieh in dein Postfach',
  join: {
    'set-up': {
      title: 'Website einrichten',
      lead: 'Erstelle das erste Konto. Es ist ein Admin-Konto: Es kann Prüfende und weitere Admins ernennen und Anwendungen freigeben.',
    },
    invitation: { title: 'Willkommen', lead: 'Du bist eingeladen. Wähle Name und Passwort.' },
    'sign-up': { title: 'Willkommen', lead: 'Deine Adresse ist bestätigt. Wähle Name und Passwort.' },
  },
  map: {
    label: 'Karte',
    hint: 'Was unter Fotos und Wegen liegt. Du kannst es jederzeit in der Verwaltung ändern.',
    none: 'Keine Karte',
    noneHint: 'Nur die Umrisse des Landes. Niemand sonst erfährt, was Besucher ansehen.',
    file: 'Eine Kartendatei auf diesem Server',
    fileHint:
      'Du erstellst sie nach dieser Seite mit „waymark map extract“. Niemand sonst erfährt, was Besucher ansehen.',
    online: (provider: string) => `Eine Online-Karte von ${provider}`,
    onlineHint: (provider: string) =>
      `Der Browser jedes Besuchers fragt bei ${provider} an; dort erfährt man die IP-Adresse und welche Orte angesehen werden.`,
  },
  reset: {
    title: 'Passwort zurücksetzen',
    lead: 'Wir schicken dir einen Link, mit dem du ein neues Passwort wählst.',
    noMail:
      'Diese Website kann keine E-Mails senden. Bitte die Admins der Website um einen Link, mit dem du ein neues Passwort wählst.',
    noMailCommand: 'Admins erstellen ihn mit <command>waymark accounts reset-link</command>.',
    sent: 'Wenn es zu dieser Adresse ein Konto gibt, haben wir dorthin eine E-Mail geschickt.',
    sentLead:
      'Öffne den Link darin, um ein neues Passwort zu wählen. Er funktioniert einmal und eine Stunde lang.',
    choose: 'Neues Passwort wählen',
    chooseLead: 'Alle Browser, die mit dem alten Passwort angemeldet sind, werden abgemeldet.',
    set: 'Passwort festlegen',
  },
  confirm: {
    title: 'Adresse bestätigen',
    lead: '<email/> für dein Konto verwenden?',
    confirm: 'Adresse bestätigen',
    doneTitle: 'Adresse bestätigt',
    done: 'Dein Konto verwendet jetzt diese Adresse.',
  },
}

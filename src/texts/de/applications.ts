// The German texts of the pages on which people allow applications and connect devices.
import { scopeSentences } from '../../shared/scope-sentences.ts'
import type { Texts } from '../en/english.ts'

export const applications: Texts['applications'] = {
  scopes: scopeSentences.de,
  signIn: 'Melde dich an, um mit <application/> weiterzumachen.',
  signInAgain: 'Melde dich noch einmal an, um mit <application/> weiterzumachen.',
  willBeAble: 'Die Anwendung kann dann:',
  identity: 'Deinen Namen und deine E-Mail-Adresse sehen.',
  willNot: 'Sie möchte auch Zugriff, den dein Konto nicht hat, und bekommt ihn nicht:',
  allowTitle: (name) => `${name} erlauben?`,
  asks: '<application/> von <publisher/> möchte auf dein Konto <account/> zugreifen.',
  goBack:
    'Danach geht es zurück zu <place/>. Dein Passwort bekommt die Anwendung nie zu sehen, und du kannst ihr den Zugriff jederzeit unter <link>Dein Konto</link> entziehen.',
  yourDevice: 'deinem Gerät',
  allow: 'Erlauben',
  deny: 'Ablehnen',
  device: {
    title: 'Gerät verbinden',
    lead: 'Gib den Code ein, den dein Gerät oder Terminal anzeigt.',
    code: 'Code',
    codeHint: 'Acht Buchstaben, zum Beispiel BCDF-GHJK.',
    continue: 'Weiter',
    expiredForm: 'Das Formular ist abgelaufen, oder dein Browser lässt keine Cookies zu.',
    startAgain: 'Neu anfangen',
    problems: {
      NoCodeError: 'Gib den Code ein, den dein Gerät anzeigt.',
      NotFoundError: 'Diesen Code gibt es nicht. Sieh auf deinem Gerät nach und gib ihn noch einmal ein.',
      ExpiredError: 'Der Code ist abgelaufen. Lass dir auf deinem Gerät einen neuen anzeigen.',
      AlreadyUsedError: 'Der Code wurde schon benutzt. Lass dir auf deinem Gerät einen neuen anzeigen.',
      AbortedError: 'Du hast abgelehnt: Das Gerät ist nicht verbunden.',
    },
    isYours: 'Ist das dein Gerät?',
    wants: '<application/> möchte sich von einem Gerät, das diesen Code anzeigt, mit deinem Konto verbinden:',
    beware:
      'Mach nur weiter, wenn du genau diesen Code auf einem deiner eigenen Geräte siehst. Wer dir einen Code per E-Mail oder Chat geschickt hat, will in dein Konto.',
    mine: 'Ja, das ist mein Gerät',
    notMine: 'Nein, ablehnen',
    connected: 'Dein Gerät ist verbunden',
    connectedLead: 'Dort geht es von selbst weiter. Du kannst diese Seite schließen.',
    disconnect: 'Unter <link>Dein Konto</link> kannst du es jederzeit trennen.',
  },
  error: {
    title: 'Das hat nicht geklappt',
    ours: 'Das geht gerade nicht. Bitte versuch es später noch einmal.',
    theirs: 'Die Anwendung, von der du kommst, hat eine ungültige Anfrage gestellt.',
    failed: 'Ihre Anfrage ist fehlgeschlagen.',
    error: 'Fehler',
    reason: 'Grund',
    reasons: {
      login_required: 'Du bist hier nicht angemeldet.',
      consent_required: 'Du hast der Anwendung diesen Zugriff nicht erlaubt.',
      interaction_required: 'Wir müssten dich erst fragen, und das hat die Anwendung ausgeschlossen.',
    },
  },
  held: {
    title: (site) => `Du bleibst auf ${site}`,
    lead: 'Die Anwendung <application/>, registriert von <publisher/>, wollte dich zu <host/> weiterleiten.',
    why: 'Du hast dieser Anwendung nichts erlaubt, und niemand von den Admins der Website hat sie freigegeben. Deshalb wirst du nicht weitergeleitet.',
    advice:
      'Wenn du die Anwendung kennst, geh zu ihr zurück und fang neu an. Wenn dich ein Link von jemand anderem hierhergebracht hat, schließ diese Seite.',
  },
}

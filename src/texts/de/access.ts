// The German sentences on what somebody may not do, and on what is wrong with a passkey.
import type { Texts } from '../en/english.ts'

export const access: Texts['access'] = {
  takes: {
    session: 'Dafür musst du im Browser angemeldet sein.',
    token: 'Dafür ist ein Zugriffstoken nötig.',
    keyOrToken: 'Dafür ist ein API-Schlüssel oder ein Zugriffstoken nötig.',
  },
  noToken: 'Der Header Authorization enthält kein Zugriffstoken.',
  tokenExpired: 'Das Zugriffstoken ist abgelaufen.',
  tokenUnknown: 'Das Zugriffstoken ist hier nicht bekannt.',
  scope: (scope) => `Dafür ist der Scope ${scope} nötig, den das Token nicht hat.`,
  onlySession: 'Das geht nur mit einer Anmeldung im Browser, nicht mit einem Zugriffstoken.',
  changeImage: 'Nur wer das Foto hochgeladen hat und das Team dürfen es ändern.',
  deleteImage: 'Nur wer das Foto hochgeladen hat und das Team dürfen es löschen oder wiederherstellen.',
  imageHistory: 'Nur wer das Foto hochgeladen hat und das Team dürfen seinen Verlauf sehen.',
  changeTrails: 'Nur Admins dürfen Wege ändern.',
  review: 'Nur Prüfende und Admins dürfen Fotos prüfen.',
  otherTrails: 'Du darfst nur die Fotos anderer Wege prüfen.',
  originals:
    'Die Originale anderer sind nur mit einer Anmeldung im Browser oder einem eigenen Client des Kontos zugänglich.',
  zones:
    'Privatzonen sind nur mit einer Anmeldung im Browser oder einem eigenen Client des Kontos zugänglich.',
  webhooks:
    'Webhooks lassen sich nur mit einer Anmeldung im Browser oder einem eigenen Client des Kontos verwalten.',
  keys: 'API-Schlüssel lassen sich nur mit einer Anmeldung im Browser oder einem eigenen Client des Kontos verwalten.',
  onlyAdmins: 'Das dürfen nur Admins.',
  ownRoutes: 'Routen sind privat, und diese gehören zu einem anderen Konto.',
  originalRoute: 'Nur der Eigentümer einer Route darf ihr ursprüngliches GPX herunterladen.',
  hiddenRoute:
    'Dafür ist ein Zugriffstoken nötig, es sei denn, die Route ist öffentlich oder die Anfrage enthält den vollständigen Link.',
  ownAccount: 'Admins löschen ihr eigenes Konto mit DELETE /v2/me.',
  passkey: {
    tooLate: 'Die Passkey-Anfrage ist abgelaufen oder wurde schon verwendet. Versuch es noch einmal.',
    unknown: 'Kein Konto hier hat diesen Passkey; vielleicht wurde er entfernt.',
    copied:
      'Der Passkey wurde vielleicht kopiert: Sein Zähler ist rückwärts gelaufen. Melde dich auf andere Weise an und entferne ihn.',
    known: 'Dieser Passkey ist schon hinzugefügt.',
    mismatch: 'Die Antwort des Passkeys passt nicht zu der Anfrage dieser Website.',
  },
}

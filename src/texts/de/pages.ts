// The German texts around every page of the server, and of those that say what the server is and what its problems mean.
import type { Texts } from '../en/english.ts'

export const frame: Texts['frame'] = {
  skip: 'Zum Inhalt springen',
  signOut: 'Abmelden',
  footer: 'Mehr zu dieser Website',
  foot: (site) => `${site}: Fotos von Wanderwegen und Wanderrouten.`,
  yourAccount: 'Dein Konto',
}

export const documents: Texts['documents'] = {
  lead: 'Fotos von Wanderwegen, geprüft und in den Größen, die Websites brauchen.',
  account: {
    card: 'Was du auf einem Server ohne Web-App mit deinem Konto machen kannst.',
    lead: 'Dieser Server läuft ohne die Web-App, die dafür Seiten hat.',
    api: 'Profil, Schlüssel, Sitzungen und Anwendungen findest du unter <me>/v2/me</me> in <api>der API</api>; die Admins der Website können sie mit <command>waymark accounts</command> ändern. Diese Seiten gibt es hier:',
  },
  device: { title: 'Gerät verbinden', card: 'Gib den Code ein, den ein Gerät oder Terminal anzeigt.' },
  api: { title: 'API', card: 'Alle Endpunkte dieses Servers als OpenAPI.' },
  health: { title: 'Status', card: 'Ist der Server bereit?' },
  problems: {
    title: 'Fehler',
    card: 'Was jeder Fehler bedeutet und was dagegen hilft.',
    lead: 'Die Fehler, die eine Anfrage bekommen kann.',
    all: 'Alle Fehler',
    status: 'Status',
    code: 'Code',
    titleAndCode: 'Titel und Code',
  },
  request: 'Anfrage-ID',
  toStart: 'Zur Startseite',
  noPage:
    'Unter dieser Adresse gibt es keine Seite. Vielleicht ist sie vertippt, oder die Seite wurde entfernt.',
}

// The German texts that every page uses.
import type { Tools } from '../language.ts'
import type { CommonCatalogue } from '../en/common.ts'

export function catalogue({ plural }: Tools): CommonCatalogue {
  const common = {
    skip: 'Zum Inhalt springen',
    undo: 'Rückgängig',
    close: 'Schließen',
    cancel: 'Abbrechen',
    save: 'Speichern',
    delete: 'Löschen',
    edit: 'Bearbeiten',
    retry: 'Erneut versuchen',
    copy: 'Kopieren',
    copied: 'Kopiert',
    notCopied: 'Kopieren fehlgeschlagen',
    showPassword: 'Passwort anzeigen oder verbergen',
    search: 'Suchen',
    loading: 'Wird geladen',
    signIn: 'Anmelden',
    signOut: 'Abmelden',
    signingOut: {
      title: 'Abmelden und löschen?',
      detail: ({ photos, routes }: { readonly photos: number; readonly routes: number }) =>
        [
          photos > 0 &&
            plural(photos, {
              one: '# Foto ist noch nicht hochgeladen.',
              other: '# Fotos sind noch nicht hochgeladen.',
            }),
          routes > 0 &&
            plural(routes, {
              one: '# Route hat ungespeicherte Änderungen.',
              other: '# Routen haben ungespeicherte Änderungen.',
            }),
          'Beim Abmelden wird das aus diesem Browser gelöscht.',
        ]
          .filter(Boolean)
          .join(' '),
      go: 'Abmelden und löschen',
      failed: 'Abmelden nicht möglich. Prüfe deine Verbindung und versuch es noch einmal.',
    },
    passkeyRequired:
      'Prüfende und Admins melden sich auf dieser Website mit einem Passkey an. Melde dich ab und mit deinem Passkey wieder an, oder füge deinen ersten hinzu:',
    addPasskey: 'Passkey hinzufügen',
    signUp: 'Konto erstellen',
    main: 'Hauptmenü',
    menu: 'Menü',
    menuOf: (name: string) => `Menü von ${name}`,
    shortcuts: 'Tastenkürzel',
    everywhere: 'Überall',
    palette: 'Befehle',
    palettePlaceholder: 'Seiten, Wege und Aktionen suchen',
    paletteNothing: 'Keine Treffer.',
    goTo: (page: string) => `Gehe zu: ${page}`,
    pages: {
      trails: 'Wege',
      upload: 'Fotos hinzufügen',
      photos: 'Meine Fotos',
      review: 'Prüfung',
      publicRoutes: 'Routen',
      routes: 'Meine Routen',
      account: 'Konto',
      admin: 'Verwaltung',
      docs: 'Dokumentation',
    },
    colours: 'Farbschema',
    colourNames: { light: 'Hell', dark: 'Dunkel', auto: 'System' },
    language: 'Sprache',
    units: 'Einheiten',
    unitNames: { miles: 'Meilen und Fuß', kilometres: 'Kilometer und Meter' },
    waiting: (count: number) => plural(count, { one: '# wartet auf Prüfung', other: '# warten auf Prüfung' }),
    trailSearch: {
      searching: 'Suche läuft…',
      none: 'Keine Wege gefunden',
      offline: 'Du bist offline. Wege kannst du wieder suchen, sobald du online bist.',
      count: (count: number) => plural(count, { one: '# Weg gefunden', other: '# Wege gefunden' }),
    },
    offline:
      'Du bist offline. Diese Seite ist vielleicht nicht aktuell. Deine Änderungen bleiben gespeichert und werden gesendet, sobald du wieder online bist.',
    problem: {
      unknown: 'Etwas ist schiefgelaufen',
      unknownDetail:
        'Lade die Seite neu. Passiert es immer wieder, sag den Admins der Website, was du gemacht hast.',
      unreachable: 'Server nicht erreichbar',
      unreachableDetail:
        'Prüfe deine Verbindung und versuch es noch einmal. Es ist nichts verloren gegangen.',
      requestId: 'Anfrage-ID',
      copyRequestId: 'Anfrage-ID kopieren',
      notFound: 'Seite nicht gefunden',
      notFoundDetail: 'Vielleicht stimmt die Adresse nicht, oder die Seite wurde entfernt.',
      toStart: 'Zurück zu den Wegen',
    },
    signInAgain: {
      title: 'Deine Sitzung ist abgelaufen',
      detail:
        'Melde dich im neuen Fenster wieder an. Deine Arbeit bleibt erhalten und geht danach automatisch weiter.',
      open: 'Wieder anmelden',
      waiting: 'Warte auf deine Anmeldung im anderen Fenster…',
      cancel: 'Nicht jetzt',
    },
    signInFirst: 'Melde dich an, um diese Seite zu sehen',
    signInFirstDetail: 'Diese Seite gehört zu deinem Konto.',
    staffOnly: 'Diese Seite ist nur für Prüfende und Admins',
    adminOnly: 'Diese Seite ist nur für Admins',
    staffOnlyDetail: 'Wenn du Zugriff brauchst, frag die Admins der Website nach der passenden Rolle.',
  }

  return { common }
}

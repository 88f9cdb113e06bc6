// The German texts around the docs and the API reference.
import type { DocsCatalogue } from '../en/docs.ts'
import type { Tools } from '../language.ts'

export function catalogue({ plural }: Tools): DocsCatalogue {
  const docs = {
    title: 'Dokumentation',
    lead: 'Anleitungen zu dieser Website und für alle, die auf ihr aufbauen.',
    keys: 'Dokumentation',
    api: 'API-Referenz',
    apiLead: 'Alle Operationen mit Parametern und Antworten, hier gleich zum Ausprobieren.',
    guides: 'Anleitungen',
    allPages: 'Alle Seiten',
    search: 'Dokumentation durchsuchen',
    searchHint: 'Wörter aus einem Titel',
    found: (count: number) => plural(count, { one: '# Ergebnis', other: '# Ergebnisse' }),
    nothing: 'Keine Ergebnisse',
    nothingDetail: 'Versuche es mit einem anderen Wort oder sieh die Liste durch.',
    onThisPage: 'Auf dieser Seite',
    copyCode: 'Code kopieren',
    code: 'Code',
    ways: 'Sprache',
    missing: 'Anleitung nicht gefunden',
    missingDetail: 'Vielleicht stimmt die Adresse nicht. Diese Anleitungen gibt es:',
    next: 'Nächste Anleitung',
    previous: 'Vorherige Anleitung',
  }

  const apiStrings = {
    search: 'Operationen durchsuchen',
    searchHint: 'Wort, Pfad oder Methode',
    count: (count: number) => plural(count, { one: '# Operation', other: '# Operationen' }),
    shortest: (count: number) => plural(count, { other: 'mindestens # Zeichen' }),
    longest: (count: number) => plural(count, { other: 'höchstens # Zeichen' }),
    listOf: (form: string) => `Array aus ${form}`,
    none: 'Keine passenden Operationen',
    noneDetail: 'Gesucht wird in Pfaden und Beschreibungen.',
    all: 'Alle anzeigen',
    document: 'OpenAPI-3.1-Dokument',
    copyLink: 'Link zu dieser Operation kopieren',
    open: 'Autorisierung',
    parameters: 'Parameter',
    places: { path: 'Pfad', query: 'Query', header: 'Header', cookie: 'Cookie' } as Readonly<
      Record<string, string>
    >,
    required: 'erforderlich',
    body: 'Body',
    answers: 'Antworten',
    refusals: 'Fehler',
    refusalsHint:
      'Problemdokumente (RFC 9457) in JSON oder XML, je nach Accept: type, title, status, detail, instance.',
    samples: 'Beispiele',
    emptyAnswer: 'Kein Body.',
    bytes: 'Bytes.',
    anything: 'beliebig',
    each: 'jedes',
    orElse: 'oder',
    xmlName: (name: string) => `<${name}>`,
    methods: 'Format',
    security: {
      none: 'Keine.',
      apiKey: 'API-Schlüssel.',
      session: 'Angemeldete Sitzung, von einer Seite dieser Website aus.',
      page: 'Seiten dieser Website, für veröffentlichte Inhalte.',
      oauth: (scopes: string) => (scopes === '' ? 'Bearer-Token.' : `Bearer-Token mit dem Scope ${scopes}.`),
    },
    try: {
      title: 'Ausprobieren',
      as: 'Zugangsdaten',
      nobody: 'Keine',
      session: (name: string) => `Angemeldet als ${name}`,
      key: 'API-Schlüssel',
      keyLabel: 'API-Schlüssel',
      keyHint:
        'Wird nur in diesem Tab gespeichert (sessionStorage) und nur an diese Website gesendet. Beim Schließen des Tabs wird er gelöscht.',
      forget: 'Schlüssel vergessen',
      body: 'Body',
      file: 'Datei',
      mediaType: 'Content-Type',
      accept: 'Accept',
      details: 'details (JSON)',
      send: 'Senden',
      warning: (method: string) =>
        `Das ist kein Probelauf: ${method} ändert echte Daten dieser Website, und zwar in deinem Namen.`,
      agree: 'Ich habe das verstanden',
      stream: 'Ereignisströme lassen sich hier nicht anzeigen. Nimm dafür das Beispiel für curl.',
      status: 'Status',
      took: (ms: string) => `in ${ms}`,
      headers: 'Header',
      answer: 'Antwort',
      cut: (bytes: string) => `Angezeigt werden die ersten 100 kB von ${bytes}.`,
      binary: (type: string, bytes: string) => `${bytes} vom Typ ${type}`,
      noBody: 'Kein Body.',
      image: 'Bild der Antwort',
      failed: 'Die Anfrage konnte nicht gesendet werden',
    },
  }

  return { docs, apiStrings }
}

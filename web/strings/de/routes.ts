// The German texts of My routes and of a route's page.
import type { RoutesCatalogue } from '../en/routes.ts'
import type { Tools } from '../language.ts'

export function catalogue({ plural }: Tools): RoutesCatalogue {
  const routeStrings = {
    title: 'Meine Routen',
    lead: 'Routen, die du geplant oder aufgezeichnet hast. Nur du siehst sie, bis du sie teilst.',
    draw: 'Route zeichnen',
    import: 'GPX-Dateien importieren',
    importing: (count: number) =>
      plural(count, { one: 'Datei wird importiert…', other: '# Dateien werden importiert…' }),
    dropHere: 'GPX-Dateien hier ablegen',
    emptyTitle: 'Noch keine Routen',
    emptyDetail:
      'Zeichne eine auf der Karte oder importiere GPX-Dateien von deiner Uhr, deinem Handy oder aus einem Tourenplaner.',
    nothingFound: 'Keine passenden Routen',
    nothingFoundDetail: 'Gesucht wird in Namen und Beschreibungen.',
    searchLabel: 'Routen durchsuchen',
    list: 'Routen',
    more: 'Mehr anzeigen',
    unnamed: 'Route ohne Namen',
    points: (count: number, text: string) => plural(count, { one: '1 Punkt', other: `${text} Punkte` }),
    climb: (height: string) => `${height} Aufstieg`,
    duplicate: 'Hat dieselben Punkte wie eine andere deiner Routen',
    unreadable: 'Die GPX-Datei ist nicht lesbar',
    sketch: (name: string) => `Umriss von ${name}`,
    visibility: { private: 'Nur ich', link: 'Alle mit dem Link', public: 'Alle' },
    visibilityOf: (name: string) => `Wer ${name} sehen kann`,
    visibilityChanged: {
      private: 'Jetzt kannst nur noch du die Route sehen.',
      link: 'Jetzt können alle mit dem Link die Route sehen.',
      public: 'Jetzt können alle die Route sehen und unter „Routen“ finden.',
    },
    endLinkTitle: 'Link deaktivieren?',
    endLinkDetail:
      'Der aktuelle Link funktioniert dann nie wieder. Teilst du die Route später erneut per Link, bekommt sie einen neuen.',
    endLink: 'Link deaktivieren',
    copyLink: 'Link kopieren',
    linkUnknown:
      'Der Link zu dieser Route funktioniert noch, lässt sich aber nicht mehr anzeigen, weil Links jetzt nur noch als Hash gespeichert werden. Du kannst hier einen neuen erstellen; der alte funktioniert dann nicht mehr.',
    newLink: 'Neuen Link erstellen',
    newLinkMade: 'Neuer Link erstellt. Der alte funktioniert nicht mehr.',
    actionsOf: (name: string) => `Aktionen für ${name}`,
    open: 'Öffnen',
    edit: 'Bearbeiten',
    downloadGpx: 'GPX herunterladen',
    downloadOriginal: 'Original herunterladen',
    downloadGeoJson: 'GeoJSON herunterladen',
    delete: 'Löschen',
    deleteTitle: (name: string) => `„${name}“ löschen?`,
    deleteDetail:
      'Eine gelöschte Route lässt sich nicht wiederherstellen. Lade sie vorher herunter, wenn du sie behalten möchtest.',
    deleted: (name: string) => `„${name}“ gelöscht.`,
    resultsTitle: 'Ergebnis des Imports',
    resultsSummary: (good: number, bad: number) =>
      bad === 0
        ? plural(good, { other: '# importiert.' })
        : `${plural(good, { other: '# importiert' })}, ${plural(bad, { other: '# fehlgeschlagen.' })}`,
    resultDuplicate: 'Importiert; eine andere deiner Routen hat dieselben Punkte',
    resultWarnings: (count: number) =>
      plural(count, { one: 'Mit # Warnung importiert', other: 'Mit # Warnungen importiert' }),
    resultGood: 'Importiert',
    resultFailed: 'Fehlgeschlagen',
    tooLong: (file: string, max: string) =>
      `${file} ist größer als die ${max}, die eine Route haben darf. Öffne die Datei im Editor, um sie zu vereinfachen.`,
    about: 'Über diese Route',
    by: (name: string) => `Von ${name}`,
    length: 'Länge',
    measured: 'Gemessen',
    climbFact: 'Aufstieg',
    descentFact: 'Abstieg',
    pointsFact: 'Punkte',
    made: 'Hinzugefügt',
    changed: 'Geändert',
    start: 'Start',
    end: 'Ziel',
    map: 'Karte der Route',
    profileLabel: (low: string, high: string, climb: string) =>
      `Höhenprofil der Route: von ${low} bis ${high}${climb === '' ? '' : `, Aufstieg ${climb}`}.`,
    noProfile: 'Diese Route enthält keine Höhendaten.',
    noLine: 'Diese Route enthält keine Linie.',
    downloads: 'Herunterladen',
    embed: 'Auf einer anderen Website einbetten',
    embedDetail: 'Füge diesen Code in deine Seite ein. Er zeigt Linie, Name und Länge.',
    embedCopy: 'Code kopieren',
    share: 'Teilen',
    previewOn: 'Ansicht für andere',
    previewOff: 'Zurück zu meiner Ansicht',
    previewNotice:
      'So sehen andere die Route: nichts aus der Datei, was du nicht teilst, und nichts, was deine Privatzonen verbergen.',
    privateNotice: 'Nur du kannst diese Route sehen.',
    warnings: 'Warnungen zur Datei',
    notFound: 'Route nicht gefunden',
    notFoundDetail: 'Vielleicht ist sie privat oder gelöscht, oder ihr Link wurde deaktiviert.',
  }

  return { routeStrings }
}

// The German texts of the page of trails.
import type { Tools } from '../language.ts'
import type { TrailsCatalogue } from '../en/trails.ts'

export function catalogue({ plural }: Tools): TrailsCatalogue {
  const photos = (count: number, text: string) => plural(count, { one: '1 Foto', other: `${text} Fotos` })

  const trailStrings = {
    title: 'Wege',
    counts: (trails: number, trailsText: string, photoCount: number, photosText: string) =>
      `${plural(trails, { one: '1 Weg', other: `${trailsText} Wege` })}, ${photos(photoCount, photosText)}`,
    search: 'Wege suchen',
    searchPlaceholder: 'Name des Weges',
    photos,
    noLine: 'Noch kein Verlauf',
    list: 'Liste',
    map: 'Karte',
    view: 'Liste oder Karte',
    mapLabel: 'Karte der Wege; die Liste zeigt dieselben Wege',
    searchHere: 'In diesem Gebiet suchen',
    inArea: 'Im Kartenausschnitt',
    anywhere: 'Überall suchen',
    loading: 'Wege werden geladen…',
    more: 'Mehr Wege',
    toFirst: 'Zurück zu den ersten Wegen',
    found: (count: number, text: string) =>
      plural(count, { one: '1 Weg gefunden', other: `${text} Wege gefunden` }),
    noneYet: 'Noch keine Wege',
    noneYetAdmin:
      'Importiere deine Wege aus einer CSV- oder GeoJSON-Datei. Fotos und Routen werden auf ihnen angezeigt.',
    noneYetOthers: 'Die Admins der Website haben noch keine Wege hinzugefügt. Schau bald wieder vorbei.',
    importTrails: 'Wege importieren',
    noMatch: 'Keine passenden Wege',
    noMatchDetail: 'Versuch es mit einem Teil des Namens oder such überall.',
    clear: 'Alle Wege anzeigen',
    closeCard: 'Schließen',
    chosen: 'Auf der Karte ausgewählt',
    toggleMap: 'Zwischen Liste und Karte wechseln (schmale Fenster)',
  }

  return { trailStrings }
}

// The German texts of the review desk on where and when a photo was taken.
import type { ReviewPlaceCatalogue } from '../en/review-place.ts'

export function catalogue(): ReviewPlaceCatalogue {
  const placeStrings = {
    heading: 'Aufnahmeort',
    map: (title: string) => `Karte mit dem Aufnahmeort von „${title}“ und dem Weg`,
    fromLine: (metres: string) => `${metres} vom Weg entfernt`,
    onLine: 'Auf dem Weg',
    noLine: 'Für diesen Weg gibt es noch keinen Verlauf.',
    none: 'Weder im Foto gespeichert noch von Hand angegeben.',
    sources: {
      exif: 'Aus dem Foto',
      track: 'Aus einem Track',
      line: 'Entlang des Weges platziert',
      device: 'Standort des Geräts',
      given: 'Von Hand eingegeben',
    },
    accuracy: (metres: string) => `± ${metres}`,
    isUncertain: (metres: string) =>
      `Vielleicht wurde es auf dem Weg aufgenommen: Der Aufnahmeort ist nur auf ${metres} genau.`,
    move: 'Foto verschieben',
    set: 'Aufnahmeort festlegen',
    moveOf: (title: string) => `Neuer Aufnahmeort von „${title}“`,
    moveHint: 'Ziehe die Markierung, klicke auf die Karte oder gib Dezimalgrad ein.',
    lat: 'Breite',
    lon: 'Länge',
    wrong: 'Die Breite muss zwischen −90 und 90 liegen, die Länge zwischen −180 und 180.',
    moveMap: 'Karte zum Wählen des Aufnahmeorts; du kannst auch Breite und Länge eingeben',
    ask: 'Nachfragen',
    askHint: (reason: string) =>
      `Lehnt das Foto mit dem Grund „${reason}“ ab. Es kann mit Aufnahmeort erneut hochgeladen werden.`,
    taken: 'Aufnahme',
    zone: 'Zeitzone',
    zones: {
      stated: 'Laut Foto',
      position: 'Die des Aufnahmeorts',
      site: 'Unbekannt; angenommen ist die dieser Website',
    },
    direction: 'Richtung',
    directionOf: (point: number, degrees: string) =>
      `${['N', 'NO', 'O', 'SO', 'S', 'SW', 'W', 'NW'][point] ?? ''}, ${degrees}`,
    altitude: 'Höhe',
  }

  return { placeStrings }
}

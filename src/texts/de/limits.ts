// The German sentences on limits that are reached, and on what the server is busy with.
import type { Tools } from '../../shared/text/plurals.ts'
import type { Texts } from '../en/english.ts'
import { timestamp } from './timestamp.ts'

export function limits({ plural }: Tools): Texts['limits'] {
  const number = (count: number): string => plural(count, { other: '#' })
  const inSeconds = (seconds: number): string => plural(seconds, { one: '# Sekunde', other: '# Sekunden' })

  return {
    rate: ({ points, seconds, secondsLeft, isByCost }) => {
      const requests = plural(points, { one: '# Anfrage', other: '# Anfragen' })
      const costs = isByCost ? ' (aufwendige zählen mehrfach)' : ''
      return `Mehr als ${requests} in ${inSeconds(seconds)} sind nicht möglich${costs}. Versuch es in ${inSeconds(secondsLeft)} noch einmal.`
    },
    largeBodies: {
      account: 'Gerade werden zu viele große Bodys dieses Kontos empfangen oder verarbeitet.',
      address: 'Gerade werden zu viele große Bodys von dieser Adresse empfangen oder verarbeitet.',
      all: 'Gerade werden zu viele große Bodys verarbeitet.',
    },
    passkeys: (max, count) =>
      `Ein Konto kann höchstens ${number(max)} Passkeys haben, dieses hat ${number(count)}: Entferne einen, den du nicht mehr brauchst.`,
    keys: (max, count) =>
      `Ein Konto kann höchstens ${number(max)} aktive API-Schlüssel haben, dieses hat ${number(count)}: Widerrufe einen, den du nicht mehr brauchst.`,
    applications: (max, count) =>
      `Ein Konto kann höchstens ${number(max)} Anwendungen haben, dieses hat ${number(count)}: Entferne eine, die du nicht mehr brauchst.`,
    streams: (max) =>
      `Das Konto hat schon ${plural(max, { one: '# offenen Stream', other: '# offene Streams' })}, mehr sind nicht möglich: Schließe zuerst einen.`,
    eventsGone: (position, oldest) =>
      `Einige Ereignisse nach Position ${position} sind gelöscht; das älteste, das noch gespeichert ist, hat Position ${oldest}.`,
    webhooks: (max, count) =>
      `Das Konto hat ${plural(count, { one: '# Webhook', other: '# Webhooks' })}; mehr als ${number(max)} sind nicht möglich.`,
    zones: (max, count) =>
      `Das Konto hat ${plural(count, { one: '# Privatzone', other: '# Privatzonen' })}; mehr als ${number(max)} sind nicht möglich.`,
    routes: (max, count) =>
      `Das Konto hat ${plural(count, { one: '# Route', other: '# Routen' })}; mehr als ${number(max)} sind nicht möglich.`,
    routeBytes: (max, bytes) =>
      `Das Konto belegt ${number(bytes)} Bytes mit GPX; mit dieser Anfrage wären es mehr als die erlaubten ${number(max)}.`,
    pendingImages: (max, count) =>
      `Von diesem Konto warten ${plural(count, { one: '# Foto', other: '# Fotos' })} auf Prüfung; mehr als ${number(max)} sind nicht möglich.`,
    imageBytes: (max, bytes) =>
      `Das Konto belegt ${number(bytes)} Bytes mit Fotos; mit diesem Upload wären es mehr als die erlaubten ${number(max)}.`,
    imageSize: (max) => `Ein Foto darf höchstens ${number(max)} Bytes groß sein.`,
    emptyUpload: 'Der Body des Uploads ist leer.',
    dataExport: 'Für dieses Konto läuft schon ein Datenexport: Warte, bis er fertig ist, oder brich ihn ab.',
    longRoutes: (max) => `Gerade werden schon ${number(max)} lange Routen dieses Kontos übertragen.`,
    routeLists: (max) =>
      `Die ganze Liste der Routen dieses Kontos wird gerade schon ${number(max)}-mal übertragen.`,
    slowLists: 'Gerade lesen zu viele langsame Clients Listen.',
    slowResponses: 'Gerade lesen zu viele langsame Clients lange Antworten.',
    images: 'Gerade werden zu viele Fotos verarbeitet.',
    imageInterrupted: 'Die Verarbeitung des Fotos wurde unterbrochen.',
    imageOverdue: (seconds) => `Die Verarbeitung des Fotos hat länger als ${inSeconds(seconds)} gedauert.`,
    imageFailed: 'Das Foto konnte nicht verarbeitet werden.',
    previousCopy: 'Eine frühere Kopie dieser Datei wird gerade gelöscht.',
    stopping: 'Der Server wird gerade beendet.',
    routeUpdated: 'Die Route wird gerade aktualisiert.',
    publicView:
      'Die öffentliche Ansicht dieser Routen wird gerade neu erstellt, weil sich Routen oder Privatzonen geändert haben.',
    readOnly: (since, reason) => {
      const why = reason === '' ? '' : `: ${reason}`
      return `Seit ${timestamp(since)} lässt sich hier nichts ändern${why}`.replace(/\.?$/, '.')
    },
  }
}

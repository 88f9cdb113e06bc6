// The German texts of the page of one's own photos.
import type { Tools } from '../language.ts'
import type { PhotosCatalogue } from '../en/photos.ts'

export function catalogue({ plural }: Tools): PhotosCatalogue {
  const photos = (count: number) => plural(count, { one: '# Foto', other: '# Fotos' })

  const photoStrings = {
    title: 'Meine Fotos',
    lead: 'Alle Fotos, die du hochgeladen hast, mit ihrem Status.',
    signedOut:
      'Melde dich an, um den Status deiner Fotos zu sehen, ihre Angaben zu bearbeiten und sie zu löschen.',
    add: 'Fotos hinzufügen',
    tabs: {
      all: 'Alle',
      pending: 'Wartet auf Prüfung',
      approved: 'Veröffentlicht',
      rejected: 'Abgelehnt',
      removed: 'Zurückgezogen',
      trash: 'Papierkorb',
    },
    tabsLabel: 'Nach Status filtern',
    search: 'Deine Fotos durchsuchen',
    searchHint: 'Titel, Beschreibung oder Weg',
    view: 'Ansicht',
    views: { grid: 'Raster', list: 'Liste' },
    status: {
      pending: 'Wartet auf Prüfung',
      approved: 'Veröffentlicht',
      rejected: 'Abgelehnt',
      removed: 'Zurückgezogen',
      edited: 'Bearbeitet, wartet auf Prüfung',
    } as Readonly<Record<string, string>>,
    untitled: 'Foto ohne Titel',
    select: (title: string) => `${title} auswählen`,
    open: (title: string) => `${title} öffnen`,
    because: (reason: string, when: string) => `${reason}, ${when}`,
    noReason: 'Kein Grund angegeben',
    again: 'Ersatz hochladen',
    sentAt: (when: string) => `Hochgeladen ${when}`,
    results: (count: number) => `${photos(count)} angezeigt`,
    empty: {
      all: {
        title: 'Noch keine Fotos',
        detail:
          'Füge Fotos von deiner letzten Wanderung hinzu. Vor dem Hochladen siehst du, wo jedes aufgenommen wurde.',
      },
      pending: {
        title: 'Nichts wartet auf Prüfung',
        detail: 'Neue Fotos stehen hier, bis sie geprüft sind.',
      },
      approved: {
        title: 'Noch keine veröffentlichten Fotos',
        detail: 'Freigegebene Fotos erscheinen in der Galerie ihres Weges.',
      },
      rejected: {
        title: 'Keine abgelehnten Fotos',
        detail: 'Wird ein Foto abgelehnt, steht es hier mit dem Grund, und du kannst Ersatz hochladen.',
      },
      removed: {
        title: 'Keine zurückgezogenen Fotos',
        detail: 'Hier stehen Fotos, die Prüfende zurückgezogen haben.',
      },
      trash: {
        title: 'Der Papierkorb ist leer',
        detail: 'Gelöschte Fotos bleiben 30 Tage hier und lassen sich wiederherstellen.',
      },
      search: { title: 'Keine Treffer', detail: 'Such nach etwas anderem oder zeig alle Fotos an.' },
    },
    showAll: 'Alle anzeigen',
    bulk: {
      label: 'Aktionen für ausgewählte Fotos',
      selected: (count: number) => `${photos(count)} ausgewählt`,
      all: (count: number) => `Alle ${count} auswählen`,
      none: 'Auswahl aufheben',
      caption: 'Beschreibung festlegen',
      delete: 'Löschen',
      captionTitle: (count: number) => `Beschreibung von ${photos(count)} festlegen`,
      captionHint: 'Ersetzt die bisherigen Beschreibungen. Veröffentlichte Fotos werden erneut geprüft.',
      apply: (count: number) => `Beschreibung von ${photos(count)} festlegen`,
    },
    done: {
      deleted: (count: number) => `${photos(count)} in den Papierkorb verschoben.`,
      restored: (count: number) => `${photos(count)} wiederhergestellt.`,
      captioned: (count: number) => `Beschreibung von ${photos(count)} festgelegt.`,
      putBack: (count: number) =>
        plural(count, {
          one: 'Beschreibung wiederhergestellt.',
          other: '# Beschreibungen wiederhergestellt.',
        }),
      saved: 'Gespeichert.',
      someFailed: (failed: number, all: number, why: string) => `${failed} von ${all} nicht geändert: ${why}`,
    },
    detail: {
      heading: 'Dein Foto',
      close: 'Foto schließen',
      caption: 'Beschreibung',
      titleField: 'Titel',
      lat: 'Breitengrad',
      lon: 'Längengrad',
      placeHint:
        'Dezimalgrad, zum Beispiel 46.52123 und 7.25987. Ohne Aufnahmeort lässt du beide Felder leer.',
      placeWrong:
        'Gib einen Breitengrad zwischen −90 und 90 und einen Längengrad zwischen −180 und 180 ein oder lass beide Felder leer.',
      clearPlace: 'Aufnahmeort entfernen',
      tooLong: (count: number) => `${count} von 256 Zeichen: zu lang`,
      listedHint: 'Das Foto bleibt veröffentlicht; Änderungen an Titel oder Beschreibung werden geprüft.',
      pendHint: 'Änderst du Titel oder Beschreibung, wird das Foto erneut geprüft.',
      changed:
        'Dieses Foto wurde anderswo geändert. Dein Text bleibt erhalten; sieh dir die aktuellen Angaben an und speichere noch einmal.',
      gallery: 'In der Galerie ansehen',
      trail: 'Weg',
      sent: 'Hochgeladen',
      file: 'Datei',
      licence: 'Lizenz',
      history: 'Chronik',
      by: (name: string) => `von ${name}`,
      delete: 'Löschen',
      missing: 'Foto nicht gefunden',
      missingDetail: 'Wenn du es gelöscht hast, liegt es im Papierkorb.',
    },
    moves: {
      upload: 'Hochgeladen',
      pending: 'Erneut zur Prüfung gestellt',
      approved: 'Veröffentlicht',
      rejected: 'Abgelehnt',
      removed: 'Zurückgezogen',
      deleted: 'Gelöscht',
    } as Readonly<Record<string, string>>,
    trash: {
      deleted: (when: string) => `Gelöscht ${when}`,
      byStaff: 'durch Prüfende',
      gone: (when: string) => `wird ${when} endgültig gelöscht`,
      restore: 'Wiederherstellen',
      restoreOf: (title: string) => `${title} wiederherstellen`,
    },
    keys: {
      next: 'Nächstes Foto',
      previous: 'Vorheriges Foto',
      open: 'Foto öffnen',
      select: 'Foto auswählen',
      all: 'Alle oder keine auswählen',
      caption: 'Beschreibung der ausgewählten Fotos festlegen',
      delete: 'Foto oder ausgewählte Fotos löschen',
      view: 'Zwischen Raster und Liste wechseln',
    },
  }

  return { photoStrings }
}

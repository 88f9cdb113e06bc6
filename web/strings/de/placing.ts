// The German texts of placing photos that have no location: from a track, along a trail, by the device.
import type { Tools } from '../language.ts'
import type { PlacingCatalogue } from '../en/placing.ts'

export function catalogue({ plural }: Tools): PlacingCatalogue {
  const photos = (count: number) => plural(count, { one: '# Foto', other: '# Fotos' })

  const placingStrings = {
    browse: 'Dateien durchsuchen',
    browseHint: '„Dateien durchsuchen“ behält den Standort, den Android aus ausgewählten Fotos entfernt.',
    missing: {
      'no-block':
        'Kein Standort in der Datei. Die Kamera hat keinen gespeichert, oder eine App oder das Handy hat ihn entfernt.',
      'empty-block':
        'Die GPS-Daten der Datei enthalten keine Koordinaten. Die Kamera hatte keinen Empfang, oder sie wurden entfernt.',
      zeros: 'Der Standort in der Datei ist 0, 0. Die Kamera hatte also keinen GPS-Empfang.',
      'no-letters':
        'Den Koordinaten der Datei fehlt Nord oder Süd, Ost oder West; sie passen zu mehreren Orten.',
      'not-a-number':
        'Der Standort in der Datei ist unkenntlich gemacht. Das macht Android, wenn du ein Foto im Browser auswählst.',
      'xmp-only':
        'Eine App hat den Standort entfernt. In der Datei sind nur Reste davon (XMP), zu wenig für einen Ort.',
      invalid: 'Die Koordinaten der Datei sind kein Ort auf der Erde.',
      unknown: 'Kein Standort in der Datei.',
    },
    panel: {
      label: 'Fotos ohne Standort',
      title: (count: number) =>
        plural(count, { one: '# Foto hat keinen Standort', other: '# Fotos haben keinen Standort' }),
      lead: (count: number) =>
        plural(count, {
          one: 'Setze ihn hier oder in der Liste. Du kannst das Foto auch ohne Standort hochladen.',
          other:
            'Setze ihn hier für alle zusammen oder in der Liste einzeln. Du kannst die Fotos auch ohne Standort hochladen.',
        }),
      chooserHint: 'Auf Android öffnet „Neu auswählen“ eine Dateiauswahl, die den Standort behält.',
    },
    remedy: {
      track: 'Aus einem Track',
      line: 'Auf dem Weg',
      device: 'Wo ich jetzt bin',
      chooser: 'Neu auswählen',
      chooserAll: 'Dateien neu auswählen',
      ofOne: (remedy: string, name: string) => `${remedy}: ${name}`,
      between: 'Zwischen den Nachbarn',
      betweenHint: (before: string, after: string) =>
        `Innerhalb von zwei Minuten zwischen ${before} und ${after} aufgenommen.`,
      betweenAll: (count: number) =>
        plural(count, {
          one: '# Foto zwischen seine Nachbarn setzen',
          other: '# Fotos zwischen ihre Nachbarn setzen',
        }),
    },
    source: {
      track: 'aus einem Track',
      line: 'auf dem Weg',
      device: (accuracy: string) => `dein Standort, auf ${accuracy} genau`,
    },
    placed: (count: number) =>
      plural(count, {
        one: '# Foto hat jetzt einen Standort.',
        other: '# Fotos haben jetzt einen Standort.',
      }),
    placedByDevice: (count: number, accuracy: string) =>
      `${plural(count, { one: '# Foto liegt jetzt', other: '# Fotos liegen jetzt' })} an deinem Standort, auf ${accuracy} genau.`,
    rematched: (count: number) =>
      plural(count, {
        one: '# Foto hat jetzt seine Originaldatei.',
        other: '# Fotos haben jetzt ihre Originaldateien.',
      }),
    rematchedAndAdded: (matched: number, added: number) =>
      `${plural(matched, { one: '# Foto hat jetzt seine Originaldatei', other: '# Fotos haben jetzt ihre Originaldateien' })}; ${plural(added, { one: '# Datei passt zu keinem und wurde hinzugefügt.', other: '# Dateien passen zu keinem und wurden hinzugefügt.' })}`,
    device: {
      asking: 'Standort wird ermittelt…',
      denied:
        'Dein Standort ist für diese Website gesperrt. Erlaube ihn in den Website-Einstellungen des Browsers, oder setze den Standort anders.',
      unavailable:
        'Dieses Gerät kann seinen Standort gerade nicht ermitteln. Versuch es im Freien noch einmal, oder setze den Standort anders.',
      timeout:
        'Den Standort zu ermitteln hat zu lange gedauert. Versuch es noch einmal, oder setze den Standort anders.',
      unsupported:
        'Der Browser gibt deinen Standort nur an sichere Seiten (https) weiter. Setze den Standort anders.',
      notOnPhoto: (why: string) => `Das Foto wurde ohne Standort hinzugefügt. ${why}`,
      tooLate: (count: number) =>
        plural(count, {
          one: 'Das Foto wurde hochgeladen, bevor dein Standort gefunden war.',
          other: '# Fotos wurden hochgeladen, bevor dein Standort gefunden war.',
        }),
      takePhotoHint: 'Beim Aufnehmen wird nach deinem Standort gefragt, für Fotos ohne Standort.',
    },
    track: {
      title: 'Standorte aus einem Track',
      intro: 'Jedes Foto bekommt den Ort, an dem du bei der Aufnahme warst.',
      choose: 'GPX-Datei auswählen',
      another: 'Anderer Track',
      drop: 'oder auf diese Seite ziehen',
      routes: 'Oder eine deiner Routen',
      routesPlaceholder: 'Route auswählen',
      noRoutes: 'Du hast keine gespeicherten Routen.',
      routesFailed: 'Deine Routen konnten nicht geladen werden. Eine GPX-Datei kannst du trotzdem auswählen.',
      notLoaded: 'Der Track konnte nicht geladen werden. Prüfe die Verbindung und versuch es noch einmal.',
      reading: 'Track wird gelesen…',
      unreadable: (name: string, detail: string) => `${name} konnte nicht gelesen werden. ${detail}`,
      noTimes: (name: string) =>
        `${name} enthält keine Zeiten und kann Fotos deshalb keinem Ort zuordnen. Wähle einen aufgezeichneten Track.`,
      zone: (zone: string) => `Kamerazeiten ohne Zeitzone werden in der des Tracks gelesen, ${zone}.`,
      clock: 'Korrektur der Kamerauhr',
      clockHint: 'Ging die Uhr der Kamera falsch, verschiebe die Fotos dorthin, wo du sie aufgenommen hast.',
      noCorrection: 'keine',
      hourBack: 'Eine Stunde zurück',
      hourBackShort: '−1 Std.',
      hourOn: 'Eine Stunde vor',
      hourOnShort: '+1 Std.',
      reset: 'Zurücksetzen',
      suggestion: (offset: string, count: number) => `${offset} ordnet ${photos(count)} zu`,
      suggestionLead: 'Kamera in einer anderen Zeitzone?',
      result: (placed: number, total: number) => `${placed} von ${photos(total)} auf dem Track`,
      outside: (count: number) =>
        plural(count, {
          one: '# Foto liegt nicht auf dem Track',
          other: '# Fotos liegen nicht auf dem Track',
        }),
      noTime: 'keine Zeit in der Datei',
      tooEarly: (time: string) => `${time} vor dem Beginn des Tracks`,
      tooLate: (time: string) => `${time} nach dem Ende des Tracks`,
      inGap: (time: string) => `${time} vom nächsten Punkt des Tracks`,
      apply: (count: number) => (count === 0 ? 'Standorte setzen' : `Standort für ${photos(count)} setzen`),
      noPhotos: 'Kein Foto ist ohne Standort. Füge Fotos hinzu, um sie diesem Track zuzuordnen.',
      mapLabel: 'Karte des Tracks mit den Fotos darauf; der Text darunter nennt, wie viele zugeordnet sind',
    },
    line: {
      title: 'Standorte auf dem Weg',
      introOne: 'Tippe oder klicke auf den Weg, wo das Foto aufgenommen wurde, oder bewege den Regler.',
      introMany:
        'Tippe oder klicke, wo das erste und das letzte Foto aufgenommen wurden, oder bewege die Regler. Die anderen werden nach ihrer Zeit dazwischen verteilt.',
      at: 'Stelle auf dem Weg',
      from: 'Erstes Foto',
      to: 'Letztes Foto',
      along: (distance: string, total: string) => `${distance} von ${total}`,
      others: (count: number) =>
        plural(count, {
          one: '# Foto eines anderen Weges ist nicht dabei.',
          other: '# Fotos anderer Wege sind nicht dabei.',
        }),
      noPhotos: 'Kein Foto ist mehr ohne Standort.',
      noTrail: 'Wähle zuerst einen Weg für die Fotos.',
      noLine: (trail: string) =>
        `${trail} hat noch keine Linie auf der Karte. Setze die Standorte aus einem Track oder einzeln.`,
      failed: 'Der Weg konnte nicht geladen werden. Versuch es noch einmal, oder setze die Standorte anders.',
      loading: 'Weg wird geladen…',
      apply: (count: number) => `Standort für ${photos(count)} setzen`,
      mapLabel: 'Karte des Weges mit den Fotos darauf; die Regler darunter tun dasselbe',
    },
    keys: {
      track: 'Standorte aus einem Track',
      line: 'Standorte auf dem Weg',
      device: 'Standort: wo ich jetzt bin',
    },
  }

  return { placingStrings }
}

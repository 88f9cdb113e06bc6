// The German texts of the page that sends photos, and of what happens to them on the way.
import type { Tools } from '../language.ts'
import type { UploadCatalogue } from '../en/upload.ts'

export function catalogue({ plural }: Tools): UploadCatalogue {
  const photos = (count: number) => plural(count, { one: '# Foto', other: '# Fotos' })

  const uploadStrings = {
    title: 'Fotos hinzufügen',
    lead: 'Fotos, die du auf einem Weg aufgenommen hast. Jedes Foto wird geprüft, bevor es veröffentlicht wird.',
    signedOut:
      'Melde dich an und zieh deine Fotos hierher. Vor dem Hochladen siehst du, wo jedes aufgenommen wurde. Auch wenn die Verbindung abbricht, geht kein Foto verloren.',
    waitingHere: (count: number) =>
      plural(count, {
        one: '# Foto wartet auf diesem Gerät. Melde dich an, um es hochzuladen.',
        other: '# Fotos warten auf diesem Gerät. Melde dich an, um sie hochzuladen.',
      }),
    leadAgain: (title: string) =>
      `Ersatz für „${title}“. Titel und Beschreibung wurden übernommen; du kannst sie bearbeiten.`,
    drop: 'Zieh Fotos oder Ordner auf diese Seite',
    dropHint: (max: string) =>
      `oder füge sie aus der Zwischenablage ein. JPEG, PNG, GIF, BMP, HEIC, AVIF und WebP bis ${max}; andere Formate werden nach Möglichkeit hier umgewandelt.`,
    dropNow: 'Zum Hinzufügen loslassen',
    choose: 'Fotos auswählen',
    chooseFolder: 'Ordner auswählen',
    takePhoto: 'Foto aufnehmen',
    sources: 'Fotos hinzufügen',
    trail: 'Weg',
    trailHint: 'Gilt für die Fotos, die du hier hinzufügst. Du kannst den Weg bei jedem Foto ändern.',
    trailPlaceholder: 'Weg nach Namen suchen',
    noTrail: 'Wähle zuerst einen Weg',
    trailNotChosen: (present: string | undefined) =>
      present === undefined
        ? 'Wähle zuerst einen Weg aus der Liste.'
        : `Wähle einen Weg aus der Liste oder drück Esc, um bei „${present}“ zu bleiben.`,
    licence: 'Veröffentlicht werden die Fotos unter der Lizenz',
    terms: 'Mit dem Hochladen stimmst du diesen Nutzungsbedingungen zu',
    termsMore: 'Mehr dazu',
    summary: 'Upload-Warteschlange',
    send: (count: number) => `${photos(count)} hochladen`,
    sendTo: (count: number, trail: string) => `${photos(count)} zu „${trail}“ hochladen`,
    sendToSeveral: (count: number, trails: number) => `${photos(count)} zu ${trails} Wegen hochladen`,
    notSentTooLong: (count: number) => `${photos(count)} nicht hochgeladen: Titel oder Beschreibung zu lang.`,
    pauseAll: 'Alle pausieren',
    resumeAll: 'Alle fortsetzen',
    retryAll: (count: number) => `${count} erneut versuchen`,
    clearDone: (count: number) =>
      plural(count, { one: '# hochgeladenes ausblenden', other: '# hochgeladene ausblenden' }),
    clearFailed: (count: number) =>
      plural(count, { one: '# fehlgeschlagenes entfernen', other: '# fehlgeschlagene entfernen' }),
    fill: 'Alle bearbeiten',
    overall: 'Alle Fotos',
    counts: {
      checking: (count: number) => plural(count, { one: '# wird eingelesen', other: '# werden eingelesen' }),
      asking: (count: number) =>
        plural(count, { one: '# braucht deine Entscheidung', other: '# brauchen deine Entscheidung' }),
      ready: (count: number) => `${count} bereit`,
      underWay: (count: number) =>
        plural(count, { one: '# wird hochgeladen', other: '# werden hochgeladen' }),
      paused: (count: number) => `${count} pausiert`,
      done: (count: number) => `${count} hochgeladen`,
      failed: (count: number) => `${count} fehlgeschlagen`,
    },
    sentOf: (sent: string, total: string) => `${sent} von ${total}`,
    waitingForConnection: 'wartet auf Verbindung',
    remaining: (time: string) => `noch etwa ${time}`,
    leave:
      'Du kannst diese Seite verlassen. Was noch nicht hochgeladen ist, bleibt in diesem Browser und geht weiter, sobald du zurückkommst.',
    leaveNot:
      'In diesem Browser ist kein Platz, um die Fotos zwischenzuspeichern. Lass die Seite offen, bis alles hochgeladen ist.',
    otherTab: 'Ein anderer Tab lädt gerade hoch. Was du hier änderst, gilt auch dort.',
    ofOthers: (count: number) =>
      plural(count, {
        one: 'In diesem Browser wartet # Foto eines anderen Kontos. Melde dich mit diesem Konto an, um es hochzuladen.',
        other:
          'In diesem Browser warten # Fotos eines anderen Kontos. Melde dich mit diesem Konto an, um sie hochzuladen.',
      }),
    list: 'Fotos',
    mapLabel: 'Karte mit den Aufnahmeorten deiner Fotos; die Liste zeigt dieselben Orte',
    state: {
      checking: 'Wird eingelesen',
      asking: 'Braucht deine Entscheidung',
      converting: 'Wird umgewandelt',
      unusable: 'Kann nicht hochgeladen werden',
      ready: 'Bereit',
      queued: 'In der Warteschlange',
      waitsForConnection: 'Offline. Geht automatisch weiter.',
      waitsForServer: 'Server ausgelastet. Neuer Versuch folgt automatisch.',
      sending: 'Wird hochgeladen',
      processing: 'Wird verarbeitet',
      paused: 'Pausiert',
      done: 'Hochgeladen',
      refused: 'Upload fehlgeschlagen',
    },
    status: {
      pending: 'Es wartet auf Prüfung.',
      approved: 'Es ist veröffentlicht.',
      rejected: 'Es wurde abgelehnt.',
      removed: 'Es wurde zurückgezogen.',
    } as Readonly<Record<string, string>>,
    question: {
      convert: (kind: string) =>
        `Nicht jeder Browser kann ${kind} anzeigen. Du kannst das Foto hier in JPEG umwandeln. Aufnahmeort und Datum bleiben erhalten, andere Metadaten werden entfernt.`,
      shrinkBytes: (bytes: string, max: string) =>
        `Diese Datei hat ${bytes}, erlaubt sind ${max}. Du kannst sie hier verkleinern. Aufnahmeort und Datum bleiben erhalten, andere Metadaten werden entfernt.`,
      shrinkPixels:
        'Dieses Foto hat zu viele Pixel. Du kannst es hier verkleinern. Aufnahmeort und Datum bleiben erhalten, andere Metadaten werden entfernt.',
      twice: (name: string) => `Dasselbe Foto ist als ${name} schon in dieser Liste.`,
      sentBefore: (status: string) => `Dieses Foto hast du schon hochgeladen. ${status}`.trim(),
      accept: { convert: 'Umwandeln', shrink: 'Verkleinern', duplicate: 'Trotzdem hochladen' },
      acceptAll: (count: number) => `Alle ${count} umwandeln`,
      look: 'Ansehen',
    },
    converted: (kind: string, before: string, after: string) =>
      `Von ${kind} (${before}) in JPEG (${after}) umgewandelt`,
    facts: {
      place: 'Aufnahmeort',
      noPlace: 'Kein Aufnahmeort in der Datei',
      placeFromFile: 'aus dem Foto',
      placeByHand: 'von dir festgelegt',
      placeHidden: 'entfernt',
    },
    row: {
      title: 'Titel',
      caption: 'Beschreibung',
      titleOf: (name: string) => `Titel von ${name}`,
      captionOf: (name: string) => `Beschreibung von ${name}`,
      tooLong: (count: number, max: number) => `${count} von ${max} Zeichen: zu lang`,
      changeOf: (name: string) => `Aufnahmeort und Weg von ${name}`,
      pause: (name: string) => `${name} pausieren`,
      resume: (name: string) => `${name} fortsetzen`,
      retry: 'Erneut versuchen',
      retryOf: (name: string) => `Erneut versuchen: ${name}`,
      replace: 'Datei ersetzen',
      replaceOf: (name: string) => `Datei ersetzen: ${name}`,
      remove: (name: string) => `${name} entfernen`,
      cancel: (name: string) => `Hochladen von ${name} abbrechen`,
      locked:
        'Die Angaben werden schon gespeichert. Sobald das Foto hochgeladen ist, kannst du sie bearbeiten.',
      progress: (name: string) => `Fortschritt beim Hochladen von ${name}`,
      inPhotos: 'In „Meine Fotos“ ansehen',
    },
    place: {
      locked: 'Aufnahmeort aus dem Foto gelesen.',
      none: 'Dieses Foto hat keinen Aufnahmeort.',
      override: 'Aufnahmeort ändern',
      set: 'Aufnahmeort festlegen',
      lat: 'Breitengrad',
      lon: 'Längengrad',
      hint: 'Dezimalgrad, zum Beispiel 46.52123 und 7.25987. Oder klick auf die Karte.',
      wrong: 'Der Breitengrad muss zwischen −90 und 90 liegen, der Längengrad zwischen −180 und 180.',
      hide: 'Ohne Aufnahmeort hochladen',
      back: 'Aufnahmeort aus dem Foto verwenden',
      apply: 'Diesen Aufnahmeort verwenden',
      mapLabel: 'Karte zum Festlegen des Aufnahmeorts; du kannst auch Breiten- und Längengrad eingeben',
    },
    bulk: {
      title: 'Alle bearbeiten',
      intro: 'Gilt für alle Fotos, die noch nicht hochgeladen sind.',
      pattern: 'Titel',
      caption: 'Beschreibung',
      hint: 'Platzhalter: {n} ist eine Nummer, {name} der Dateiname, {date} das Aufnahmedatum, {trail} der Weg.',
      onlyEmpty: 'Vorhandene Texte behalten',
      apply: (count: number) => `${photos(count)} ändern`,
      preview: (text: string) => `Vorschau: „${text}“`,
      tooLong: (count: number) =>
        plural(count, {
          one: '# wäre länger als 256 Zeichen. Kürze den Text.',
          other: '# wären länger als 256 Zeichen. Kürze den Text.',
        }),
      done: (count: number) => `${photos(count)} geändert.`,
    },
    hold: {
      'sign-in': {
        title: 'Du bist nicht mehr angemeldet',
        detail: 'Es ist nichts verloren gegangen. Melde dich wieder an, um weiterzumachen.',
        action: 'Wieder anmelden',
      },
      'other-account': {
        title: 'Mit einem anderen Konto angemeldet',
        detail:
          'Diese Fotos gehören zu dem Konto, das sie hinzugefügt hat. Lade die Seite neu, um die Fotos des aktuellen Kontos zu sehen.',
        action: 'Neu laden',
      },
      'other-terms': {
        title: 'Die Nutzungsbedingungen haben sich geändert',
        detail:
          'Die neuen Nutzungsbedingungen stehen oben. Seitdem wurde nichts hochgeladen. Wenn du einverstanden bist, lade die Fotos noch einmal hoch.',
        action: 'Ich habe sie gelesen',
      },
      quota: { title: 'Upload-Limit erreicht', detail: '', action: 'Erneut versuchen' },
    },
    removed: (count: number) => `${photos(count)} entfernt.`,
    removedOnTheWay: 'Entfernt. War das Foto schon hochgeladen, findest du es unter „Meine Fotos“.',
    tray: {
      label: 'Uploads',
      sending: (done: number, total: number) => `Fotos werden hochgeladen: ${done} von ${total}`,
      stopped: 'Uploads warten',
    },
    announce: {
      done: (count: number) => `${photos(count)} hochgeladen`,
    },
    keys: {
      choose: 'Fotos auswählen',
      folder: 'Ordner auswählen',
      send: 'Fotos hochladen, die bereit sind',
      pause: 'Alle pausieren oder fortsetzen',
      fill: 'Alle bearbeiten',
      next: 'Nächstes Foto',
      previous: 'Vorheriges Foto',
      title: 'Titel bearbeiten',
      place: 'Aufnahmeort und Weg bearbeiten',
      remove: 'Foto entfernen',
    },
    unusable: {
      'no-photo': {
        title: 'Kein unterstütztes Fotoformat',
        detail: () => 'Die Datei ist kein JPEG, PNG, GIF, BMP, HEIC, AVIF, WebP oder TIFF.',
      },
      empty: { title: 'Die Datei ist leer', detail: () => 'Kopiere sie noch einmal vom Original.' },
      unreadable: {
        title: 'Die Datei konnte nicht gelesen werden',
        detail: () => 'Vielleicht wurde sie verschoben oder gelöscht. Wähle sie noch einmal aus.',
      },
      undecodable: {
        title: 'Dieser Browser kann die Datei nicht umwandeln',
        detail: (kind: string) =>
          `${kind} muss umgewandelt werden, aber dieser Browser kann das Format nicht öffnen. Speichere das Foto als JPEG und wähle dann diese Datei aus.`,
      },
      'too-large': {
        title: 'Das Foto ist zu groß',
        detail: () =>
          'Dieser Browser kann es nicht öffnen, um es zu verkleinern. Speichere es mit weniger Pixeln und wähle dann diese Datei aus.',
      },
    },
  }

  return { uploadStrings }
}

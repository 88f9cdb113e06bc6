// German texts of the refusals that come from what is stored, or from the state of the server.

export const stateRefusals = {
  'not-found': {
    title: 'Nicht gefunden',
    detail: 'Unter dieser Adresse gibt es nichts.',
    help: 'Unter dieser Adresse gibt es nichts. Die Pfade stehen in /openapi.json.',
  },
  'invalid-account-id': {
    title: 'Ungültige Konto-ID',
    detail: 'Es gibt kein Konto mit der ID in der Adresse.',
    help: 'Kein Konto hat diese ID.',
  },
  'invalid-trail-id': {
    title: 'Ungültige Weg-ID',
    detail: 'Es gibt keinen Weg mit dieser ID.',
    help: 'Kein Weg hat diese ID.',
  },
  'invalid-image-id': {
    title: 'Ungültige Bild-ID',
    detail: 'Es gibt kein Bild mit dieser ID, das du sehen darfst.',
    help: 'Auf diesem Weg gibt es kein Bild mit dieser ID, das du sehen darfst.',
  },
  'invalid-route-id': {
    title: 'Ungültige Routen-ID',
    detail: 'Es gibt keine Route mit dieser ID, die du sehen darfst.',
    help: 'Es gibt keine Route mit dieser ID, die du sehen darfst.',
  },
  'no-routes': {
    title: 'Keine Routen gefunden',
    detail: 'Das Konto hat noch keine Routen.',
    help: 'Das Konto hat noch keine Routen. Das ist kein Fehler deiner Anfrage; wer lieber eine leere Liste möchte, setzt EMPTY_ROUTES=200.',
  },
  'invalid-zone-id': {
    title: 'Ungültige Zonen-ID',
    detail: 'Dein Konto hat keine Privatzone mit dieser ID.',
    help: 'Dein Konto hat keine Privatzone mit dieser ID.',
  },
  'invalid-webhook-id': {
    title: 'Ungültige Webhook-ID',
    detail: 'Dein Konto hat keinen Webhook mit dieser ID.',
    help: 'Dein Konto hat keinen Webhook mit dieser ID.',
  },
  'invalid-delivery-id': {
    title: 'Ungültige Zustellungs-ID',
    detail: 'Der Webhook hat keine Zustellung mit dieser ID.',
    help: 'Der Webhook hat keine Zustellung mit dieser ID. Zustellungen werden nach ihrem Ende 30 Tage lang aufbewahrt.',
  },
  'invalid-client-id': {
    title: 'Ungültige Anwendungs-ID',
    detail: 'Du hast keine Anwendung mit dieser ID.',
    help: 'Keine deiner Anwendungen hat diese ID.',
  },
  'invalid-key-prefix': {
    title: 'Ungültiger Schlüsselanfang',
    detail: 'Du hast keinen gültigen API-Schlüssel mit diesem Anfang.',
    help: 'Keiner deiner gültigen API-Schlüssel beginnt so.',
  },
  'invalid-session-id': {
    title: 'Ungültige Sitzungs-ID',
    detail: 'Dein Konto hat keine Sitzung mit dieser ID.',
    help: 'Kein Browser, der in deinem Konto angemeldet ist, hat diese ID.',
  },
  'invalid-passkey-id': {
    title: 'Ungültige Passkey-ID',
    detail: 'Dein Konto hat keinen Passkey mit dieser ID.',
    help: 'Dein Konto hat keinen Passkey mit dieser ID.',
  },
  'already-decided': {
    title: 'Das Bild ist nicht mehr in dem Zustand, den diese Entscheidung braucht',
    detail: 'Der Zustand des Bildes hat sich geändert, seit du es geladen hast.',
    help: 'Jemand anderes hat zuerst entschieden; das Detail nennt, was passiert ist. Lade das Bild noch einmal und entscheide neu.',
  },
  claimed: {
    title: 'Jemand anderes prüft das Bild gerade',
    detail: 'Jemand anderes prüft dieses Bild gerade.',
    help: 'Jemand anderes sieht sich das Bild gerade an; das Detail nennt, wer und bis wann. Nimm ein anderes oder übernimm es mit "takeOver", wenn die Person nicht mehr da ist.',
  },
  'not-listed': {
    title: 'Das Bild ist nicht veröffentlicht',
    detail: 'Dieses Bild ist nicht veröffentlicht.',
    help: 'Nur veröffentlichte Fotos können gemeldet werden. Dieses wartet auf Prüfung oder ist nicht mehr veröffentlicht: Wer es hochgeladen hat, kann es ändern oder löschen, und Prüfende können darüber entscheiden.',
  },
  'not-undoable': {
    title: 'Die letzte Entscheidung lässt sich nicht rückgängig machen',
    detail: 'Die letzte Entscheidung über dieses Bild lässt sich nicht rückgängig machen.',
    help: 'Nur die letzte Entscheidung lässt sich rückgängig machen, und nur, solange seitdem nichts mit dem Bild passiert ist. Das Detail nennt den Grund; eine neue Entscheidung ist trotzdem möglich.',
  },
  'not-deleted': {
    title: 'Das Bild ist nicht im Papierkorb',
    detail: 'Dieses Bild ist nicht im Papierkorb.',
    help: 'So lässt sich nur ein gelöschtes Bild wiederherstellen. Dieses wurde schon wiederhergestellt oder nie gelöscht; das Detail nennt seinen Zustand.',
  },
  'other-terms': {
    title: 'Die Bedingungen haben sich geändert',
    detail: 'Die Bedingungen haben sich geändert, seit sie angezeigt wurden.',
    help: 'Der Upload nennt eine Version der Bedingungen dieser Website, die nicht mehr gilt. Zeige die aktuellen an (GET /v2/terms) und sende den Upload mit ihrer Version noch einmal.',
  },
  'events-gone': {
    title: 'Die Ereignisse sind nicht mehr da',
    detail: 'Ereignisse nach dieser Position sind nicht mehr gespeichert.',
    help: 'Diese Website speichert Ereignisse eine begrenzte Zeit (die Einstellung EVENT_RETENTION_DAYS), und einige nach dieser Position sind gelöscht. Merke dir newestPosition aus diesem Problem, lade die Listen, die du brauchst, ganz und mach bei newestPosition weiter. Um nur die übrigen Ereignisse zu lesen, mach bei oldestPosition minus 1 weiter.',
  },
  'original-gone': {
    title: 'Das Original ist nicht verfügbar',
    detail: 'Das Original dieses Fotos fehlt im Speicher oder ist beschädigt.',
    help: 'Das Foto, wie es hochgeladen wurde, fehlt im Speicher oder ist beschädigt. „waymark check --store“ nennt alle solchen Fotos; der Betreiber kann sie aus einem Backup wiederherstellen. Die übrigen Größen werden weiter gezeigt.',
  },
  'webhook-disabled': {
    title: 'Der Webhook ist deaktiviert',
    detail: 'Der Webhook ist deaktiviert, darum wird nichts an ihn gesendet.',
    help: 'Es wird nichts an ihn gesendet. Mit GET liest du den Grund; aktiviere ihn zuerst wieder mit PATCH {"disabled": false}.',
  },
  'last-admin': {
    title: 'Ein Admin muss bleiben',
    detail: 'Dieses Konto ist das einzige Admin-Konto.',
    help: 'Ohne Admin könnte niemand mehr diese Rolle vergeben. Mach zuerst ein anderes Konto zum Admin.',
  },
  'last-passkey': {
    title: 'Der letzte Passkey eines Kontos ohne Passwort muss bleiben',
    detail: 'Nur mit diesem Passkey kannst du dich in dem Konto anmelden.',
    help: 'Ohne ihn könntest du dich nicht mehr anmelden. Lege zuerst ein Passwort fest oder füge einen weiteren Passkey hinzu.',
  },
  'already-done': {
    title: 'Das ist schon erledigt',
    detail: 'Eine Anfrage mit diesem Idempotency-Key wurde schon ausgeführt.',
    help: 'Eine Anfrage mit einem Idempotency-Key wird einmal ausgeführt, egal wie oft sie kommt. Ein dabei erstelltes Secret stand in der ersten Antwort und kann nicht noch einmal gezeigt werden: Sieh in die Liste; was du nicht brauchst, kannst du rotieren oder entfernen. Ein dabei erstelltes und inzwischen gelöschtes Bild kannst du aus dem Papierkorb wiederherstellen oder mit einem neuen Schlüssel neu hochladen.',
  },
  'trail-exists': {
    title: 'Diesen Weg gibt es schon',
    detail: 'Es gibt schon einen Weg mit dieser trailID.',
    help: 'Es gibt schon einen Weg mit dieser trailID. Mit PUT /v2/trails/{trailID} bekommt er einen anderen Namen, Slug oder Verlauf; für einen neuen Weg lass die trailID weg.',
  },
  'trail-not-empty': {
    title: 'Zu diesem Weg gibt es Bilder',
    detail: 'Zu diesem Weg gibt es Bilder, vielleicht im Papierkorb.',
    help: 'Ein Weg lässt sich erst löschen, wenn es kein Bild mehr dazu gibt, auch keins im Papierkorb. Lösche zuerst die Bilder.',
  },
  'trail-has-reviewers': {
    title: 'Prüfende sind auf diesen Weg beschränkt',
    detail: 'Einige Prüfende sind auf diesen Weg beschränkt.',
    help: 'Ohne den Weg bliebe von ihrer Beschränkung nichts übrig. Gib ihnen andere Wege oder eine andere Rolle, bevor du ihn löschst; das Detail nennt ihre Konten.',
  },
  'link-used': {
    title: 'Der Link funktioniert nicht mehr',
    detail: 'Der Link wurde schon benutzt oder ist abgelaufen.',
    help: 'Solche Links funktionieren einmal und nur begrenzte Zeit. Fordere einen neuen an.',
  },
  'internal-error': {
    title: 'Interner Fehler',
    detail: 'Der Server konnte diese Anfrage nicht beantworten; der Grund steht in seinem Log.',
    help: 'Das ist ein Fehler des Servers, nicht deiner Anfrage. Die Admins der Website finden ihn im Log unter der Anfrage-ID.',
  },
  busy: {
    title: 'Der Server ist ausgelastet',
    detail:
      'Der Server kann diese Anfrage gerade nicht annehmen; versuch es nach der Zeit in Retry-After noch einmal.',
    help: 'Gerade werden zu viele Bilder oder große Bodys verarbeitet, oder der Server startet oder stoppt. Retry-After nennt, wann du es noch einmal versuchen kannst.',
  },
  'issuer-unavailable': {
    title: 'Der Aussteller des Tokens antwortet nicht',
    detail: 'Der Aussteller des Tokens hat nicht geantwortet, darum konnte das Token nicht geprüft werden.',
    help: 'Das Token kommt von einer anderen Website, der diese vertraut, und deren Schlüssel sind gerade nicht abrufbar. Sende die Anfrage später noch einmal; die Ursache steht im Log.',
  },
  'read-only': {
    title: 'Zurzeit nur Lesezugriff',
    detail: 'Zurzeit lässt sich nichts ändern.',
    help: 'Das Schreiben ist abgeschaltet, zum Beispiel während eines Umzugs. Lesen geht weiter; sende die Anfrage später noch einmal.',
  },
  'storage-unavailable': {
    title: 'Der Speicher antwortet nicht',
    detail: 'Die Datenbank oder der Fotospeicher hat nicht geantwortet.',
    help: 'Eine Festplatte, die Datenbank oder der Speicher ist während der Anfrage ausgefallen. Ob eine Änderung noch gespeichert wurde, ist nicht bekannt: Sende sie noch einmal; ein Upload mit Idempotency-Key wird nie zweimal gespeichert.',
  },
  'no-mail': {
    title: 'Diese Website kann keine E-Mails senden',
    detail: 'Diese Website hat keinen Mailserver.',
    help: 'Es ist kein Mailserver eingerichtet (die Einstellung SMTP_URL). Die Admins der Website können den Link mit „waymark accounts reset-link“ erstellen.',
  },
  'insufficient-storage': {
    title: 'Kein Speicherplatz',
    detail: 'Die Festplatte des Servers ist voll; es wurde nichts gespeichert.',
    help: 'Die Festplatte des Servers ist voll. Von der Anfrage wurde nichts gespeichert; die Admins der Website müssen Platz schaffen.',
  },
} as const

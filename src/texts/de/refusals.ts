// German texts of the refusals: title and help for pages, the detail for problem documents too. A missing code does not compile.
import type { Texts } from '../en/english.ts'
import { stateRefusals } from './state-refusals.ts'

const requestRefusals = {
  'bad-request': {
    title: 'Ungültige Anfrage',
    detail: 'Die Anfragezeile, ein Header oder die Adresse ist nicht lesbar.',
    help: 'Die Anfragezeile, ein Header oder die Adresse ist nicht lesbar. Prüfe die Adresse auf unerlaubte Zeichen und die Header auf Zeilenumbrüche.',
  },
  'malformed-body': {
    title: 'Der Body ist nicht lesbar',
    detail: 'Der Body ist nicht wohlgeformt.',
    help: 'Der Body ist kein wohlgeformtes JSON oder XML oder enthält etwas, das Waymark nie liest (DOCTYPE, nicht deklarierte Entitäten, mehr als 64 Ebenen, in XML 1.0 verbotene Zeichen). Das Detail nennt Zeile und Spalte.',
  },
  'invalid-field': {
    title: 'Ein Feld hat einen ungültigen Wert',
    detail: 'Ein Feld hat einen Wert, der nicht erlaubt ist.',
    help: 'Das Detail nennt das Feld und die Regel. Es wurde nichts gespeichert: Korrigiere das Feld und sende die Anfrage noch einmal.',
  },
  'invalid-query': {
    title: 'Ein Query-Parameter hat einen ungültigen Wert',
    detail: 'Ein Query-Parameter hat einen Wert, der nicht erlaubt ist.',
    help: 'Das Detail nennt den Parameter und die erlaubten Werte.',
  },
  'empty-image': {
    title: 'Das Bild ist leer',
    detail: 'Die Anfrage hat keinen Body; sende die Bytes des Bildes.',
    help: 'Der Body eines Uploads besteht aus den Bytes des Bildes; hier war er leer. Mit curl: -H "Content-Type: image/jpeg" --data-binary @photo.jpg.',
  },
  'invalid-header': {
    title: 'Ein Header hat einen ungültigen Wert',
    detail: 'Ein Header hat einen Wert, der nicht erlaubt ist.',
    help: 'Das Detail nennt den Header und die erlaubten Werte.',
  },
  'credential-required': {
    title: 'Anmeldung erforderlich',
    detail: 'Die Anfrage hat weder einen API-Schlüssel noch ein Bearer-Token.',
    help: 'Zum Lesen einer Liste brauchst du einen API-Schlüssel (api_key=… oder X-API-Key) oder ein Bearer-Token, zum Schreiben ein Bearer-Token von /oauth/token.',
  },
  'invalid-api-key': {
    title: 'Ungültiger API-Schlüssel',
    detail: 'Der API-Schlüssel der Anfrage ist unbekannt, abgelaufen oder widerrufen.',
    help: 'Der Schlüssel ist unbekannt, abgelaufen oder widerrufen. Lass dir einen neuen geben oder erstelle einen mit „waymark keys create“.',
  },
  'invalid-token': {
    title: 'Ungültiges Access-Token',
    detail: 'Das Bearer-Token der Anfrage ist unbekannt, abgelaufen oder widerrufen.',
    help: 'Das Bearer-Token ist unbekannt, abgelaufen oder widerrufen. Hole dir ein neues von /oauth/token und sende die Anfrage noch einmal.',
  },
  forbidden: {
    title: 'Kein Zugriff',
    detail: 'Mit dieser Anmeldung ist das nicht erlaubt.',
    help: 'Mit dieser Anmeldung ist das hier nicht erlaubt: Es gehört zu einem anderen Konto, oder dem Konto fehlt die Rolle. Auf den klassischen Routen ist das auch die Antwort auf ein falsches oder widerrufenes Token.',
  },
  'insufficient-scope': {
    title: 'Dem Token fehlt ein Scope',
    detail: 'Dem Token der Anfrage fehlt der nötige Scope.',
    help: 'Das Detail nennt den Scope. Fordere ihn mit dem Token an; die Anwendung muss damit registriert sein.',
  },
  'wrong-sign-in': {
    title: 'E-Mail-Adresse oder Passwort ist falsch',
    detail: 'E-Mail-Adresse oder Passwort ist falsch.',
    help: 'Kein Konto hat diese E-Mail-Adresse und dieses Passwort. Prüfe beides; über den Link unter dem Formular kannst du ein neues Passwort wählen.',
  },
  'wrong-password': {
    title: 'Das Passwort ist falsch',
    detail: 'Das aktuelle Passwort ist falsch.',
    help: 'Änderungen an deiner Anmeldung brauchen dein aktuelles Passwort. Es wurde nichts geändert.',
  },
  'wrong-passkey': {
    title: 'Der Passkey wurde nicht angenommen',
    detail: 'Der Passkey gehört zu keinem Konto auf dieser Website, oder er kam zu spät.',
    help: 'Der Passkey gehört zu keinem Konto auf dieser Website, oder er kam zu spät. Versuch es noch einmal oder melde dich anders an.',
  },
  'no-passkeys': {
    title: 'Diese Website bietet keine Passkeys an',
    detail: 'Unter der Adresse dieser Website sind Passkeys nicht möglich.',
    help: 'Browser erlauben Passkeys nur für einen Host mit Namen, über https oder auf localhost: Die Einstellung PUBLIC_URL muss einen solchen nennen.',
  },
  'passkey-required': {
    title: 'Dieses Konto braucht einen Passkey',
    detail:
      'Prüfende und Admins melden sich hier mit einem Passkey an; diese Sitzung wurde ohne Passkey begonnen.',
    help: 'Auf dieser Website können Prüfende und Admins erst handeln, wenn sie sich mit einem Passkey angemeldet haben. Melde dich mit deinem an; wenn du noch keinen hast, füge unter /account/passkeys deinen ersten hinzu.',
  },
  'stale-session': {
    title: 'Deine Anmeldung liegt dafür zu lange zurück',
    detail:
      'Du hast dich vor mehr als zehn Minuten angemeldet; melde dich noch einmal an oder gib dein aktuelles Passwort ein.',
    help: 'Für Änderungen an deiner Anmeldung musst du dich in den letzten zehn Minuten angemeldet haben oder dein aktuelles Passwort mitschicken. Melde dich noch einmal an und wiederhole die Änderung.',
  },
  'account-suspended': {
    title: 'Das Konto ist gesperrt',
    detail: 'Dieses Konto ist gesperrt.',
    help: 'Die Admins der Website haben das Konto gesperrt: Niemand kann sich damit anmelden. Frag sie nach dem Grund.',
  },
  'sign-up-closed': {
    title: 'Konten gibt es nur auf Einladung',
    detail: 'Ein Konto kannst du hier nur auf Einladung erstellen.',
    help: 'Auf dieser Website kann nicht jeder ein Konto erstellen (die Einstellung SIGN_UP). Bitte die Admins der Website um eine Einladung.',
  },
  'foreign-form': {
    title: 'Das Formular kommt nicht von dieser Website',
    detail: 'Das Formular wurde von einer Seite einer anderen Website gesendet.',
    help: 'Formulare werden nur von Seiten dieser Website angenommen, damit keine andere Website in deinem Namen handeln kann. Öffne die Seite noch einmal unter der Adresse aus PUBLIC_URL und sende das Formular von dort.',
  },
  'quota-reached': {
    title: 'Ein Kontingent dieses Kontos ist erreicht',
    detail: 'Das Konto hat eines seiner Kontingente erreicht.',
    help: 'Das Detail nennt die Grenze und die Anzahl. Warte, bis die Fotos in der Warteschlange geprüft sind, oder bitte die Admins der Website, das Kontingent zu erhöhen.',
  },
  'request-timeout': {
    title: 'Zeitüberschreitung',
    detail: 'Die Anfrage kam nicht rechtzeitig an.',
    help: 'Die Anfrage kam nicht rechtzeitig vollständig an. Sende sie noch einmal.',
  },
  'method-not-allowed': {
    title: 'Methode nicht erlaubt',
    detail: 'Diese Adresse unterstützt die Methode der Anfrage nicht; Allow nennt die unterstützten.',
    help: 'Die Adresse gibt es, aber nicht mit dieser Methode; der Header Allow nennt die unterstützten.',
  },
  'not-acceptable': {
    title: 'Kein passendes Format',
    detail: 'Accept nennt weder application/json noch application/xml noch text/xml.',
    help: 'Die klassische API antwortet mit application/json, application/xml oder text/xml: Nenne eins davon in Accept oder lass Accept weg.',
  },
  'precondition-failed': {
    title: 'Vorbedingung nicht erfüllt',
    detail:
      'Die Ressource hat nicht das ETag aus If-Match: Sie wurde geändert, seit du sie gelesen hast, oder hatte dieses ETag nie.',
    help: 'Was du ändern willst, wurde geändert, seit du es gelesen hast (If-Match). Lies es noch einmal und wiederhole deine Änderung.',
  },
  'image-too-large': {
    title: 'Das Bild ist zu groß',
    detail: 'Das Bild hat mehr Bytes, als diese Website annimmt.',
    help: 'Das Detail nennt, wie viele Bytes eine Bilddatei auf dieser Website haben darf (die Einstellung MAX_IMAGE_BYTES; 8.388.608, wenn sie nicht verringert wurde). Es wurde nichts gespeichert.',
  },
  'body-too-large': {
    title: 'Der Body ist zu groß',
    detail: 'Der Body hat mehr Bytes, als dieser Endpunkt annimmt.',
    help: 'Das Detail nennt, wie viele Bytes der Body haben darf. Die Einstellungen heißen MAX_DETAILS_BYTES (64 KiB) für Details und die meisten anderen Bodys, MAX_ROUTE_BYTES (24 MiB) für eine Route und MAX_IMPORT_BYTES (64 MiB) für Importe, wenn sie nicht geändert wurden.',
  },
  'uri-too-long': {
    title: 'Die Adresse ist zu lang',
    detail: 'Pfad und Query haben mehr Bytes, als diese Website annimmt.',
    help: 'Das Detail nennt, wie viele Bytes Pfad und Query haben dürfen (die Einstellung MAX_URL_BYTES; 8 KiB, wenn sie nicht verringert wurde).',
  },
  'unsupported-image-type': {
    title: 'Nicht unterstützter Bildtyp',
    detail: 'Der Body ist kein jpg, gif, png oder bmp.',
    help: 'Bilder sind jpg, gif, png oder bmp; POST /v2/trails/{trailID}/images nimmt auch heic, avif und webp an. Ein Content-Type, der kein Bild nennt, wird sofort abgelehnt (der klassische Upload nimmt auch application/x-www-form-urlencoded, die Vorgabe von curl, wget, PHP und Java); sonst entscheiden allein die Bytes. Wandle die Datei um oder korrigiere den Header und sende sie noch einmal.',
  },
  'unsupported-media-type': {
    title: 'Nicht unterstützter Medientyp',
    detail: 'Diesen Content-Type nimmt dieser Endpunkt nicht an.',
    help: 'Details und Routen werden als application/json oder application/xml in UTF-8 gesendet (XML auch in UTF-16), ohne Content-Encoding. Die klassische Schnittstelle nimmt sie auch als application/x-www-form-urlencoded, die Vorgabe von curl, wget, PHP und Java, wenn ihr erstes Zeichen {, [ oder < ist. Mehrere GPX-Dateien werden als multipart/form-data gesendet.',
  },
  'range-not-satisfiable': {
    title: 'Bereich nicht verfügbar',
    detail: 'Der angefragte Bereich liegt hinter dem Ende der Datei.',
    help: 'Der angefragte Bereich liegt hinter dem Ende der Datei; Content-Range nennt ihre Länge.',
  },
  'broken-image': {
    title: 'Das Bild ist beschädigt',
    detail: 'Das Bild lässt sich nicht dekodieren.',
    help: 'Die Datei beginnt wie ein Bild, lässt sich aber nicht vollständig dekodieren. Öffne sie, speichere sie neu und sende die neue Datei.',
  },
  'image-dimensions-too-large': {
    title: 'Die Abmessungen des Bildes sind zu groß',
    detail: 'Das Bild hat mehr Pixel oder Einzelbilder, als diese Website annimmt.',
    help: 'Das Detail nennt, was zu groß ist, und die Grenze. Wenn MAX_IMAGE_SIDE, MAX_IMAGE_MEGAPIXELS, MAX_DECODED_MEGABYTES und MAX_IMAGE_FRAMES nicht verringert wurden, darf eine Seite 16.384 Pixel haben, ein Bild 100 Megapixel, dekodiert 400 MB und 1.000 Einzelbilder.',
  },
  'unreadable-gpx': {
    title: 'Das GPX der Route ist nicht lesbar',
    detail: 'Das zu dieser Route gespeicherte GPX ist nicht lesbar.',
    help: 'Es wurde ungeprüft gespeichert (die Einstellung GPX_CHECK) und ist kein gültiges GPX; das Detail nennt die Stelle. Es gibt nichts zu exportieren, bis die Route ein anderes GPX bekommt.',
  },
  'idempotency-key-reused': {
    title: 'Der Idempotency-Key wurde schon mit einem anderen Body benutzt',
    detail: 'Dieser Idempotency-Key wurde schon mit einem anderen Body gesendet.',
    help: 'Ein Schlüssel gehört zu einer Anfrage: Innerhalb von 24 Stunden muss derselbe Schlüssel auf demselben Pfad mit demselben Body kommen. Sende für eine neue Anfrage einen neuen Schlüssel.',
  },
  'too-many-requests': {
    title: 'Zu viele Anfragen',
    detail: 'Du hast ein Limit erreicht; versuch es nach der Zeit in Retry-After noch einmal.',
    help: 'Warte so lange, wie Retry-After angibt. RateLimit und RateLimit-Policy nennen das erreichte Limit; bei einem Limit für gleichzeitige Anfragen steht es im Detail.',
  },
  'headers-too-large': {
    title: 'Die Header der Anfrage sind zu groß',
    detail: 'Die Header haben mehr Bytes oder Felder, als diese Website annimmt.',
    help: 'Das Detail nennt die Grenze (die Einstellungen MAX_HEADER_BYTES und MAX_HEADERS; 16 KiB und 100 Felder, wenn sie nicht verringert wurden).',
  },
} as const

export const refusals: Texts['refusals'] = { ...requestRefusals, ...stateRefusals }

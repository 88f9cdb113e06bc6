// The German texts on and around every map.
import type { MapCatalogue } from '../en/map.ts'

export function catalogue(): MapCatalogue {
  const mapStrings = {
    loading: 'Karte wird geladen…',
    zoomIn: 'Vergrößern',
    zoomOut: 'Verkleinern',
    attribution: 'Kartenquellen',
    withCtrl: 'Zum Zoomen Strg gedrückt halten und scrollen',
    withCommand: 'Zum Zoomen ⌘ gedrückt halten und scrollen',
    withTwoFingers: 'Karte mit zwei Fingern verschieben',
    cannotDraw:
      'Dieser Browser kann keine Karten anzeigen, weil ihm WebGL 2 fehlt. In den Listen steht dasselbe.',
    blocked: (origins: string) =>
      `Der Kartenstil wird von ${origins} geladen, doch die Sicherheitsrichtlinie dieser Website blockiert das. Nimm ${origins} in die Einstellung MAP_STYLE_ORIGINS auf. Diese Meldung sehen nur Prüfende und Admins.`,
    troubles: {
      'style-unread':
        'Der Kartenstil dieser Website konnte nicht geladen werden, deshalb siehst du die mitgelieferte Karte. „waymark doctor“ zeigt dir die Ursache. Diese Meldung sehen nur Prüfende und Admins.',
      'tiles-unread':
        'Die Grundkarte dieser Website konnte nicht geladen werden, deshalb siehst du die mitgelieferte Karte. „waymark doctor“ zeigt dir die Ursache. Diese Meldung sehen nur Prüfende und Admins.',
      'file-unread':
        'Die Kartendatei dieser Website konnte nicht gelesen werden, deshalb siehst du die mitgelieferte Karte. Diese Meldung sehen nur Prüfende und Admins.',
      'file-foreign':
        'Die Kartendatei dieser Website hat keine Ebenen, die Waymark zeichnen kann (Kacheln von Protomaps oder Bilder), deshalb siehst du die mitgelieferte Karte. Diese Meldung sehen nur Prüfende und Admins.',
      'relief-unread':
        'Die Geländedatei dieser Website konnte nicht gelesen werden, deshalb fehlen die Höhenlinien. Diese Meldung sehen nur Prüfende und Admins.',
    },
    notLoaded: 'Die Karte konnte nicht geladen werden.',
  }

  return { mapStrings }
}

// The German texts of the admin page of the map.
import type { AdminMapCatalogue } from '../en/admin-map.ts'

export function catalogue(): AdminMapCatalogue {
  const adminMap = {
    choose: 'Welche Karte?',
    kinds: {
      style: {
        label: 'Online-Karte',
        about: (provider: string) =>
          `Der Browser jedes Besuchers lädt die Karte von ${provider}; dort erfährt man die IP-Adresse und welche Orte angesehen werden.`,
      },
      file: {
        label: 'Kartendatei auf diesem Server',
        about:
          'Straßen, Wege, Gipfel und Namen deiner Region. Niemand außer diesem Server erfährt, was Besucher ansehen.',
      },
      none: {
        label: 'Keine Karte',
        about: 'Nur die Umrisse des Landes. Niemand außer diesem Server erfährt, was Besucher ansehen.',
      },
    },
    aProvider: 'ihrem Anbieter',
    style: 'Stil',
    ownStyle: 'Ein anderer Stil',
    url: 'URL des Stils',
    urlHint: 'Ein MapLibre-Stil, https. Der Server liest ihn einmal, um zu erlauben, was er lädt.',
    save: 'Diese Karte verwenden',
    unchanged: 'Das ist die aktuelle Karte.',
    saved: 'Die Karte ist geändert.',
    chosen: (at: string) => `Gewählt am ${at}.`,
    bySettings: 'Durch die Einstellungen des Servers bestimmt. Was du hier wählst, geht vor.',
    nobody: 'Noch niemand hat eine Karte gewählt.',
    settingsSay: {
      style: (url: string) => `In den Einstellungen des Servers steht der Stil ${url}.`,
      file: 'In den Einstellungen des Servers steht die Kartendatei.',
      none: '',
    },
    origins: (origins: string) => `Seiten dürfen von ${origins} laden.`,
    open: 'Seiten, die gerade offen sind, ändern sich, wenn sie neu geladen werden.',
    preview: 'So sieht sie aus',
    previewMap: 'Karte der Website, wie Besucher sie sehen',
    files: 'Kartendateien',
    base: 'Karte',
    terrain: 'Gelände, für Schattierung und Höhenlinien',
    noFile: 'Noch nicht vorhanden.',
    fileOf: (tiles: string, zooms: string, size: string) => `${tiles}, Zoom ${zooms}, ${size}`,
    tiles: { vector: 'Vektorkacheln', images: 'Bilder' } as Readonly<Record<string, string>>,
    bounds: (box: string) => `Region: ${box} (Westen, Süden, Osten, Norden)`,
    attribution: (text: string) => `Quelle: ${text}`,
    make: 'Dieser Befehl auf dem Server erstellt eine für die Region um alle Wege:',
    makeTerrain: 'Und dieser das Gelände:',
    makeAnywhere: 'Noch kein Weg hat einen Verlauf: Setze die Region selbst in den Befehl ein.',
    copy: 'Befehl kopieren',
    guide: 'Wo es Archive gibt, und was der Befehl sonst kann',
  }
  return { adminMap }
}

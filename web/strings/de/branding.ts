// The German texts of the admin page of how the site looks.
import type { BrandingCatalogue } from '../en/branding.ts'

export function catalogue(): BrandingCatalogue {
  const branding: BrandingCatalogue['branding'] = {
    name: 'Name der Website',
    nameHint: (standard) => `Leer lassen für „${standard}“ (SITE_NAME).`,
    accent: 'Akzentfarbe',
    accentHint: 'Für Schaltflächen, Links und das Logo, als #rrggbb. Leer lassen für das Grün von Waymark.',
    accentWrong: 'Gib eine Farbe als # und sechs Ziffern ein, etwa #1d6546.',
    accentPick: 'Akzentfarbe wählen',
    logo: 'Logo',
    logoHint:
      'PNG, JPEG, WebP oder SVG, bis 256 kB. Es muss auf hellem und auf dunklem Grund lesbar sein. Ein Logo, das mindestens doppelt so breit wie hoch ist, ersetzt den Namen.',
    favicon: 'Symbol',
    faviconHint:
      'PNG, JPEG, WebP oder SVG, bis 64 kB, am besten quadratisch und mindestens 512 Pixel breit: für Tabs und Startbildschirme. Ohne eigenes Symbol wird das Logo verwendet.',
    choose: 'Datei wählen',
    remove: 'Entfernen',
    current: (what) => `${what}, so wie es jetzt ist`,
    standard: 'Das von Waymark',
    unreadable: 'Diese Datei ist kein Bild, das dieser Browser lesen kann.',
    tooLarge: (size) => `Das Bild ist zu groß: höchstens ${size}.`,
    pictureSaved: (what) => `${what} gespeichert`,
    pictureRemoved: (what) => `${what} entfernt`,
    footer: 'Text der Fußzeile',
    footerHint: 'Einfacher Text, etwa wer die Website betreibt.',
    links: 'Links der Fußzeile',
    linksHint:
      'Bis zu sechs, etwa dein Impressum. Webadressen, mailto:-Adressen oder Seiten dieser Website, etwa /routes.',
    label: 'Beschriftung',
    labelOf: (at) => `Beschriftung von Link ${at}`,
    url: 'Adresse',
    urlOf: (at) => `Adresse von Link ${at}`,
    urlWrong:
      'Gib eine Adresse mit https://, eine mailto:-Adresse oder einen Pfad ein, der mit einem Schrägstrich beginnt.',
    labelWrong: 'Gib eine Beschriftung ein.',
    addLink: 'Link hinzufügen',
    removeLink: (at) => `Link ${at} entfernen`,
    save: 'Speichern',
    saved: 'Erscheinungsbild gespeichert',
    reset: 'Auf Standard zurücksetzen',
    unchanged: 'Keine Änderungen.',
    preview: 'Vorschau',
    schemes: { light: 'Hell', dark: 'Dunkel' },
    sampleLink: 'Ein Link',
    sampleButton: 'Eine Schaltfläche',
    sampleChosen: 'Ausgewählt',
    sampleText: 'Fotos des Weges, die neuesten zuerst.',
    contrast: 'Kontrast',
    pairs: {
      accent: 'Formen',
      'on-accent': 'Text auf Schaltflächen',
      link: 'Links',
      'tint-text': 'Ausgewähltes',
    },
    ratio: (ratio, needed) => `${ratio} : 1 (mindestens ${needed})`,
    adapted: (shade) => `Deine Farbe wäre hier nicht lesbar, deshalb wird der Farbton ${shade} verwendet.`,
    kept: 'Deine Farbe ist hier lesbar, so wie sie ist.',
  }
  return { branding }
}

// The German texts of the page around the web app, of its link previews and of its embeds.
import type { Tools } from '../../shared/text/plurals.ts'
import type { Texts } from '../en/english.ts'

const kilometresOfMile = 1.609344

export function webApp({ plural }: Tools): Texts['webApp'] {
  return {
    noScript:
      'Diese Website braucht JavaScript, das in diesem Browser ausgeschaltet ist oder fehlt. <signIn>Anmelden</signIn>, Anwendungen erlauben und <device>Geräte verbinden</device> geht auch ohne.',
    notBuilt: {
      title: 'Noch nicht gebaut',
      lead: 'Die Web-App ist noch nicht gebaut: Führe npm run build aus.',
      api: 'Die API funktioniert auch ohne sie.',
    },
    missing: 'Seite nicht gefunden',
    front: 'Fotos von Wanderwegen und Routen zum Nachwandern.',
    guide: {
      title: 'Dokumentation',
      description: (site) => `So verwendest du ${site} und die API.`,
    },
    routes: {
      title: 'Routen',
      description: (site) => `Routen zum Nachwandern, geteilt auf ${site}.`,
    },
    distance: (miles) => plural(Math.round(miles * kilometresOfMile * 10) / 10, { other: '# km' }),
    photos: (count) => plural(count, { one: '# Foto', other: '# Fotos' }),
    photo: {
      untitled: (trail) => `Ein Foto von ${trail}`,
      by: (trail, name) => `${trail}, Foto von ${name}`,
      credit: (name) => `Foto: ${name}`,
    },
    newestPhoto: (trail) => `Das neueste Foto von ${trail}`,
    route: {
      untitled: 'Eine Route',
      facts: (distance, name) => `${distance}, eine Route von ${name}`,
      line: (title) => `Der Verlauf von ${title}`,
      hidden: 'Von dieser Route wird kein Abschnitt gezeigt.',
    },
    notShown: {
      title: 'Nicht verfügbar',
      detail: 'Diesen Inhalt gibt es nicht, oder er ist nicht mehr öffentlich.',
    },
  }
}

// The texts of the page around the web app, of its link previews and of its embeds.
import type { Tools } from '../../shared/text/plurals.ts'

export function webApp({ plural }: Tools) {
  return {
    noScript:
      'This site needs JavaScript, which is turned off in this browser or not supported by it. <signIn>Signing in</signIn>, allowing applications and <device>connecting a device</device> work without it.',
    notBuilt: {
      title: 'Not built yet',
      lead: 'The web app has not been built: run npm run build.',
      api: 'The API works without it.',
    },
    missing: 'Page not found',
    front: 'Trail photos, and routes to follow.',
    guide: {
      title: 'Documentation',
      description: (site: string) => `How to use ${site} and its API.`,
    },
    routes: {
      title: 'Routes',
      description: (site: string) => `Routes to follow, shared by the people of ${site}.`,
    },
    distance: (miles: number) => plural(Math.round(miles * 10) / 10, { one: '# mile', other: '# miles' }),
    photos: (count: number) => plural(count, { one: '# photo', other: '# photos' }),
    photo: {
      untitled: (trail: string) => `A photo of ${trail}`,
      by: (trail: string, name: string) => `${trail}, photo by ${name}`,
      credit: (name: string) => `Photo: ${name}`,
    },
    newestPhoto: (trail: string) => `The newest photo of ${trail}`,
    route: {
      untitled: 'A route',
      facts: (distance: string, name: string) => `${distance}, a route by ${name}`,
      line: (title: string) => `Outline of ${title}`,
      hidden: 'No part of this route is shown.',
    },
    notShown: {
      title: 'Not available',
      detail: 'This content does not exist or is no longer public.',
    },
  }
}

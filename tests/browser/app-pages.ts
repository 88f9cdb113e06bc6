// Every page of the app with the demo's data, for screenshots and for tests of all pages.

export type Onlooker = 'visitor' | 'member' | 'reviewer' | 'admin'

export interface AppPage {
  /** Name of the screenshot. */
  readonly name: string
  readonly path: string
  /** The viewer. */
  readonly as: Onlooker
  /** Keys to press, in order, before the screenshot. */
  readonly keys?: readonly string[]
  /** An element that exists once the page is ready; its heading by default. */
  readonly ready?: string
}

/** Ids and slugs of the demo's first trail, and of data found through the API. */
export interface DemoIds {
  readonly slug: string
  readonly imageId: number
  /** Visible to everyone. */
  readonly publicRouteId: number
  /** One of the member's own. */
  readonly ownRouteId: number
}

export const appPages = ({ slug, imageId, publicRouteId, ownRouteId }: DemoIds): readonly AppPage[] => [
  { name: 'trails', path: '/', as: 'visitor' },
  { name: 'gallery', path: `/t/${slug}`, as: 'visitor', ready: 'main img' },
  { name: 'photo', path: `/t/${slug}/${imageId}`, as: 'visitor', ready: 'main figure img' },
  {
    name: 'photo-viewer',
    path: `/t/${slug}/${imageId}`,
    as: 'visitor',
    keys: ['z'],
    ready: '[data-lightbox] img',
  },
  { name: 'upload', path: '/upload', as: 'member' },
  { name: 'my-photos', path: '/photos', as: 'member', ready: 'main img' },
  { name: 'review', path: '/review', as: 'reviewer', ready: 'main img' },
  { name: 'routes', path: '/routes', as: 'visitor', ready: 'main li svg' },
  { name: 'my-routes', path: '/routes/mine', as: 'member' },
  { name: 'route', path: `/routes/${publicRouteId}`, as: 'visitor' },
  { name: 'route-editor', path: `/routes/${ownRouteId}/edit`, as: 'member' },
  { name: 'route-new', path: '/routes/new', as: 'member' },
  { name: 'account', path: '/account', as: 'member' },
  ...[
    'password',
    'passkeys',
    'sessions',
    'keys',
    'applications',
    'devices',
    'developer',
    'webhooks',
    'zones',
    'data',
    'leave',
  ].map((section) => ({ name: `account-${section}`, path: `/account/${section}`, as: 'member' as const })),
  { name: 'admin', path: '/admin', as: 'admin' },
  ...[
    'trails',
    'accounts',
    'applications',
    'terms',
    'branding',
    'reasons',
    'map',
    'storage',
    'settings',
    'audit',
    'health',
  ].map((section) => ({ name: `admin-${section}`, path: `/admin/${section}`, as: 'admin' as const })),
  { name: 'docs', path: '/docs', as: 'visitor' },
  { name: 'docs-guide', path: '/docs/review', as: 'visitor' },
  { name: 'docs-api', path: '/docs/api', as: 'visitor' },
  { name: 'docs-upload', path: '/docs/upload', as: 'visitor' },
  { name: 'shortcuts', path: '/review', as: 'reviewer', keys: ['?'], ready: '[data-shortcut]' },
  { name: 'palette', path: '/', as: 'visitor', keys: ['Control+k'], ready: '[role=listbox]' },
]

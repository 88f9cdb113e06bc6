// The public pages with their addresses: they are rendered on the server, too. A new page is a line here.
import { createRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { basePath } from './data/base.ts'
import { Frame } from './ui/frame/frame.tsx'
import { PageFailed, PageMissing, PagePending } from './ui/notices/route-states.tsx'

export const root = createRootRoute({
  component: Frame,
  notFoundComponent: PageMissing,
  errorComponent: PageFailed,
})

/** Filters and tabs are in the address; a page reads those it knows and leaves the rest. */
const search = (found: Record<string, unknown>): Record<string, unknown> => found

export const page = <const Path extends string>(
  path: Path,
  component: ReturnType<typeof lazyRouteComponent>,
) => createRoute({ getParentRoute: () => root, path, component, validateSearch: search })

const trails = lazyRouteComponent(() => import('./pages/trails/trails-page.tsx'), 'TrailsPage')
const gallery = lazyRouteComponent(() => import('./pages/gallery/gallery-page.tsx'), 'GalleryPage')
const image = lazyRouteComponent(() => import('./pages/gallery/image-page.tsx'), 'ImagePage')
const publicRoutes = lazyRouteComponent(
  () => import('./pages/routes/public/public-routes-page.tsx'),
  'PublicRoutesPage',
)
const routeView = lazyRouteComponent(() => import('./pages/routes/route/route-page.tsx'), 'RoutePage')

/** A photo opens above its gallery, which stays as it is: one page with two addresses. */
const galleryPage = page('/t/$slug', gallery)
const photoInGallery = createRoute({
  getParentRoute: () => galleryPage,
  path: '/$imageId',
  validateSearch: search,
})

export const publicPages = [
  page('/', trails),
  galleryPage.addChildren([photoInGallery]),
  page('/i/$imageId', image),
  page('/routes', publicRoutes),
  page('/routes/$routeId', routeView),
] as const

/** Of every router, in the browser and on the server. */
export const routerOptions = {
  basepath: basePath === '' ? '/' : basePath,
  defaultPreload: 'intent',
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
  // Addresses stay readable: ?status=pending, not a JSON text.
  parseSearch: (text: string) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (found: Record<string, unknown>) => {
    const given = Object.entries(found).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
} as const

// Every page of the app with its address (contract D7); each is a chunk of its own, loaded when somebody goes there.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { basePath } from './data/base.ts'
import { Frame } from './ui/frame/frame.tsx'
import { PageFailed, PageMissing, PagePending } from './ui/notices/route-states.tsx'

const root = createRootRoute({ component: Frame, notFoundComponent: PageMissing, errorComponent: PageFailed })

/** Filters and tabs live in the address; a page reads what it knows of them and leaves the rest. */
const search = (found: Record<string, unknown>): Record<string, unknown> => found

const page = <const Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component, validateSearch: search })

const trails = lazyRouteComponent(() => import('./pages/trails/trails-page.tsx'), 'TrailsPage')
const gallery = lazyRouteComponent(() => import('./pages/gallery/gallery-page.tsx'), 'GalleryPage')
const image = lazyRouteComponent(() => import('./pages/gallery/image-page.tsx'), 'ImagePage')
const upload = lazyRouteComponent(() => import('./pages/upload/upload-page.tsx'), 'UploadPage')
const photos = lazyRouteComponent(() => import('./pages/photos/photos-page.tsx'), 'PhotosPage')
const review = lazyRouteComponent(() => import('./pages/review/review-page.tsx'), 'ReviewPage')
const routes = lazyRouteComponent(() => import('./pages/routes/list/routes-page.tsx'), 'RoutesPage')
const editor = lazyRouteComponent(() => import('./pages/routes/editor/editor-page.tsx'), 'EditorPage')
const routeView = lazyRouteComponent(() => import('./pages/routes/route/route-page.tsx'), 'RoutePage')
const account = lazyRouteComponent(() => import('./pages/account/account-page.tsx'), 'AccountPage')
const admin = lazyRouteComponent(() => import('./pages/admin/admin-page.tsx'), 'AdminPage')
const docs = lazyRouteComponent(() => import('./pages/docs/docs-page.tsx'), 'DocsPage')

/** A photo opens above its gallery, which stays as it is: one page with two addresses. */
const galleryPage = page('/t/$slug', gallery)
const photoInGallery = createRoute({
  getParentRoute: () => galleryPage,
  path: '/$imageId',
  validateSearch: search,
})

const tree = root.addChildren([
  page('/', trails),
  galleryPage.addChildren([photoInGallery]),
  page('/i/$imageId', image),
  page('/upload', upload),
  page('/photos', photos),
  page('/review', review),
  page('/review/$imageId', review),
  page('/routes', routes),
  page('/routes/new', editor),
  page('/routes/$routeId', routeView),
  page('/routes/$routeId/edit', editor),
  page('/account', account),
  page('/account/$section', account),
  page('/admin', admin),
  page('/admin/$section', admin),
  page('/docs', docs),
  page('/docs/$guide', docs),
])

export const createAppRouter = () =>
  createRouter({
    routeTree: tree,
    basepath: basePath === '' ? '/' : basePath,
    defaultPreload: 'intent',
    defaultPendingComponent: PagePending,
    defaultErrorComponent: PageFailed,
    scrollRestoration: true,
    // Addresses stay readable: ?status=pending, not a JSON text.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (found) => {
      const told = Object.entries(found).filter(([, value]) => value !== undefined && value !== '')
      const text = new URLSearchParams(told.map(([key, value]) => [key, String(value)])).toString()
      return text === '' ? '' : `?${text}`
    },
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}

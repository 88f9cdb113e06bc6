// Every page of the app with its address (contract D7); each is a chunk, loaded when it is opened. Public pages are in
// public-pages.tsx.
import { createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { page, publicPages, root, routerOptions } from './public-pages.tsx'

const upload = lazyRouteComponent(() => import('./pages/upload/upload-page.tsx'), 'UploadPage')
const photos = lazyRouteComponent(() => import('./pages/photos/photos-page.tsx'), 'PhotosPage')
const review = lazyRouteComponent(() => import('./pages/review/review-page.tsx'), 'ReviewPage')
const routes = lazyRouteComponent(() => import('./pages/routes/list/routes-page.tsx'), 'RoutesPage')
const editor = lazyRouteComponent(() => import('./pages/routes/editor/editor-page.tsx'), 'EditorPage')
const account = lazyRouteComponent(() => import('./pages/account/account-page.tsx'), 'AccountPage')
const admin = lazyRouteComponent(() => import('./pages/admin/admin-page.tsx'), 'AdminPage')
const docs = lazyRouteComponent(() => import('./pages/docs/docs-page.tsx'), 'DocsPage')

const tree = root.addChildren([
  ...publicPages,
  page('/upload', upload),
  page('/photos', photos),
  page('/review', review),
  page('/review/$imageId', review),
  page('/routes/mine', routes),
  page('/routes/new', editor),
  page('/routes/$routeId/edit', editor),
  page('/account', account),
  page('/account/$section', account),
  page('/admin', admin),
  page('/admin/$section', admin),
  page('/docs', docs),
  page('/docs/$guide', docs),
])

export const createAppRouter = () => createRouter({ routeTree: tree, ...routerOptions })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}

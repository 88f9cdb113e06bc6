// The pages of the web app by URL: the source file of each, and the query parameters that it uses.
import type { FastifyRequest } from 'fastify'
import type { Texts } from '../texts/texts.ts'
import type { PreviewedPage } from './previews.ts'

export type Named = { Params: Record<string, string>; Querystring: Record<string, unknown> }

/** Finds the link preview of a page, and whether the page exists. */
export type Look = (texts: Texts, request: FastifyRequest<Named>) => Promise<PreviewedPage>

export interface AppPage {
  readonly address: string
  /** Its source below web/, which is its name in the build. */
  readonly chunk: string
  /** Rendered on the server (web/public-pages.tsx), since it is the same for everyone. */
  readonly isPublic?: boolean
  /** Rendered only if it has a link preview. Otherwise it is private or shared by link, and the app requests it. */
  readonly isPublicIfTold?: boolean
  /** The page's first requests, and the minimum role for them: sent while its scripts are loading. */
  readonly early?: readonly ['member' | 'reviewer' | 'admin', ...string[]]
  /** Query parameters that make it a different page. */
  readonly query?: readonly string[]
}

/** @param early the page's first requests, and the minimum role for them. */
function quiet(chunk: string, addresses: readonly string[], early?: AppPage['early']): readonly AppPage[] {
  return addresses.map((address) => (early === undefined ? { address, chunk } : { address, chunk, early }))
}

/** Pages without a link preview. */
export const quietPages: readonly AppPage[] = [
  ...quiet('pages/upload/upload-page.tsx', ['/upload']),
  ...quiet('pages/photos/photos-page.tsx', ['/photos']),
  ...quiet(
    'pages/review/review-page.tsx',
    ['/review', '/review/:imageID'],
    ['reviewer', '/v2/review/queue?limit=50', '/v2/review/reasons', '/v2/review/summary'],
  ),
  ...quiet('pages/routes/list/routes-page.tsx', ['/routes/mine']),
  ...quiet(
    'pages/routes/editor/editor-page.tsx',
    ['/routes/new', '/routes/:routeID/edit'],
    ['member', '/v2/me/zones', '/v2/trails?limit=100'],
  ),
  ...quiet('pages/account/account-page.tsx', ['/account', '/account/:section']),
  ...quiet('pages/admin/admin-page.tsx', ['/admin', '/admin/:section', '/admin/:section/:item']),
]

/** The canonical form of the page's URL: unknown query parameters are dropped. */
export function addressOf({ query = [] }: AppPage, { url, query: asked }: FastifyRequest<Named>): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  const known = query.flatMap((name) => {
    const value = asked[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  const text = new URLSearchParams(known).toString()
  return text === '' ? path : `${path}?${text}`
}

// The app on the server: renders public pages with the same components that take over in the browser.
//
// It is built into one file, which the server imports once per language, with the language and PUBLIC_URL in the query
// of its address: each instance has its own catalogues. Nothing of a visitor outlives a call, and each rendering pass
// is one synchronous turn.
import { createMemoryHistory, createRoute, createRouter } from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import { renderToString } from 'react-dom/server'
import { isWaymarkProblem, type Fetch } from '../client/client.ts'
import { App } from './app.tsx'
import { basePath } from './data/base.ts'
import { createVisitorsData } from './data/waymark.tsx'
import { publicPages, root, routerOptions } from './public-pages.tsx'
import { isOfBrowser, stateOf, writeState } from './rendering/page-state.ts'
import { speakTo } from './strings/language.ts'
import { PageMissing, PagePending } from './ui/notices/route-states.tsx'

export interface RenderOptions {
  /** Path and query, below the path of PUBLIC_URL. */
  readonly url: string
  /** Of dates and numbers, such as en-GB. */
  readonly locale: string
  /** Fetches public data; called with paths below PUBLIC_URL. */
  readonly fetch: Fetch
}

export interface Rendered {
  /** What goes into the page's #root. */
  readonly html: string
  /** JSON for a data block from which the browser continues; undefined if it must start afresh. */
  readonly state: string | undefined
}

/** For all other pages the frame is shown until the app has loaded; some look like the address of a public one. */
const otherPages = ['/$', '/routes/new', '/routes/mine'].map((path) =>
  createRoute({ getParentRoute: () => root, path, component: PagePending }),
)
/** The page at addresses that do not exist for anyone. */
const missingPage = createRoute({ getParentRoute: () => root, path: '/not-found', component: PageMissing })
const tree = root.addChildren([...publicPages, ...otherPages, missingPage])

/** A page requests data when it is rendered: the site, then its trail, then the trail's photos. */
const maxPasses = 8
/** Characters. A route may have megabytes of GPX, which must not be loaded twice. */
const maxState = 400_000
/** React's mark of a part that could not be drawn as yet. */
const unfinished = '<!--$!-->'

const isWanted = (options: unknown): boolean => (options as { readonly enabled?: unknown }).enabled !== false

/** @throws the error of a query, except "not found": pages show that themselves. */
async function fetchMissing(queries: QueryClient): Promise<number> {
  const missing = queries
    .getQueryCache()
    .getAll()
    .filter((query) => query.state.status === 'pending' && isWanted(query.options) && !isOfBrowser(query))
  const outcomes = await Promise.allSettled(missing.map((query) => query.fetch()))
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    const error: unknown = outcome.reason
    if (!isWaymarkProblem(error) || error.status !== 404) throw error
  }
  return missing.length
}

const hasFailed = (queries: QueryClient): boolean =>
  queries
    .getQueryCache()
    .getAll()
    .some(({ state }) => state.status === 'error')

/** Chunks are part of this file, but are still loaded asynchronously. */
const nextTurn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0))

/** @throws if data that the page needs is unavailable. */
export async function render({ url, locale, fetch }: RenderOptions): Promise<Rendered> {
  const data = createVisitorsData(fetch)
  const { queries } = data
  const router = createRouter({
    routeTree: tree,
    ...routerOptions,
    history: createMemoryHistory({ initialEntries: [basePath + url] }),
    scrollRestoration: false, // by a script in the page
  })
  try {
    await router.load()
    for (let pass = 0; pass < maxPasses; pass += 1) {
      speakTo(locale)
      const html = renderToString(<App data={data} router={router} />)
      const missing = await fetchMissing(queries)
      if (missing === 0 && !html.includes(unfinished)) {
        const state = hasFailed(queries) ? '' : writeState(stateOf(queries))
        return { html, state: state.length > 0 && state.length <= maxState ? state : undefined }
      }
      await nextTurn()
    }
    throw new Error('the page asks for ever more') // its address may hold a token, and this is logged
  } finally {
    queries.clear()
  }
}

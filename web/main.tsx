// The app's entry in a browser: takes over the page that the server rendered, or draws the page that the address names.
import 'virtual:palette.css'
import './ui/mantine-styles.ts'
import './ui/look.css'
import type { Query } from '@tanstack/react-query'
import { createRoot, hydrateRoot } from 'react-dom/client'
import type { SiteInfo } from '../client/client.ts'
import { App } from './app.tsx'
import { keys } from './data/keys.ts'
import { siteQuery } from './data/site.ts'
import { createData } from './data/waymark.tsx'
import { fill, isOfBrowser } from './rendering/page-state.ts'
import { hearPressed } from './rendering/pressed-before.ts'
import { keepTyped } from './rendering/typed-before.ts'
import { createAppRouter } from './router.tsx'

const place = document.querySelector('#root')
if (!place) throw new Error('the shell has no #root')

const data = createData()
const router = createAppRouter()

/** The server-rendered page is complete for visitors, and is hydrated as it is. */
async function takeOver(root: Element, sent: string): Promise<void> {
  fill(data.queries, sent)
  router.ssr = { manifest: undefined }
  await router.load()
  const tellTyped = keepTyped(root)
  hydrateRoot(root, <App data={data} router={router} />, { onRecoverableError: reportError })
  hearPressed(root)
  requestAnimationFrame(tellTyped)
  await lookAsViewer()
}

/**
 * The session is requested only now. Signed-in users may see more than visitors, so everything is fetched again for
 * them.
 */
async function lookAsViewer(): Promise<void> {
  const { queries } = data
  await queries.invalidateQueries({ queryKey: keys.site })
  if (!queries.getQueryData<SiteInfo>(keys.site)?.viewer) return
  const isOfVisitor = (query: Query): boolean => query.queryKey[0] !== keys.site[0] && !isOfBrowser(query)
  await queries.invalidateQueries({ predicate: isOfVisitor })
}

async function begin(root: Element): Promise<void> {
  // A placeholder of the page, removed once there is something in its place.
  if (root.hasChildNodes())
    await Promise.allSettled([router.load(), data.queries.prefetchQuery(siteQuery(data))])
  const drawn = new MutationObserver(() => {
    drawn.disconnect()
    hearPressed(root)
  })
  drawn.observe(root, { childList: true })
  createRoot(root).render(<App data={data} router={router} />)
}

// Not awaited: page chunks import from this file, and would wait for it.
const sent = document.querySelector('#waymark-state')?.textContent
if (sent === undefined || sent === null) void begin(place)
else void takeOver(place, sent)

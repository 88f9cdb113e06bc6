// A member on the pages of routes: a site with the app, a signed-in browser, and a trail.
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { addMember } from '../helpers/visitor.ts'
import { evaluate, openBrowser, type TestBrowser, type Visit, type VisitOptions } from './harness.ts'
import { startSite, type ServedSite } from './site.ts'

const walk = Array.from({ length: 60 }, (_, at) => {
  const [lat, lon] = [46.5 + at * 4e-4, 7.9 + Math.sin(at / 9) * 0.01]
  return `<trkpt lat="${lat}" lon="${lon}"><ele>${1_200 + at * 4}</ele><time>2026-05-14T09:${String(at).padStart(2, '0')}:00Z</time><hdop>2</hdop><extensions><hr>${100 + at}</hr></extensions></trkpt>`
}).join('\n')
/** With content that only the original keeps: a comment, and a heart rate. */
export const recordedGpx = `<?xml version="1.0" encoding="UTF-8"?>
<!-- of a watch --><gpx version="1.1" creator="Watch" xmlns="http://www.topografix.com/GPX/1/1">
<trk><name>Ridge walk</name><trkseg>${walk}</trkseg></trk></gpx>`

export const recordedFile = {
  name: 'ridge.gpx',
  mimeType: 'application/gpx+xml',
  buffer: Buffer.from(recordedGpx),
}

export interface RoutesScene extends Visit {
  readonly site: ServedSite
  readonly browser: TestBrowser
  readonly member: { readonly accountId: number; readonly token: string }
  signIn(page: Page): Promise<void>
  /** The routes according to the service. */
  stored(): Promise<readonly { routeID: number; name: string; visibility: string; pointCount: number }[]>
  gpxOf(routeId: number): Promise<string>
}

export async function openRoutes(
  t: TestContext,
  options: Partial<VisitOptions> = {},
): Promise<RoutesScene | undefined> {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return undefined
  const site = await startSite(t, { hasApp: true })
  const { email, password, accountId } = await addMember(site.waymark)
  const token = await site.waymark.tokenFor(accountId, 'routes:read routes:write')
  const visit = await browser.visit({ origins: [site.origin], ...options })
  const signIn = async (page: Page): Promise<void> => {
    await page.goto(`${site.url}/sign-in`)
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(password)
    await Promise.all([
      page.waitForURL((at) => at.pathname !== '/sign-in'),
      page.getByRole('button', { name: 'Sign in', exact: true }).click(),
    ])
  }
  await signIn(visit.page)
  const ask = async (path: string) => {
    const answer = await site.waymark.fetch(path, { token })
    return answer.json()
  }
  return {
    ...visit,
    site,
    browser,
    member: { accountId, token },
    signIn,
    stored: async () => {
      const set = (await ask(`/v2/accounts/${accountId}/routes`)) as {
        items: Awaited<ReturnType<RoutesScene['stored']>>
      }
      return set.items
    },
    gpxOf: async (routeId) => ((await ask(`/v2/routes/${routeId}`)) as { gpx: string }).gpx,
  }
}

/** A browser asks before a page with unsaved changes is left. */
export const acceptDialogs = (page: Page): void => void page.on('dialog', (dialog) => void dialog.accept())

/** The map is loaded, and the page handles its events. */
export async function waitForMap(page: Page): Promise<void> {
  // MapLibre labels its canvas before that, while a placeholder still covers it.
  await page.locator('.maplibregl-map[aria-busy=false] .maplibregl-canvas').waitFor()
}

/** Position and size of the map in the window. */
export async function mapBox(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await page.locator('.maplibregl-canvas').boundingBox()
  if (!box) throw new Error('there is no map')
  return box
}

/** Waits for the number shown beside `Points`. */
export async function waitForPoints(page: Page, count: number): Promise<void> {
  await page.locator('[data-fact=points]', { hasText: new RegExp(`^${count}$`) }).waitFor()
}

/** The length as shown. */
export const lengthShown = async (page: Page): Promise<string> =>
  (await page.locator('[data-fact=length]').textContent()) ?? ''

/** Polls from outside until the length changes, since the page's policy forbids evaluation. */
export async function waitForOtherLength(page: Page, length: string): Promise<void> {
  await page.locator('[data-fact=length]').filter({ hasNotText: length }).waitFor()
}

/** Polls until the result is true. */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  const until = performance.now() + 60_000
  while ((await evaluate(page, expression)) !== true)
    if (performance.now() > until) throw new Error(`never: ${expression}`)
}

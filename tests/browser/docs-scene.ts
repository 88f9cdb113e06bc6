// The docs in a browser, for a visitor.
import type { TestContext } from 'node:test'
import type { Environment } from '../../src/settings/config.ts'
import { startOfTime } from '../helpers/waymark.ts'
import { openBrowser, type VisitOptions } from './harness.ts'
import { startSite, type ServedSite } from './site.ts'

/** The app below a path, with the clock set to the browser's, which drops expired cookies. */
export async function startMounted(t: TestContext, environment: Environment = {}): Promise<ServedSite> {
  const site = await startSite(t, { hasApp: true, host: 'localhost', mountPath: '/photos', environment })
  site.waymark.system.advance(Date.now() - startOfTime)
  return site
}

/** @returns undefined if Chromium is not installed. */
export async function openDocs(t: TestContext, look: Partial<VisitOptions> = {}) {
  const browser = await openBrowser(t)
  if (!browser) return undefined
  const site = await startMounted(t)
  const visit = await browser.visit({ origins: [site.origin], ...look })
  const open = async (at: string): Promise<void> => {
    await visit.page.goto(`${site.url}/docs${at}`)
    await visit.page.getByRole('heading', { level: 1 }).waitFor()
    await visit.page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  }
  return { ...visit, site, open }
}

// The administration in a browser: a site with the app, a signed-in admin, and two trails.
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import type { Environment } from '../../src/settings/config.ts'
import { addMember, addSignedIn, type Member } from '../helpers/visitor.ts'
import { openBrowser, type Visit, type VisitOptions } from './harness.ts'
import { startMounted } from './docs-scene.ts'
import type { ServedSite } from './site.ts'

export interface AdminScene extends Visit {
  readonly site: ServedSite
  readonly admin: Member
  /** Signed in over plain HTTP, to see the effect of changes. */
  readonly member: Member
  /** Reloads the section. */
  readonly open: (part: string) => Promise<void>
  readonly press: (name: string | RegExp) => Promise<void>
  /** Once no request is pending. */
  readonly settled: () => Promise<void>
}

export async function signInAs(page: Page, { url }: ServedSite, { email, password }: Member): Promise<void> {
  await page.goto(`${url}/sign-in?next=/docs`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Docs' }).waitFor()
}

/** @returns undefined if Chromium is not installed. */
export async function openAdmin(
  t: TestContext,
  look: Partial<VisitOptions> = {},
  environment: Environment = {},
): Promise<AdminScene | undefined> {
  const browser = await openBrowser(t)
  if (!browser) return undefined
  const site = await startMounted(t, environment)
  await site.waymark.addTrail(4711, 'Rim Trail')
  await site.waymark.addTrail(4712, 'Creek Trail')
  const admin = await addMember(site.waymark, 'admin')
  const member = await addSignedIn(site.waymark)
  const visit = await browser.visit({ origins: [site.origin], ...look })
  const { page } = visit
  await signInAs(page, site, admin)
  const settled = async (): Promise<void> => {
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  }
  return {
    ...visit,
    site,
    admin,
    member,
    settled,
    open: async (part) => {
      await page.goto(`${site.url}/admin${part}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await settled()
    },
    press: (name) =>
      page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).click(),
  }
}

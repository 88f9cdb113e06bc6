// The account pages in a browser, with a signed-in user.
import type { TestContext } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import type { Role } from '../../src/database/schema.ts'
import { addMember, type Member } from '../helpers/visitor.ts'
import { startOfTime, type WaymarkOptions } from '../helpers/waymark.ts'
import { openBrowser, type TestBrowser, type Visit, type VisitOptions } from './harness.ts'
import { startSite, type ServedSite } from './site.ts'

export interface AccountScene extends Visit {
  readonly browser: TestBrowser
  readonly site: ServedSite
  readonly member: Member
  readonly main: ReturnType<Page['getByRole']>
  /** Navigates by the list, like a user. */
  readonly goTo: (section: string) => Promise<void>
  readonly press: (name: string | RegExp) => Promise<void>
}

export interface SceneOptions
  extends Pick<WaymarkOptions, 'environment'>, Pick<VisitOptions, 'colorScheme' | 'widthPx'> {
  readonly role?: Role
  readonly expectedStatuses?: readonly number[]
  readonly hasMaps?: boolean
}

async function signIn(page: Page, { url }: ServedSite, { email, password }: Member): Promise<void> {
  await page.goto(`${url}/sign-in?next=/account`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
}

export function actionsOn(page: Page) {
  return {
    main: page.getByRole('main'),
    goTo: async (section: string): Promise<void> => {
      await page
        .getByRole('navigation', { name: 'Account sections' })
        .getByText(section, { exact: true })
        .click()
      await page.getByRole('heading', { level: 2, name: section, exact: true }).waitFor()
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
    },
    press: (name: string | RegExp): Promise<void> =>
      page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).click(),
  }
}

/** A browser drops a cookie that has expired by its own clock, so the site's clock is set to today. */
export async function startToday(
  t: TestContext,
  options?: Parameters<typeof startSite>[1],
): Promise<ServedSite> {
  const site = await startSite(t, { hasApp: true, host: 'localhost', mountPath: '/photos', ...options })
  site.waymark.system.advance(Date.now() - startOfTime)
  return site
}

/** @returns undefined if Chromium is not installed. */
export async function openAccount(
  t: TestContext,
  options: SceneOptions = {},
): Promise<AccountScene | undefined> {
  const { role, environment, hasMaps = false, ...look } = options
  const browser = await openBrowser(t, { hasMaps })
  if (!browser) return undefined
  const site = await startToday(t, environment && { environment })
  await site.waymark.addTrail(4711, 'Rim Trail')
  const member = await addMember(site.waymark, role)
  const visit = await browser.visit({ origins: [site.origin], ...look })
  await signIn(visit.page, site, member)
  return { ...visit, browser, site, member, ...actionsOn(visit.page) }
}

/** Copied with the page's button, read from the clipboard. */
export async function copiedBy(scene: Pick<AccountScene, 'page' | 'press'>, label: string): Promise<string> {
  const { page, press } = scene
  const context: BrowserContext = page.context()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await press(label)
  await page.getByRole('button', { name: 'Copied' }).first().waitFor()
  return (await page.evaluate('navigator.clipboard.readText()')) as string
}

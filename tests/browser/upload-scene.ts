// Shared by the tests of the upload page: one browser and one site, rows and their states, and stored photos.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Member } from '../helpers/visitor.ts'
import {
  findingsInBothColours,
  openBrowser,
  type BrowserOptions,
  type TestBrowser,
  type Visit,
  type VisitOptions,
} from './harness.ts'
import { startSite, type ServedSite } from './site.ts'
import { enter, turnToToday } from './upload-fixtures.ts'

export interface Opened extends Visit {
  readonly site: ServedSite
  readonly member: Member
}

export interface Room {
  readonly browser: TestBrowser
  readonly site: ServedSite
}

export async function open(
  { browser, site }: Room,
  options: Partial<VisitOptions> = {},
  member?: Member,
): Promise<Opened> {
  const visit = await browser.visit({ origins: [site.origin], ...options })
  const person = await enter(visit.page, site, '/upload?trail=rim-trail', member)
  await visit.page.getByText('or paste them').waitFor()
  await showsTrail(visit.page, 'Rim Trail')
  return { ...visit, site, member: person }
}

/** The trail of the URL comes later than its field. */
export const showsTrail = (page: Page, name: string): Promise<void> =>
  page
    .locator(`[role=combobox][value=${JSON.stringify(name)}]`)
    .first()
    .waitFor()

/** One browser and one site for all tests; each has its own account and window. */
export async function prepare(t: TestContext, options: BrowserOptions = {}): Promise<Room | undefined> {
  const browser = await openBrowser(t, options)
  if (!browser) return undefined
  const site = await startSite(t, { hasApp: true })
  turnToToday(site)
  await site.waymark.addTrail(4711, 'Rim Trail', 'rim-trail')
  return { browser, site }
}

export const row = (page: Page, name: string): Locator => page.getByRole('article', { name, exact: true })

export const inState = (page: Page, state: string): Locator => page.locator(`article[data-state="${state}"]`)

/** Fails if nothing has changed for half a minute: fifty photos may take longer on a busy machine. */
export async function waitForCount(found: Locator, count: number, message: string): Promise<void> {
  let [before, end] = [NaN, 0]
  for (;;) {
    const now = await found.count()
    if (now === count) return
    if (now !== before) end = Date.now() + 30_000
    else if (Date.now() > end) assert.equal(now, count, message)
    before = now
    await found.page().waitForTimeout(30)
  }
}

export interface Stored {
  readonly title: string
  readonly lat: number | null
  readonly lon: number | null
  readonly mimeType: string
  readonly positionSource: string | null
  readonly positionAccuracy: number | null
  readonly takenAt: string | null
  readonly altitude: number | null
}

export async function stored({ member }: Pick<Opened, 'member'>): Promise<readonly Stored[]> {
  await member.post('/sign-in', { email: member.email, password: member.password })
  const answer = await member.call('GET', '/v2/images?limit=100', undefined, { 'x-waymark-page': '1' })
  assert.equal(answer.status, 200, answer.text)
  return (JSON.parse(answer.text) as { items: readonly Stored[] }).items
}

export async function lookAt(page: Page, name: string): Promise<void> {
  assert.deepEqual(await findingsInBothColours(page, name), [])
}

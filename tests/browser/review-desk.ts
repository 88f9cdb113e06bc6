// The review desk in a browser, with pending photos and reviewers.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { sendJson, sendPhoto } from '../helpers/review-desk.ts'
import { addSignedIn, type Member } from '../helpers/visitor.ts'
import { startOfTime, type Person, type Waymark } from '../helpers/waymark.ts'
import type { TestBrowser, Visit, VisitOptions } from './harness.ts'
import { startSite, type ServedSite } from './site.ts'

export interface TestDesk {
  readonly site: ServedSite
  readonly waymark: Waymark
  /** The submitter. */
  readonly ana: Person
  /** A reviewer who uses the API. */
  readonly sue: Person
  /** imageIDs of the photos, titled `Photo 1` and so on. */
  readonly ids: readonly number[]
}

export const trailId = 4711

export async function startDesk(t: TestContext, count: number): Promise<TestDesk> {
  const site = await startSite(t, { hasApp: true })
  const { waymark } = site
  // Browsers drop cookies that have expired by their own clock.
  waymark.system.advance(Date.now() - startOfTime)
  await waymark.addTrail(trailId, 'Heron Lake Loop', 'heron-lake-loop')
  const ana = await waymark.addPerson({ name: 'Ana' })
  const sue = await waymark.addPerson({ name: 'Sue', role: 'reviewer' })
  const ids: number[] = []
  for (let number = 1; number <= count; number += 1) {
    const id = await sendPhoto(waymark, ana, trailId)
    await describe(waymark, ana, id, { title: `Photo ${number}`, caption: 'At the lake.' })
    ids.push(id)
  }
  return { site, waymark, ana, sue, ids }
}

export async function describe(
  waymark: Waymark,
  person: Person,
  imageId: number,
  body: { readonly title?: string; readonly caption?: string },
): Promise<void> {
  const answer = await sendJson(waymark, 'PATCH', `/v2/images/${imageId}`, { body, person })
  assert.equal(answer.status, 200, await answer.text())
}

export interface DeskVisit extends Visit {
  readonly reviewer: Member
}

/** A signed-in reviewer on the page. */
export async function openDesk(
  browser: TestBrowser,
  { site, waymark }: TestDesk,
  { path = '/review', ...options }: Partial<VisitOptions> & { readonly path?: string } = {},
): Promise<DeskVisit> {
  const reviewer = await addSignedIn(waymark, 'reviewer')
  const visit = await browser.visit({ origins: [site.origin], ...options })
  const cookies = [...reviewer.jar].map(([name, value]) => ({ name, value, url: site.url }))
  await visit.context.addCookies(cookies)
  await visit.page.goto(site.url + path)
  return { ...visit, reviewer }
}

/** Cuts the page off from events, so that it learns of other decisions only from the server's response. */
export async function hearNothing(page: Page): Promise<void> {
  await page.route(/\/v2\/(events|review\/queue|images\/\d+$)/, (route) => route.abort('aborted'))
}

/** The current photo. */
export async function seen(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor()
}

export async function said(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor()
}

/** Until a key would activate it: a dialog takes the focus shortly after it appears. */
export async function focused(page: Page, found: Locator): Promise<void> {
  await found.and(page.locator(':focus')).waitFor()
}

interface State {
  readonly status: string
  readonly edited: boolean
}

export async function stateOf(waymark: Waymark, { token }: Person, imageId: number): Promise<State> {
  const answer = await waymark.fetch(`/v2/images/${imageId}`, { token })
  return (await answer.json()) as State
}

/** Decisions are sent in the background: waits until this one has arrived. */
export async function becomes(desk: TestDesk, imageId: number, status: string): Promise<void> {
  const until = Date.now() + 30_000
  let found = ''
  while (Date.now() < until) {
    found = (await stateOf(desk.waymark, desk.sue, imageId)).status
    if (found === status) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.equal(found, status)
}

export interface Move {
  readonly to: string
  readonly reason: string | null
  readonly note: string | null
}

export async function movesOf({ waymark, sue }: TestDesk, imageId: number): Promise<readonly Move[]> {
  const answer = await waymark.fetch(`/v2/images/${imageId}/history`, { token: sue.token })
  return ((await answer.json()) as { items: Move[] }).items
}

export async function claimerOf({ waymark, sue }: TestDesk, imageId: number): Promise<number | undefined> {
  const answer = await waymark.fetch('/v2/review/queue?limit=500', { token: sue.token })
  const { items } = (await answer.json()) as {
    items: readonly { imageID: number; queue: { claim: { acctID: number } | null } }[]
  }
  return items.find(({ imageID }) => imageID === imageId)?.queue.claim?.acctID
}

/** Polls until the condition holds. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000
  while (!(await holds())) {
    if (Date.now() > end) assert.fail(`never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

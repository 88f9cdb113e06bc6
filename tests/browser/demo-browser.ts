// A browser with a demo: signs in as its accounts, and finds the ids of its pages.
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { AppPage, DemoIds, Onlooker } from './app-pages.ts'
import type { DemoServer } from './demo-server.ts'
import { evaluate } from './harness.ts'

const settledWithinMs = 60_000

/** Signs out, and in again as the viewer. */
export async function signInAs(page: Page, { url, signIns }: DemoServer, as: Onlooker): Promise<void> {
  // An open page would keep sending requests as a signed-out user.
  await page.goto('about:blank')
  await page.context().clearCookies()
  if (as === 'visitor') return
  const { email, password } = signIns[as]
  await page.goto(`${url}/sign-in`)
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', password)
  await Promise.all([
    page.waitForURL((at) => at.pathname !== '/sign-in'),
    page.click('main button[type=submit]'),
  ])
}

/** Like a page's request, with the session cookie. */
async function ask<Answer>(page: Page, address: string): Promise<Answer> {
  return page.evaluate(async (at) => (await fetch(at)).json() as Promise<Answer>, address)
}

async function ownRouteOf(page: Page): Promise<number> {
  const { acctID } = await ask<{ acctID: number }>(page, '/v2/me')
  const { items } = await ask<{ items: { routeID: number }[] }>(page, `/v2/accounts/${acctID}/routes`)
  return items[0]?.routeID ?? 0
}

/** Leaves the member signed in. */
export async function demoIdsFrom(page: Page, demo: DemoServer): Promise<DemoIds> {
  await signInAs(page, demo, 'admin')
  const publicRouteId = await ownRouteOf(page)
  await signInAs(page, demo, 'member')
  type Trails = { items: { trailID: number; slug: string; images: number }[] }
  const trails = await ask<Trails>(page, '/v2/trails')
  const [trail] = trails.items.toSorted((one, other) => other.images - one.images)
  if (!trail) throw new Error('the demo has no trail')
  type Images = { items: { imageID: number }[] }
  const images = await ask<Images>(page, `/v2/trails/${trail.trailID}/images`)
  const imageId = images.items[1]?.imageID ?? 0
  return { slug: trail.slug, imageId, publicRouteId, ownRouteId: await ownRouteOf(page) }
}

const isSettled = `(!document.querySelector('#root') ||
    Object.keys(document.querySelector('#root')).some((name) => name.startsWith('__reactContainer'))) &&
  document.querySelectorAll('[class*=Skeleton-root][data-visible], [aria-busy=true]').length === 0 &&
  [...document.images].every((image) => image.complete || image.loading === 'lazy')`

/** Consecutive checks that must succeed, since nothing marks the time between two parts that load one after another. */
const settledLooks = 10

/**
 * Waits until nothing is loading: the app has started, there is no skeleton, and all pictures are loaded. Does not use
 * `waitForFunction` with a text, which the page's policy blocks as soon as it has to wait.
 */
export async function settle(page: Page): Promise<void> {
  const end = Date.now() + settledWithinMs
  for (let looks = 0; looks < settledLooks;) {
    looks = (await evaluate(page, isSettled)) === true ? looks + 1 : 0
    if (Date.now() > end) throw new Error(`${page.url()} is still loading`)
    await setTimeout(50)
  }
}

const maxPresses = 10

/** Opens the page, presses its keys, and waits until it is complete. */
export async function openPage(page: Page, { url }: DemoServer, shown: AppPage): Promise<void> {
  await page.goto(url + shown.path)
  await page.waitForSelector('h1')
  const ready = page.locator(shown.ready ?? 'h1').first()
  // A key pressed before the app has started has no effect, so it is pressed again.
  for (let left = maxPresses; shown.keys !== undefined && left > 0; left -= 1) {
    for (const key of shown.keys) await page.keyboard.press(key)
    if (
      await ready.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      )
    )
      break
  }
  await ready.waitFor()
  await settle(page)
}

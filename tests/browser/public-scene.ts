// Server-rendered pages in a browser: their URLs, and detecting hydration.
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { rimTrail, startGallery, type GalleryScene } from './gallery-scene.ts'
import { evaluate, openBrowser, type TestBrowser } from './harness.ts'

export const trail = `/t/${rimTrail.slug}`
export const isAlive =
  "Object.keys(document.querySelector('#root')).some((name) => name.startsWith('__reactContainer'))"
const aliveWithinMs = 30_000

export async function becomeAlive(page: Page): Promise<void> {
  const end = Date.now() + aliveWithinMs
  while ((await evaluate(page, isAlive)) !== true) {
    if (Date.now() > end) throw new Error(`${page.url()} has not become alive`)
    await page.waitForTimeout(50)
  }
  // React reports mismatches once it has processed the whole page.
  await page.waitForTimeout(300)
}

/** Holds back files with this name until it is called. */
export async function hold(page: Page, files: string): Promise<() => Promise<void>> {
  const held: (() => void)[] = []
  await page.route(files, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve))
    await route.continue().catch(() => undefined) // the page was left
  })
  return async () => {
    await page.unroute(files)
    for (const release of held.splice(0)) release()
  }
}

interface Scene extends GalleryScene {
  readonly browser: TestBrowser
  /** Every server-rendered page. */
  readonly addresses: readonly string[]
}

export async function open(t: TestContext): Promise<Scene | undefined> {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return undefined
  const scene = await startGallery(t, ['2023-05-14T09:08:07+02:00'])
  const addresses = ['/', trail, `${trail}?order=taken`, `${trail}/${scene.imageIds[0]}`]
  return { ...scene, browser, addresses }
}

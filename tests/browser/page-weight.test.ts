// Compressed scripts of a first visit by page, within the budget of the design page ux.md, in a browser.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { settle } from './demo-browser.ts'
import { rimTrail, startGallery } from './gallery-scene.ts'
import { openBrowser } from './harness.ts'

/** Before the first paint, plus everything loaded afterwards without user input; without the map, which may load late. */
const maxBytes = 175_000

/** All of web/map with its texts; the countries are drawn without a base map. */
const isOfMap = (name: string): boolean =>
  /^(map(-[a-z]+)*|maplibre|pmtiles-base|relief|layers|countries|geometry|colours|search-map|trail-lines)-/.test(
    name,
  )

/** Names and compressed sizes of the scripts that the page loads until it is idle. */
async function scriptsOf(page: Page, address: string, ready: string): Promise<Map<string, number>> {
  const sizes: Promise<readonly [string, number]>[] = []
  const weigh = (request: Request): void => {
    if (!request.url().endsWith('.js')) return
    const name = path.basename(new URL(request.url()).pathname)
    sizes.push(request.sizes().then(({ responseBodySize }) => [name, responseBodySize] as const))
  }
  page.on('requestfinished', weigh)
  await page.goto(address)
  await page.locator(ready).first().waitFor()
  await settle(page)
  await page.waitForLoadState('networkidle')
  // Nobody would wait for the size of a later one, which fails once the page is closed.
  page.off('requestfinished', weigh)
  return new Map(await Promise.all(sizes))
}

const sumOf = (sizes: Iterable<number>): number => [...sizes].reduce((sum, size) => sum + size, 0)

void test('a first visit: the scripts of each public page', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const { origin, url, imageIds } = await startGallery(t)
  const trail = `/t/${rimTrail.slug}`
  const pages = [
    ['trails', '/', 'main li a'],
    ['gallery', trail, '[data-image]'],
    ['photo', `${trail}/${imageIds[0]}`, 'main figure img'],
    ['docs', '/docs', 'main li a'],
    ['guide', '/docs/review', 'main h2'],
    ['reference', '/docs/api', 'main h2'],
  ] as const
  for (const [name, at, ready] of pages) {
    await t.test(`${name}: at most ${maxBytes / 1_000} kB`, async (t) => {
      // A new window without a cache.
      const { page, context } = await browser.visit({ origins: [origin] })
      const sizes = [...(await scriptsOf(page, url + at, ready))]
      await context.close()
      const map = sumOf(sizes.filter(([file]) => isOfMap(file)).map(([, size]) => size))
      const bytes = sumOf(sizes.map(([, size]) => size)) - map
      t.diagnostic(`${bytes} bytes in ${sizes.length} scripts, the map ${map} more`)
      assert.ok(bytes > 50_000, `${bytes} bytes: the scripts were not seen`)
      assert.ok(bytes <= maxBytes, `${bytes} bytes`)
    })
  }
})

// Software-rendered maps: not blank, in both colour schemes, with clickable pins, and chunks within their budget.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { startGallery } from './gallery-scene.ts'
import { findingsInEveryLook, openBrowser } from './harness.ts'

/** Coarse colours of the pixels by frequency; a single one means a blank map. */
async function coloursOn(page: Page): Promise<string[]> {
  const picture = await page.locator('.maplibregl-canvas').screenshot()
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const counts = new Map<string, number>()
  for (let at = 0; at < data.length; at += info.channels) {
    const colour = [0, 1, 2].map((channel) => (data[at + channel] ?? 0) >> 3).join(' ')
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > 15)
    .toSorted(([, one], [, other]) => other - one)
    .map(([colour]) => colour)
}

const coarse = (hex: string): string =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) >> 3).join(' ')

/** Until all these colours appear: MapLibre fades between colours, for longer on a busy machine. */
async function waitForColours(page: Page, hexes: readonly string[]): Promise<string[]> {
  const end = Date.now() + 30_000
  for (;;) {
    const colours = await coloursOn(page)
    if (hexes.every((hex) => colours.includes(coarse(hex)))) return colours
    assert.ok(Date.now() < end, `${hexes.join(', ')} not among ${colours.join(', ')}`)
  }
}

void test('the map of a trail: its line and pins in light and dark, a pin opens its photo, no requests to other servers', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const { origin, url, imageIds } = await startGallery(t)
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v2/tiles/')) asked.push(request.headers()['x-waymark-page'] ?? '')
  })
  await page.goto(`${url}/t/rim-trail`)
  await page.locator('.maplibregl-map[aria-busy=false]').waitFor()
  const light = await waitForColours(page, ['#f6f3e9', '#1d6546'])
  assert.ok(light.length > 5, `${light.length} colours`)
  assert.ok(asked.length > 0 && asked.every((page) => page === '1'))

  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.waitForSelector('html[data-mantine-color-scheme=dark]')
  await waitForColours(page, ['#1a231f', '#7fcca3'])

  // Hovering over a pin highlights its tile; a click opens the photo.
  assert.deepEqual(await findingsInEveryLook(page, 'gallery with its map'), [])
  await page.goto(url)
  await page.locator('.maplibregl-map[aria-busy=false]').waitFor()
  assert.deepEqual(await findingsInEveryLook(page, 'trails with their map'), [])
  await page.goto(`${url}/t/rim-trail`)
  await page.locator('.maplibregl-map[aria-busy=false]').waitFor()
  const canvas = page.locator('.maplibregl-canvas')
  await canvas.scrollIntoViewIfNeeded()
  const box = await canvas.boundingBox()
  assert.ok(box)
  const name = await canvas.getAttribute('aria-label')
  assert.match(String(name), /Map of Rim Trail/)
  const bounds = { west: 7, east: 7.05, middle: 46.005 }
  const paddingPx = 44
  const y = (lat: number): number => Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360))
  const perDegree = Math.min(
    (box.width - 2 * paddingPx) / (bounds.east - bounds.west),
    ((box.height - 2 * paddingPx) * Math.PI) / 180 / (y(46.01) - y(46)),
  )
  const at = {
    x: box.x + box.width / 2 + (7.01 - 7.025) * perDegree,
    y: box.y + box.height / 2 - ((y(46.005) - (y(46) + y(46.01)) / 2) * 180 * perDegree) / Math.PI,
  }
  await page.mouse.move(at.x, at.y)
  await page.locator(`[data-image="${imageIds[0]}"][data-pointed]`).waitFor()
  await page.mouse.click(at.x, at.y)
  await page.waitForURL(`**/t/rim-trail/${imageIds[0]}`)
  await page.getByRole('dialog').getByText('Dawn').waitFor()
  assert.deepEqual(pageErrors, [])
})

// A base map that cannot be loaded: everyone sees the world's outlines, reviewers and admins see the reason, and once it
// is available the next visit shows it.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Role } from '../../src/database/schema.ts'
import { vectorArchive } from '../helpers/map-archives.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startOfTime } from '../helpers/waymark.ts'
import { openBrowser, type TestBrowser } from './harness.ts'
import { askMap, layers, makeMapFiles, putMapFiles, region, waitForMap, type MapFiles } from './map-scene.ts'
import { startSite, type ServedSite } from './site.ts'

const elsewhere = 'https://tiles.example'

async function startPlainSite(t: TestContext, environment: Record<string, string> = {}): Promise<ServedSite> {
  const site = await startSite(t, { hasApp: true, environment })
  site.waymark.system.advance(Date.now() - startOfTime)
  await site.waymark.addTrail(4711, 'Rim Trail', 'rim-trail')
  return site
}

/** The map of the trail list, for a user with a role, or for a visitor. */
async function look(browser: TestBrowser, site: ServedSite, role?: Role) {
  const visit = await browser.visit({ origins: [site.origin, elsewhere], expectedStatuses: [404, 500] })
  if (role) {
    const { jar } = await addSignedIn(site.waymark, role)
    await visit.context.addCookies([...jar].map(([name, value]) => ({ name, value, url: site.url })))
  }
  return visit
}

const isOutline = `map.getLayer('graticule') !== undefined && map.getSource('base') === undefined`

/** Without a message for visitors, with one for reviewers. */
async function expectOutline(browser: TestBrowser, site: ServedSite, sentence: RegExp): Promise<void> {
  for (const role of [undefined, 'member', 'reviewer'] as const) {
    const { page, context } = await look(browser, site, role)
    await page.goto(`${site.url}/`)
    await waitForMap(page, 'graticule')
    assert.equal(await askMap(page, isOutline), true)
    const reported = page.getByRole('status').filter({ hasText: sentence })
    if (role === 'reviewer') await reported.waitFor()
    else assert.equal(await reported.count(), 0, `${role} is told`)
    await context.close()
  }
}

async function expectBase(browser: TestBrowser, site: ServedSite): Promise<void> {
  const { page, context } = await look(browser, site, 'reviewer')
  await page.goto(`${site.url}/`)
  await waitForMap(page, 'earth')
  assert.equal(await page.getByText(/Only reviewers and admins see this/).count(), 0)
  await context.close()
}

void test('a map file that is damaged, in another format, or truncated: the outlines, until there is a good one', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const site = await startPlainSite(t)
  const put = (files: MapFiles): Promise<void> => putMapFiles(site.waymark, files)
  const good = vectorArchive(layers, region)

  await put({ base: Buffer.alloc(50_000, 'no map') })
  await expectOutline(browser, site, /map file of this site could not be read/)

  await put({ base: vectorArchive({ transportation: layers['roads'] ?? [] }, region) })
  await expectOutline(browser, site, /no layers that Waymark can draw/)

  // Its header is valid, but the tiles are gone.
  await put({ base: good.subarray(0, Number(good.readBigUInt64LE(56))) })
  await expectOutline(browser, site, /base map of this site could not be loaded/)

  await put({ base: good })
  await expectBase(browser, site)
  await rm(path.join(site.waymark.dataDir, 'map', 'base.pmtiles'))
})

void test('a terrain file that cannot be read leaves the base map intact', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const site = await startPlainSite(t)
  const { base } = await makeMapFiles()
  await putMapFiles(site.waymark, { base, terrain: base })
  const { page } = await look(browser, site, 'admin')
  await page.goto(`${site.url}/`)
  await waitForMap(page, 'earth')
  await page.getByText(/terrain file of this site could not be read/).waitFor()
  assert.equal(await askMap(page, `map.getLayer('contours') === undefined`), true)
})

void test('a style whose tiles do not load, or that does not load itself: the outlines, at the same position', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const site = await startPlainSite(t, { MAP_STYLE_URL: `${elsewhere}/style.json` })
  const style = {
    version: 8,
    sources: {
      land: { type: 'vector', tiles: [`${elsewhere}/{z}/{x}/{y}.pbf`], attribution: 'Made elsewhere' },
    },
    layers: [{ id: 'earth', type: 'fill', source: 'land', 'source-layer': 'earth' }],
  }
  for (const [isStyleLost, sentence] of [
    [false, /base map of this site could not be loaded/],
    [true, /map style of this site could not be loaded/],
  ] as const)
    for (const role of ['reviewer', 'member'] as const) {
      const { page, context } = await look(browser, site, role)
      await context.route(`${elsewhere}/**`, (route) => {
        const isStyle = new URL(route.request().url()).pathname === '/style.json'
        const headers = { 'access-control-allow-origin': '*' }
        return isStyle && !isStyleLost
          ? route.fulfill({ json: style, headers })
          : route.fulfill({ status: 500, headers })
      })
      await page.goto(`${site.url}/?box=6,45,8,47`)
      await waitForMap(page, 'graticule')
      const reported = page.getByRole('status').filter({ hasText: sentence })
      if (role === 'reviewer') await reported.waitFor()
      else assert.equal(await reported.count(), 0)
      assert.equal(await page.getByText('Made elsewhere').count(), 0)
      await context.close()
    }
})

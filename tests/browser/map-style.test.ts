// A map style of another origin in a real browser: blocked origins are reported to an admin, allowed ones are loaded, and
// attribution is legible in both colour schemes. Requests to the other origins are intercepted here.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { addSignedIn } from '../helpers/visitor.ts'
import { startOfTime } from '../helpers/waymark.ts'
import { evaluate, findingsInBothColours, openBrowser, type TestBrowser } from './harness.ts'
import { startSite } from './site.ts'
import { until } from './trail-scene.ts'

const style = {
  version: 8,
  sources: {
    land: {
      type: 'geojson',
      data: { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [0, 0] } },
      attribution: '<a href="https://tiles.example/about">© the map makers</a>',
    },
    roads: { type: 'vector', url: 'https://data.example/roads.json' },
  },
  layers: [
    { id: 'background', type: 'background', paint: { 'background-color': '#dde7dd' } },
    { id: 'land', type: 'circle', source: 'land' },
    { id: 'roads', type: 'line', source: 'roads', 'source-layer': 'roads' },
  ],
}

async function look(t: TestContext, browser: TestBrowser, role: 'admin' | 'member', allowed: string) {
  const site = await startSite(t, {
    hasApp: true,
    environment: { MAP_STYLE_URL: 'https://tiles.example/style.json', MAP_STYLE_ORIGINS: allowed },
  })
  const { waymark } = site
  waymark.system.advance(Date.now() - startOfTime)
  await waymark.addTrail(4711, 'Rim Trail', 'rim-trail')
  const member = await addSignedIn(waymark, role)
  const visit = await browser.visit({
    origins: [site.origin, 'https://tiles.example', 'https://data.example'],
  })
  const cookies = [...member.jar].map(([name, value]) => ({ name, value, url: site.url }))
  await visit.context.addCookies(cookies)
  const asked: string[] = []
  await visit.context.route(/^https:\/\/(?:tiles|data)\.example\//, (route) => {
    const { pathname, origin } = new URL(route.request().url())
    asked.push(origin)
    const body =
      pathname === '/style.json'
        ? style
        : { tilejson: '3.0.0', tiles: ['https://data.example/{z}/{x}/{y}.pbf'] }
    return route.fulfill(
      pathname.endsWith('.json')
        ? { json: body, headers: { 'access-control-allow-origin': '*' } }
        : { status: 204, headers: { 'access-control-allow-origin': '*' } },
    )
  })
  await visit.page.goto(`${site.url}/`)
  await visit.page.locator('.maplibregl-map').waitFor()
  return { ...visit, asked }
}

const colours = `(() => {
  const { backgroundColor } = getComputedStyle(document.querySelector('.maplibregl-ctrl-attrib'))
  const surface = document.createElement('i')
  surface.style.backgroundColor = 'var(--surface)'
  document.querySelector('.maplibregl-ctrl-attrib').append(surface)
  const expected = getComputedStyle(surface).backgroundColor
  surface.remove()
  return [backgroundColor, expected]
})()`

void test('admins see what the CSP blocks of a style, with the setting that allows it', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const { page, asked } = await look(t, browser, 'admin', '')
  await page.getByText('https://data.example').waitFor()
  await page.getByText('MAP_STYLE_ORIGINS').waitFor()
  assert.ok(!asked.includes('https://data.example'), 'the policy holds')
  assert.deepEqual(await findingsInBothColours(page, 'map-style'), [])
})

void test('origins that the operator allows are loaded, without any notice', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const { page, asked, pageErrors } = await look(t, browser, 'admin', 'https://data.example')
  await page.locator('.maplibregl-map[aria-busy=false]').waitFor()
  assert.ok(asked.includes('https://data.example'))
  assert.equal(await page.getByText('MAP_STYLE_ORIGINS').count(), 0)
  await page.getByText('© the map makers').waitFor()
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  const [shown, expected] = (await evaluate(page, colours)) as readonly string[]
  assert.equal(shown, expected, 'the attribution is as dark as the page')
  assert.deepEqual(pageErrors, [])
})

void test('members are not told what only the operator can fix', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const { page, pageErrors } = await look(t, browser, 'member', '')
  const isBlocked = async () => pageErrors.some((pageError) => pageError.includes('https://data.example'))
  await until(isBlocked, 'the policy blocks nothing')
  assert.equal(await page.getByText('MAP_STYLE_ORIGINS').count(), 0)
})

// A site's map and terrain files as drawn: paths, names, heights, in both colour schemes, units and languages, with
// attribution. Nothing is loaded from elsewhere.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { styleColours } from '../../web/map/style/map-style-colours.ts'
import { startGallery } from './gallery-scene.ts'
import { evaluate, openBrowser, type TestBrowser, type VisitOptions } from './harness.ts'
import { askMap, heightAt, makeMapFiles, moveMap, namesOn, putMapFiles, waitForMap } from './map-scene.ts'
import { until } from './trail-scene.ts'

type RGB = readonly [number, number, number]

const rgbOf = (hex: string): RGB => {
  const part = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}

/** Share of the canvas within a few steps of a colour; hill shading lies over it. */
async function shareOf(page: Page, hex: string, maxSteps = 10): Promise<number> {
  const wanted = rgbOf(hex)
  const picture = await page.locator('.maplibregl-canvas').screenshot()
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  let count = 0
  for (let at = 0; at < data.length; at += info.channels)
    if (wanted.every((value, channel) => Math.abs(value - (data[at + channel] ?? 0)) <= maxSteps)) count += 1
  return count / (info.width * info.height)
}

async function startSiteWithMap(t: TestContext) {
  const scene = await startGallery(t)
  await putMapFiles(scene.waymark, await makeMapFiles())
  return scene
}

async function look(
  browser: TestBrowser,
  { url, origin }: { readonly url: string; readonly origin: string },
  options: Omit<VisitOptions, 'origins'> & { readonly language?: string } = {},
) {
  const { language, ...visited } = options
  const visit = await browser.visit({ origins: [origin], ...visited })
  if (language !== undefined)
    await visit.context.addCookies([{ name: 'waymark_language', value: language, url }])
  await visit.page.goto(`${url}/t/rim-trail`)
  await waitForMap(visit.page, 'contours')
  return visit
}

void test('a browser that draws slowly shows the relief too', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const scene = await startSiteWithMap(t)
  const { page, pageErrors } = await browser.visit({ origins: [scene.origin] })
  await page.addInitScript(`{
    const next = window.requestAnimationFrame
    window.requestAnimationFrame = (draw) => setTimeout(() => next(draw), 500)
  }`)
  await page.goto(`${scene.url}/t/rim-trail`)
  await waitForMap(page, 'contours')
  assert.deepEqual(pageErrors, [])
})

/** Every vertex of a contour line with its height, which the formula must confirm. */
const corners = `map.querySourceFeatures('contours', { sourceLayer: 'contours' }).flatMap(({ geometry, properties }) =>
  (geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates).flat()
    .map(([lon, lat]) => [lon, lat, properties.feet ?? properties.metres]))`

/** From now on, what is written at a contour line in any frame, with a place on the line. */
const noteHeights = `(map.noted = [], map.on('render', () => map.noted.push(
  ...map.queryRenderedFeatures({ layers: ['contour-names'] }).map(({ geometry, layer }) =>
    [String(layer.layout['text-field']), ...geometry.coordinates.flat(Infinity).slice(0, 2)]))), true)`

void test('a map file: features for hikers are drawn in light and dark, and nothing is loaded from other servers', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const scene = await startSiteWithMap(t)
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, pageErrors, context } = await look(browser, scene, { colorScheme })
    const { path, water, forest, major, land } = styleColours[colorScheme]
    // The map is small: one view of the slope, one of the valley.
    await moveMap(page, 7.012, 46.012, 15)
    assert.ok((await shareOf(page, path, 24)) > 0.000_5, `${colorScheme}: no path`)
    assert.ok((await shareOf(page, forest, 40)) > 0.05, `${colorScheme}: no forest`)
    const foot = await askMap(page, `map.queryRenderedFeatures({ layers: ['paths'] }).length`)
    assert.ok(Number(foot) > 0)
    await moveMap(page, 7.036, 45.993, 14.6)
    assert.ok((await shareOf(page, major.fill, 24)) > 0.002, `${colorScheme}: no road`)
    const kinds = (await askMap(
      page,
      `[...new Set(map.queryRenderedFeatures().map(({ layer }) => layer.id))]`,
    )) as string[]
    for (const id of ['major', 'major-casing', 'minor', 'service', 'buildings', 'road-names', 'places'])
      assert.ok(kinds.includes(id), `${colorScheme}: no ${id} among ${kinds.join(', ')}`)
    await moveMap(page, 7.03, 46.022, 13.4)
    assert.ok((await shareOf(page, water, 40)) > 0.05, `${colorScheme}: no lake`)
    await moveMap(page, 7.025, 46.002, 17)
    const near = (await askMap(page, `map.queryRenderedFeatures().map(({ layer }) => layer.id)`)) as string[]
    assert.ok(near.includes('steps'), 'tiles of zoom 15 are drawn larger')
    assert.ok((await shareOf(page, land, 60)) > 0.2)
    assert.deepEqual(pageErrors, [])
    await context.close()
  }
})

void test("names: in the viewer's language if a tile has it, peaks with their height", async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const scene = await startSiteWithMap(t)
  const expected = { en: ['Still Lake', 'Upper Village'], de: ['Stiller See', 'Oberdorf'] } as const
  for (const language of ['en', 'de'] as const) {
    const { page, pageErrors, context } = await look(browser, scene, { language })
    await moveMap(page, 7.033, 46.02, 13)
    const field = (layer: string): string =>
      `map.queryRenderedFeatures({ layers: ['${layer}'] }).map(({ layer }) => layer.layout['text-field'])`
    const [lake, village] = expected[language]
    assert.match(JSON.stringify(await askMap(page, field('water-names'))), new RegExp(lake))
    await moveMap(page, 7.035, 45.992, 13)
    assert.match(JSON.stringify(await askMap(page, field('places'))), new RegExp(village))
    await moveMap(page, 7.055, 46.028, 13)
    assert.deepEqual(await namesOn(page, 'peaks'), ['Grey Peak'])
    const isGerman = language === 'de'
    // Headless Chromium is American: feet, unless the user prefers metres.
    assert.match(JSON.stringify(await askMap(page, field('peaks'))), isGerman ? /7\.930 ft/ : /7,930 ft/)
    assert.deepEqual(pageErrors, [])
    await context.close()
  }
})

void test('contour lines are where the heights say, and change with the units at once', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const scene = await startSiteWithMap(t)
  const { page, pageErrors } = await look(browser, scene)
  await moveMap(page, 7.03, 46.005, 13)

  async function measure(metresPerUnit: number) {
    const found = (await askMap(page, corners)) as [number, number, number][]
    const off = found.map(([lon, lat, height]) => heightAt(lon, lat) - height * metresPerUnit)
    // At the edge of a tile, half of the input of a height is missing; a pixel of the heights is 26 m wide.
    return { found, off, far: off.filter((metres) => Math.abs(metres) > 3).length }
  }

  async function heights(metresPerUnit: number): Promise<Set<number>> {
    const { found, off, far } = await measure(metresPerUnit)
    assert.ok(found.length > 500, `${found.length} corners`)
    const usual = Math.sqrt(off.reduce((sum, metres) => sum + metres ** 2, 0) / off.length)
    assert.ok(usual < 1, `${usual} m off`)
    assert.ok(far < off.length / 100, `${far} of ${off.length} are off`)
    return new Set(found.map(([, , height]) => height))
  }

  const inFeet = await heights(0.3048)
  assert.ok([...inFeet].every((height) => height % 100 === 0))
  await page.locator('.maplibregl-ctrl-scale', { hasText: 'ft' }).waitFor()
  assert.match(JSON.stringify(await askMap(page, `map.getSource('marks').serialize().data`)), /"1 mi"/)

  await askMap(page, noteHeights)
  await page.locator('header button[aria-haspopup=menu]').last().click()
  await page.getByRole('menuitemradio', { name: 'Kilometres and metres' }).click()
  await page.keyboard.press('Escape')
  await page.locator('.maplibregl-ctrl-scale', { hasText: /\d\s*k?m$/ }).waitFor()
  // Each tile shows lines in feet until those in metres have come.
  await until(async () => {
    const { found, far } = await measure(1)
    return found.length > 500 && far < found.length / 100
  }, 'contour lines in metres')
  const inMetres = await heights(1)
  assert.ok([...inMetres].every((height) => height % 20 === 0))
  assert.ok(inMetres.size > 5)
  assert.match(JSON.stringify(await askMap(page, `map.getSource('marks').serialize().data`)), /"1 km"/)
  const noted = async () => (await askMap(page, 'map.noted')) as [string, number, number][]
  // MapLibre places names in a later frame than it draws lines.
  await until(async () => (await noted()).some(([text]) => /\d m$/.test(text)), 'heights in metres')
  for (const [text, lon, lat] of await noted()) {
    const metres = Number.parseInt(text.replace(',', ''), 10) * (text.endsWith(' ft') ? 0.3048 : 1)
    assert.ok(Math.abs(heightAt(lon, lat) - metres) < 30, `${text} at ${heightAt(lon, lat)} m`)
  }
  assert.deepEqual(pageErrors, [])
})

const attribution = `(() => {
  const element = document.querySelector('.maplibregl-ctrl-attrib')
  const [shown, whole] = [element.getBoundingClientRect(), document.querySelector('.maplibregl-map').getBoundingClientRect()]
  const light = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number)
    .map((value) => value / 255).map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0)
  const back = light(getComputedStyle(element).backgroundColor)
  const contrast = (one) => (Math.max(one, back) + 0.05) / (Math.min(one, back) + 0.05)
  return {
    text: element.innerText,
    links: [...element.querySelectorAll('a')].map(({ href }) => href),
    isWithin: shown.left >= whole.left && shown.right <= whole.right && shown.bottom <= whole.bottom,
    contrasts: [element, ...element.querySelectorAll('a')].map((one) => contrast(light(getComputedStyle(one).color))),
  }
})()`

void test('the attribution is legible in both colour schemes and on a phone, with a link to OpenStreetMap', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const scene = await startSiteWithMap(t)
  for (const [colorScheme, widthPx] of [
    ['light', 1_280],
    ['dark', 390],
  ] as const) {
    const { page, context } = await look(browser, scene, { colorScheme, widthPx })
    // MapLibre adds a source's part in a later frame than its layers.
    const shown = page.locator('.maplibregl-ctrl-attrib')
    for (const part of ['Protomaps © OpenStreetMap', 'Heights of a formula'])
      await shown.filter({ hasText: part }).waitFor()
    const read = (await evaluate(page, attribution)) as {
      readonly text: string
      readonly links: readonly string[]
      readonly isWithin: boolean
      readonly contrasts: readonly number[]
    }
    assert.match(read.text, /Protomaps © OpenStreetMap/)
    assert.match(read.text, /Heights of a formula/)
    assert.deepEqual(read.links, ['https://www.openstreetmap.org/copyright'])
    assert.ok(read.isWithin, 'it is cut off')
    assert.ok(Math.min(...read.contrasts) >= 4.5, read.contrasts.join(', '))
    await context.close()
  }
})

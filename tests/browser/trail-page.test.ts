// A trail's page: facts, description, elevations and photos, which are linked to each other; printed, and without
// scripts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import {
  evaluate,
  findingsInEveryLook,
  openBrowser,
  ownConnection,
  shoot,
  sidewaysScroll,
} from './harness.ts'
import { startTrail, until, untilAlive } from './trail-scene.ts'

const taken = [
  '2024-05-20T06:00:00+02:00',
  '2023-08-02T12:00:00+02:00',
  '2024-06-20T07:00:00+02:00',
  '2022-12-31T23:30:00-05:00',
]
const query = (page: Page): URLSearchParams => new URL(page.url()).searchParams
const facts = (page: Page): Locator => page.getByLabel('Facts')
const dot = (page: Page, imageId: number | undefined): Locator => page.locator(`[data-dot="${imageId}"]`)
const tile = (page: Page, imageId: number | undefined): Locator => page.locator(`[data-image="${imageId}"]`)
const slider = (page: Page): Locator => page.getByRole('slider', { name: 'Position along the trail' })
const isPointed = async (place: Locator): Promise<boolean> =>
  (await place.getAttribute('data-pointed')) !== null
/** To the corner of the window: scrolling would move something else below the pointer, which would be highlighted. */
const takePointerAway = (page: Page): Promise<void> => page.mouse.move(0, 0)

void test('the page: facts, sanitised text, downloads, filters by year and month, in every colour scheme', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url } = await startTrail(t, taken)
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${url}/t/rim-trail`)
  await page.locator('[data-image]').nth(3).waitFor()
  assert.match(await facts(page).innerText(), /Length\s+2\.\d+ mi\s+Ascent\s+1,312 ft\s+Descent\s+656 ft/)
  assert.match(
    await facts(page).innerText(),
    /Highest point\s+3,937 ft\s+Lowest point\s+2,625 ft\s+Photos\s+4/,
  )
  const picture = page.getByRole('link', { name: 'Photo: Dusk' })
  assert.equal(await picture.locator('img').getAttribute('fetchpriority'), 'high')

  const park = page.getByRole('link', { name: 'the park' })
  assert.equal(await park.getAttribute('rel'), 'nofollow ugc noopener')
  await page.getByText('Raw <b onclick="x()">HTML</b> and bad').waitFor()
  assert.equal(await page.locator('a[href^=javascript]').count(), 0)
  await page.getByText('Read more').click()
  await page.getByText('closed in winter').waitFor()

  for (const [name, type] of [
    ['GPX', 'application/gpx+xml'],
    ['KML', 'application/vnd.google-earth.kml+xml'],
    ['GeoJSON', 'application/geo+json'],
  ] as const) {
    const at = await page.getByRole('link', { name, exact: true }).getAttribute('href')
    const answer = await page.request.get(origin + String(at), { headers: ownConnection })
    assert.equal(answer.status(), 200)
    assert.match(String(answer.headers()['content-type']), new RegExp(type.replaceAll(/[.+]/g, '\\$&')))
  }

  const filter = page.getByRole('navigation', { name: 'Taken in' })
  await filter.getByRole('link', { name: '2024 (2)' }).click()
  await page.getByText('2 photos found').waitFor()
  assert.equal(query(page).get('taken'), '2024')
  await filter.getByRole('link', { name: 'June 2024 (1)' }).click()
  await page.getByText('1 photo found').waitFor()
  assert.equal(query(page).get('taken'), '2024-06')
  assert.equal(await filter.getByRole('link', { name: 'June 2024 (1)' }).getAttribute('aria-current'), 'page')
  await filter.getByRole('link', { name: 'All dates' }).click()
  await page.locator('[data-image]').nth(3).waitFor()
  assert.deepEqual(await findingsInEveryLook(page, 'trail'), [])
  assert.deepEqual(pageErrors, [])
})

void test('profile, photos and map highlight each other; keys move along the trail and open a photo', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const { origin, url, imageIds } = await startTrail(t)
  const [dawn, bend, , dusk] = imageIds
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${url}/t/rim-trail`)
  await dot(page, dawn).waitFor()
  await untilAlive(page)
  assert.equal(await page.locator('[data-dot]').count(), 3, 'one has no place')

  await dot(page, bend).hover()
  await until(() => isPointed(tile(page, bend)), 'the dot points at its tile')
  assert.ok(await isPointed(dot(page, bend)))
  await tile(page, dusk).hover()
  await until(() => isPointed(dot(page, dusk)), 'the tile points at its dot')
  assert.ok(!(await isPointed(dot(page, bend))))
  // Chromium sends only this if the element that was hovered before has left the page.
  const cameFromRemoved = `new MouseEvent('mouseover', { bubbles: true, relatedTarget: document.querySelector('main') })`
  await evaluate(page, `document.querySelector('[data-image="${bend}"]').dispatchEvent(${cameFromRemoved})`)
  await until(
    () => isPointed(dot(page, bend)),
    'a pointer that comes from a removed element highlights the photo',
  )

  await takePointerAway(page)
  await slider(page).focus()
  await page.keyboard.press('Home')
  assert.match(String(await slider(page).getAttribute('aria-valuetext')), /^0 mi, elevation 2,625 ft$/)
  await page.keyboard.press('PageUp')
  await until(() => isPointed(tile(page, dawn)), 'the first photo along the trail')
  assert.match(String(await slider(page).getAttribute('aria-valuetext')), /photo: Dawn$/)
  await page.keyboard.press('PageUp')
  await page.keyboard.press('PageUp')
  await until(() => isPointed(tile(page, dusk)), 'the last')
  await page.keyboard.press('PageDown')
  await until(() => isPointed(tile(page, bend)), 'the one before')

  // Pointing at the profile marks the map, and pointing at the line moves the profile's cursor.
  await page.locator('.maplibregl-map[aria-busy=false]').waitFor()
  const mark = page.locator('.maplibregl-canvas-container > div[class*=here]')
  await mark.waitFor()
  await page.locator('.maplibregl-canvas').scrollIntoViewIfNeeded()
  const place = await mark.boundingBox()
  assert.ok(place)
  const along = String(await slider(page).getAttribute('aria-valuetext'))
  await slider(page).blur()
  await mark.waitFor({ state: 'hidden' })
  await page.mouse.move(place.x + place.width / 2 - 30, place.y + place.height / 2 + 20)
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2, { steps: 4 })
  await mark.waitFor()
  await until(
    async () => (await slider(page).getAttribute('aria-valuetext'))?.split(',')[0] === along.split(',')[0],
    `the same miles: ${along}, ${await slider(page).getAttribute('aria-valuetext')}`,
  )

  await takePointerAway(page)
  await mark.waitFor({ state: 'hidden' })
  await slider(page).focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('PageUp')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/t/rim-trail/${dawn}`)
  const viewer = page.getByRole('dialog')
  await viewer.getByText('Dawn').waitFor()
  await viewer.getByText(/^Mile 0\.\d of 2\.\d$/).waitFor()
  await page.goBack()
  await viewer.waitFor({ state: 'detached' })

  // The viewer continues in the chosen order.
  await page.goto(`${url}/t/rim-trail?order=along`)
  await untilAlive(page)
  await dot(page, bend).click()
  await viewer.getByText('The <b>bend</b>').first().waitFor()
  await page.keyboard.press('ArrowRight')
  await page.waitForURL(`**/t/rim-trail/${dusk}?order=along`)
  await page.goto(`${url}/t/rim-trail?order=line`)
  await tile(page, dawn).waitFor()
  assert.equal(await page.getByLabel('Sort by').inputValue(), 'along', 'an address from before')
  assert.deepEqual(pageErrors, [])
})

void test('in print: title, facts, text, profile, the line as a drawing, photos and the URL, and no navigation bars', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url, imageIds } = await startTrail(t)
  const { page, pageErrors } = await browser.visit({ origins: [origin], colorScheme: 'dark', widthPx: 720 })
  // Closing a session of the harness resets the emulation.
  const print = () => page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.goto(`${url}/t/rim-trail`)
  await page.locator('[data-image]').nth(3).waitFor()
  await print()
  await page.getByText(`${url}/t/rim-trail`, { exact: true }).waitFor()
  for (const hidden of ['header', 'button', 'input', 'select'])
    assert.equal(await page.locator(`${hidden}:visible`).count(), 0, hidden)
  await page.getByText('closed in winter').waitFor()
  await page.getByRole('img', { name: /^The line of Rim Trail/ }).waitFor()
  assert.equal(
    await evaluate(page, 'getComputedStyle(document.documentElement).getPropertyValue("--page")'),
    '#fff',
  )
  await print()
  assert.deepEqual(await sidewaysScroll(page), [])
  await print()
  await shoot(page, 'trail on paper')
  const pdf = await page.pdf({ format: 'A4' })
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
  assert.ok(pages >= 1 && pages <= 3, `${pages} pages`)

  await page.emulateMedia({ media: 'screen' })
  await page.goto(`${url}/t/rim-trail/${imageIds[0]}`)
  await page.locator('main figure img').waitFor()
  await print()
  await page.getByText(`${url}/t/rim-trail/${imageIds[0]}`, { exact: true }).waitFor()
  for (const hidden of ['header', 'button'])
    assert.equal(await page.locator(`${hidden}:visible`).count(), 0, hidden)
  await shoot(page, 'photo on paper')
  assert.deepEqual(pageErrors, [])
})

void test('the page of a photo: its facts without a click, its neighbours, its keys, and the enlarged view', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url, imageIds } = await startTrail(t, taken)
  const [dawn, bend, , dusk] = imageIds
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${url}/t/rim-trail/${bend}?order=along`)
  await page.getByRole('heading', { level: 1, name: 'The <b>bend</b>' }).waitFor()
  const about = page.getByRole('complementary', { name: 'About this photo' })
  for (const reported of ['Ana', 'August 2, 2023', '46.00900, 7.03000', 'Licence'])
    await about.getByText(reported).first().waitFor()
  await about.getByText(/^Mile 1\.\d of 2\.\d$/).waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
  await untilAlive(page)
  assert.deepEqual(await findingsInEveryLook(page, 'photo page'), [])
  await page.setViewportSize({ width: 1_280, height: 844 })

  await about.getByRole('button', { name: 'Report this photo' }).click()
  await page.getByRole('dialog', { name: 'Report photo' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'Next photo' }).click()
  await page.waitForURL(`**/t/rim-trail/${dusk}?order=along`)
  await page.getByRole('heading', { level: 1, name: 'Dusk' }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.waitForURL(`**/t/rim-trail/${bend}?order=along`)
  await page.getByRole('heading', { level: 1, name: 'The <b>bend</b>' }).waitFor() // and with it, its neighbours
  await page.keyboard.press('ArrowLeft')
  await page.getByRole('heading', { level: 1, name: 'Dawn' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Previous photo' }).count(), 0)

  await page.keyboard.press('z')
  const viewer = page.getByRole('dialog')
  await viewer.getByText('Dawn').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.waitForURL(`**/t/rim-trail/${bend}?order=along`)
  await viewer.getByText('The <b>bend</b>').first().waitFor() // the URL changes before the photo
  await page.keyboard.press('Escape')
  await viewer.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'The <b>bend</b>' }).waitFor()
  // After a reload, the enlarged photo is a page again: its URL is the same.
  await page.keyboard.press('z')
  await viewer.getByText('The <b>bend</b>').first().waitFor()
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'The <b>bend</b>' }).waitFor()
  assert.equal(await viewer.count(), 0)
  await untilAlive(page)
  await page.keyboard.press('Escape')
  await page.waitForURL('**/t/rim-trail?order=along')
  await tile(page, dawn).waitFor()
  assert.deepEqual(pageErrors, [])
})

void test('without scripts: the page, its filters, its photos, each with its facts and neighbours, and the way back', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url, imageIds } = await startTrail(t, taken)
  const [dawn, bend] = imageIds
  const { page, pageErrors } = await browser.visit({ origins: [origin], hasScripts: false })
  await page.goto(`${url}/t/rim-trail`)
  assert.equal(await page.locator('[data-image]:visible').count(), 4)
  assert.match(await facts(page).innerText(), /Highest point/)
  await page.getByText('Read more').click()
  await page.getByText('closed in winter').waitFor()
  assert.equal(await page.locator('[data-dot]').count(), 3)
  await page.getByLabel('Sort by').selectOption('along')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL((at) => at.searchParams.get('order') === 'along')
  assert.equal(await page.getByLabel('Sort by').inputValue(), 'along')
  await page.getByRole('link', { name: '2024 (2)' }).click()
  await page.waitForURL((at) => at.searchParams.get('taken') === '2024')
  assert.equal(await page.locator('[data-image]').count(), 2)
  await page.getByRole('link', { name: 'All dates' }).click()
  await page.waitForURL((at) => !at.searchParams.has('taken'))

  await tile(page, dawn).click()
  await page.waitForURL(new RegExp(`/t/rim-trail/${dawn}`))
  await page.getByRole('heading', { level: 1, name: 'Dawn' }).waitFor()
  await page.getByText('46.00500, 7.01000').waitFor()
  await page.getByRole('link', { name: 'Next photo' }).click()
  await page.waitForURL(new RegExp(`/t/rim-trail/${bend}`))
  await page.getByRole('link', { name: 'Back to Rim Trail' }).click()
  await page.waitForURL(/\/t\/rim-trail(\?|$)/)
  assert.equal(await page.locator('[data-image]').count(), 4)
  assert.deepEqual(pageErrors, [])
})

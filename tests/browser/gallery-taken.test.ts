// The gallery by date and along the trail: order, month scrubber, and relative dates.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startOfTime } from '../helpers/waymark.ts'
import { startGallery } from './gallery-scene.ts'
import { untilAlive } from './trail-scene.ts'
import { findingsInBothColours, findingsInEveryLook, openBrowser, sidewaysScroll } from './harness.ts'

const query = (page: Page): URLSearchParams => new URL(page.url()).searchParams

/** Dawn, the bend, one without a title or a position, dusk. */
const taken = [
  '2024-05-20T06:00:00+02:00',
  '2023-08-02T12:00:00+02:00',
  '2024-05-20T07:00:00+02:00',
  '2022-12-31T23:30:00-05:00',
]

/** Names of the tiles, in page order. */
async function shown(page: Page): Promise<string[]> {
  const names = await page
    .locator('[data-image]')
    .evaluateAll((tiles) => tiles.map((tile) => String((tile as { ariaLabel?: string }).ariaLabel)))
  return names.map((name) => name.replace('Open: ', ''))
}

async function shows(page: Page, names: readonly string[]): Promise<void> {
  const end = Date.now() + 20_000
  while ((await shown(page)).join() !== names.join() && Date.now() < end) await page.waitForTimeout(50)
  assert.deepEqual(await shown(page), names)
}

const [dawn, bend, untitled, dusk] = ['Dawn', 'The <b>bend</b>', 'Nobody knows where', 'Dusk']

void test('the order is chosen and part of the URL; the scrubber is a slider for keys; relative times, with the date', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { waymark, origin, url } = await startGallery(t, taken)
  waymark.system.advance(Date.now() - startOfTime)
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${url}/t/rim-trail`)
  await shows(page, [dawn, bend, untitled, dusk])
  await untilAlive(page)
  assert.equal(await page.getByRole('slider', { name: 'Go to month' }).count(), 0)

  const order = page.getByLabel('Sort by')
  await order.selectOption('Along the trail')
  await shows(page, [dawn, bend, dusk, untitled])
  assert.equal(query(page).get('order'), 'along')
  await order.selectOption('Date taken')
  await shows(page, [dusk, bend, dawn, untitled])
  assert.equal(query(page).get('order'), 'taken')

  const slider = page.getByRole('slider', { name: 'Go to month' })
  await slider.waitFor()
  assert.equal(await slider.getAttribute('aria-valuetext'), 'December 2022, 1 photo')
  await slider.focus()
  await page.keyboard.press('ArrowRight')
  await page.getByText('From August 2023, 1 photo').waitFor()
  await shows(page, [bend, dawn, untitled])
  assert.equal(query(page).get('from'), '2023-08')
  await page.keyboard.press('End')
  await shows(page, [dawn, untitled])
  assert.equal(await slider.getAttribute('aria-valuetext'), 'May 2024, 2 photos')
  assert.deepEqual(await findingsInEveryLook(page, 'gallery-months'), [])
  await page.setViewportSize({ width: 1_280, height: 844 })

  // The URL contains everything; meaningless combinations are omitted.
  await page.reload()
  await shows(page, [dawn, untitled])
  await page.getByRole('button', { name: 'Show all months' }).click()
  await shows(page, [dusk, bend, dawn, untitled])
  await page.goto(`${url}/t/rim-trail?order=taken&from=2023-13`)
  await untilAlive(page)
  await shows(page, [dusk, bend, dawn, untitled])

  const years = new Date().getFullYear() - 2022 - 1
  const ago = page.locator('[data-image]').first().locator('time')
  assert.match(await ago.innerText(), new RegExp(`^taken (${years}|${years + 1}) years ago$`))
  assert.equal(await ago.getAttribute('title'), 'December 31, 2022')
  await page.locator('[data-image]').first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/taken \d years ago/).waitFor()
  await page.keyboard.press('i')
  await dialog.getByText(/^December 31, 2022 \(\d years ago\)$/).waitFor()
  assert.deepEqual(await findingsInBothColours(page, 'gallery-photo-taken'), [])
  await page.setViewportSize({ width: 390, height: 844 })
  assert.deepEqual(await sidewaysScroll(page), [])
  // The next photo is the next in this order.
  await page.keyboard.press('i')
  await page.keyboard.press('ArrowRight')
  await dialog.getByText('The <b>bend</b>').first().waitFor()
  assert.deepEqual(pageErrors, [])
})

void test('without any date the order by date is not offered, and its URL shows the default order', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url } = await startGallery(t)
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${url}/t/rim-trail?order=taken`)
  await shows(page, [dawn, bend, untitled, dusk])
  const order = page.getByLabel('Sort by')
  await order.locator('option', { hasText: 'Date taken' }).waitFor({ state: 'detached' })
  assert.deepEqual(await order.locator('option').allTextContents(), ['Date added', 'Along the trail'])
  assert.equal(await order.inputValue(), 'posted')
  assert.deepEqual(pageErrors, [])
})

void test('in German', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { waymark, origin, url } = await startGallery(t, taken)
  waymark.system.advance(Date.now() - startOfTime)
  const { page, context, pageErrors } = await browser.visit({ origins: [origin] })
  await context.setExtraHTTPHeaders({ 'accept-language': 'de' })
  await page.goto(`${url}/t/rim-trail?order=taken&from=2023-08`)
  await page.getByText('Ab August 2023, 1 Foto').waitFor()
  await page
    .locator('[data-image]')
    .first()
    .locator('time')
    .and(page.getByTitle('2. August 2023'))
    .waitFor({ state: 'attached' })
  assert.deepEqual(await sidewaysScroll(page), [])
  assert.deepEqual(pageErrors, [])
})

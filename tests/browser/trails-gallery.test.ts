// The list of trails and a gallery for visitors: data, filters, keys, deep links, failures, and nothing overlapping.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { addMember } from '../helpers/visitor.ts'
import { startOfTime } from '../helpers/waymark.ts'
import { startGallery } from './gallery-scene.ts'
import { axeFindings, findingsInBothColours, openBrowser, sidewaysScroll } from './harness.ts'
import { startSite } from './site.ts'
import { until, untilAlive } from './trail-scene.ts'

const query = (page: Page): URLSearchParams => new URL(page.url()).searchParams
const pathOf = (page: Page): string => new URL(page.url()).pathname
const cards = 'main li a'
const tiles = '[data-image]'

/** Every key of the page that the help (`?`) lists. */
async function keysListed(page: Page, title: string): Promise<string[]> {
  await page.keyboard.press('?')
  const heading = page.getByRole('heading', { level: 3, name: title, exact: true })
  const group = page.locator('section section').filter({ has: heading })
  await group.waitFor()
  const listed = await group
    .locator('[data-shortcut]')
    .evaluateAll((rows) =>
      rows.map((row) => String((row as { dataset: Record<string, string> }).dataset['shortcut'])),
    )
  await page.keyboard.press('Escape')
  await group.waitFor({ state: 'detached' })
  return listed.toSorted()
}

void test('trails: found by name and area, in the URL, with the keyboard, in both colour schemes, on a phone', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url } = await startGallery(t)
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(url)
  await page.locator(cards).first().waitFor()
  assert.deepEqual(
    (await page.locator(cards).allInnerTexts()).map((text) => text.split('\n')[0]),
    ['Lake Trail', 'Rim Trail'],
  )
  assert.match(await page.locator(cards).nth(1).innerText(), /4 photos/)
  await page.getByText('2 trails, 4 photos').waitFor()
  assert.deepEqual(await findingsInBothColours(page), [])

  await untilAlive(page)
  await page.keyboard.press('/')
  await page.keyboard.type('rim')
  // On a busy machine, a part of it may have been searched for before.
  await page.waitForURL(({ searchParams }) => searchParams.get('q') === 'rim')
  await page.getByText('1 trail found').waitFor()
  await page.goto(`${url}/?bbox=7.9,46.9,8.2,47.1`)
  await page.getByText('1 trail found').waitFor()
  assert.match(await page.locator(cards).innerText(), /Lake Trail/)
  await page.getByRole('link', { name: 'Search everywhere' }).click()
  await page.locator(cards).nth(1).waitFor()
  assert.equal(query(page).get('bbox'), null)

  await page.goto(`${url}/?q=nowhere`)
  await page.getByRole('heading', { name: 'No matching trails' }).waitFor()
  await page.getByRole('link', { name: 'Show all trails', exact: true }).click()
  await page.locator(cards).nth(1).waitFor()

  await untilAlive(page)
  assert.deepEqual(await keysListed(page, 'Trails'), ['m'])
  await page.setViewportSize({ width: 390, height: 844 })
  assert.deepEqual(await sidewaysScroll(page), [])
  await page.keyboard.press('m')
  await page.locator(cards).first().waitFor({ state: 'hidden' })
  assert.equal(query(page).get('view'), 'map')
  await page.getByText('List', { exact: true }).click()
  await page.locator(cards).nth(1).waitFor() // what is hidden takes no focus
  await page.locator(cards).nth(1).focus()
  await page.keyboard.press('Enter')
  await page.locator(tiles).first().waitFor()
  assert.equal(pathOf(page), '/t/rim-trail')
  assert.deepEqual(await sidewaysScroll(page), [])
  assert.deepEqual(pageErrors, [])
})

void test('no trails: a visitor sees a message, an admin can import; a failed request can be retried', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { waymark, origin, url } = await startSite(t, { hasApp: true, host: 'localhost' })
  waymark.system.advance(Date.now() - startOfTime)
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(url)
  await page.getByRole('heading', { name: 'No trails yet' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Import trails' }).count(), 0)
  assert.deepEqual(await findingsInBothColours(page), [])

  const { email, password } = await addMember(waymark, 'admin')
  await page.goto(`${url}/sign-in?next=/`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('link', { name: 'Import trails' }).waitFor()
  assert.deepEqual(pageErrors, [])

  let isCut = true
  await page.route('**/v2/trails?*', (route) => (isCut ? route.abort('connectionfailed') : route.continue()))
  await page.getByRole('searchbox').fill('ridge')
  await page.getByRole('heading', { name: 'Could not reach the server' }).waitFor()
  isCut = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'No matching trails' }).waitFor()
})

void test('gallery: photos by keyboard, every key of an open one, back closes, a report, embedded metadata', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url, imageIds } = await startGallery(t)
  const { page, context, pageErrors } = await browser.visit({ origins: [origin] })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${url}/t/rim-trail`)
  await page.locator(tiles).nth(3).waitFor()
  assert.equal(await page.locator('h1').innerText(), 'Rim Trail')
  assert.match(
    String(await page.locator(`${tiles} img`).first().getAttribute('srcset')),
    /t=sm.*100w, .*300w, .*640w/,
  )
  assert.deepEqual(await findingsInBothColours(page), [])

  const dialog = page.getByRole('dialog').first()
  const isAt = (imageId: number | undefined) => page.waitForURL(`**/t/rim-trail/${imageId}`)
  await untilAlive(page)
  await page.locator(tiles).nth(1).focus()
  await page.keyboard.press('Enter')
  await isAt(imageIds[1])
  await dialog.getByText('The <b>bend</b>').waitFor()
  await page.locator('.pswp__img').first().waitFor()
  assert.deepEqual(await findingsInBothColours(page), [])
  const keys = ['ArrowLeft', 'ArrowRight', 'Escape', 'd', 'e', 'i', 'm', 'r', 'z']
  assert.deepEqual(await keysListed(page, 'Photo'), keys)

  // The URL changes before the photo, and a key applies to the photo.
  await page.keyboard.press('ArrowRight')
  await isAt(imageIds[2])
  await dialog.getByText('3 of 4').waitFor()
  await page.keyboard.press('ArrowLeft')
  await isAt(imageIds[1])
  await dialog.getByText('2 of 4').waitFor()
  await page.keyboard.press('i')
  await dialog.getByText('46.00900, 7.03000').waitFor()
  assert.deepEqual(await findingsInBothColours(page), [])
  await page.keyboard.press('m')
  await dialog.getByRole('heading', { name: 'Map' }).waitFor()
  await page.keyboard.press('m')
  await dialog.getByRole('heading', { name: 'Map' }).waitFor({ state: 'detached' })
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('d')])
  assert.equal(download.suggestedFilename(), `photo-${imageIds[1]}.jpg`)
  const large = page.locator('.pswp__item[aria-hidden=false] .pswp__img:not(.pswp__img--placeholder)').first()
  const shownPx = async (): Promise<number> => (await large.boundingBox())?.width ?? NaN
  const before = await shownPx()
  await page.keyboard.press('z')
  await until(async () => (await shownPx()) > before, 'larger than before')

  await page.keyboard.press('e')
  const embed = page.getByRole('dialog', { name: 'Embed on your website' })
  const snippet = await embed.getByLabel('Image').inputValue()
  assert.match(snippet, /The &lt;b&gt;bend&lt;\/b&gt;, photo by Ana/)
  assert.match(await embed.getByLabel('Frame with title and names').inputValue(), /\/embed\/images\/\d+"/)
  await page.keyboard.press('Escape')
  await embed.waitFor({ state: 'detached' })
  await isAt(imageIds[1]) // Escape closed the top layer, and only that

  await page.keyboard.press('r')
  const report = page.getByRole('dialog', { name: 'Report photo' })
  await report.getByRole('button', { name: 'Send report' }).click()
  await report.getByText('Choose a reason.').waitFor()
  assert.deepEqual(await axeFindings(page), [])
  await report.getByLabel('It’s spam or advertising').check()
  await report.getByRole('button', { name: 'Send report' }).click()
  await page.getByText('Thank you. Reviewers will check this photo.').waitFor()

  await page.keyboard.press('Escape')
  await page.waitForURL('**/t/rim-trail')
  await page.locator(`${tiles}:focus`).waitFor()
  assert.equal(await page.locator(`${tiles}:focus`).getAttribute('data-image'), String(imageIds[1]))
  await page.locator(tiles).nth(0).click()
  await isAt(imageIds[0])
  await dialog.getByText('1 of 4').waitFor()
  await page.keyboard.press('ArrowRight')
  await isAt(imageIds[1])
  await page.goBack()
  await page.waitForURL('**/t/rim-trail')
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(pageErrors, [])
})

void test('deep links: a photo in its gallery, by its ID, one without access; filters in the URL; a phone', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url, imageIds, pendingId } = await startGallery(t)
  const { page, pageErrors } = await browser.visit({
    origins: [origin],
    widthPx: 390,
    expectedStatuses: [404],
  })
  await page.goto(`${url}/i/${imageIds[3]}`)
  await page.waitForURL(`**/t/rim-trail/${imageIds[3]}`)
  await page.getByRole('heading', { level: 1, name: 'Dusk' }).waitFor()
  assert.deepEqual(await sidewaysScroll(page), [])
  await page.getByRole('link', { name: 'Back to Rim Trail' }).click()
  await page.waitForURL('**/t/rim-trail')
  await page.goto(`${url}/i/${pendingId}`)
  await page.getByRole('heading', { level: 1, name: 'Photo not available' }).waitFor()
  assert.deepEqual(await findingsInBothColours(page), [])
  await page.goto(`${url}/t/no-such-trail`)
  await page.getByRole('heading', { level: 1, name: 'Trail not found' }).waitFor()

  await page.goto(`${url}/t/rim-trail?bbox=7.02,46,7.06,46.02`)
  await page.getByText('2 photos found').waitFor()
  assert.equal(await page.locator(tiles).count(), 2)
  await page.getByRole('link', { name: 'Photos of the whole trail' }).click()
  await page.locator(tiles).nth(3).waitFor()
  await page.getByLabel('Added since').fill('2026-06-01')
  await page.getByRole('heading', { name: 'No matching photos' }).waitFor()
  assert.equal(query(page).get('since'), '2026-06-01')
  await page.getByRole('link', { name: 'Show all photos' }).click()
  await page.locator(tiles).nth(3).waitFor()
  await page.goto(`${url}/t/lake-trail`)
  await page.getByRole('heading', { name: 'No photos yet' }).waitFor()
  assert.equal(
    await page.getByRole('link', { name: 'Add photos' }).last().getAttribute('href'),
    '/upload?trail=4712',
  )
  assert.deepEqual(await sidewaysScroll(page), [])
  assert.deepEqual(pageErrors, [])
})

// The profile of a trail with more photos than a page of the list, where each is a dot and links to its photo, and of trails
// without heights, photos or a line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Image } from '../../src/shared/v2/schemas.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { detailsPart, filePart, readAs, sendForm } from '../images/image-client.ts'
import { rimTrail, startGallery } from './gallery-scene.ts'
import { findingsInEveryLook, openBrowser, sidewaysScroll } from './harness.ts'
import { startTrail, until, untilAlive } from './trail-scene.ts'

const added = 70

void test('dots for photos that are not loaded, which show and open them; a filter shows only matching ones', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { origin, url, waymark } = await startTrail(t)
  const staff = await waymark.addPerson({ name: 'Ben', role: 'reviewer' })
  const [[lon = 0, lat = 0] = [], [toLon = 0, toLat = 0] = []] = rimTrail.geometry.coordinates
  let lastId = 0
  for (let at = 0; at < added; at += 1) {
    const share = at / added
    const place = { lat: lat + (toLat - lat) * share, lon: lon + (toLon - lon) * share }
    const picture = await jpegPicture({ width: 12, height: 9, seed: at })
    const parts = [filePart(picture), detailsPart({ title: `Step ${at}`, ...place })]
    const sent = await readAs<Image>(await sendForm(waymark, staff, rimTrail.trailID, { parts }), 201)
    lastId = sent.imageID
    assert.equal((await waymark.review(staff, lastId, 'approve')).status, 200)
  }
  const { page, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${url}/t/rim-trail`)
  await untilAlive(page)
  await page.getByText(`${added + 3} photos along the trail.`).waitFor()
  assert.ok((await page.locator('[data-image]').count()) < added, 'not all are loaded')
  assert.equal(await page.locator(`[data-image="${lastId}"]`).count(), 0)
  const slider = page.getByRole('slider', { name: 'Position along the trail' })
  await slider.focus()
  await page.keyboard.press('Home')
  // The dot of the last step, or the one that it shares.
  for (let step = 0; step < added + 3; step += 1) {
    await page.keyboard.press('PageUp')
    if (/photo: Step 6\d$/.test(String(await slider.getAttribute('aria-valuetext')))) break
  }
  const reported = String(await slider.getAttribute('aria-valuetext'))
  assert.match(reported, /photo: Step 6\d$/)
  await page.keyboard.press('Enter')
  await until(async () => /\/t\/rim-trail\/\d+$/.test(page.url()), 'the photo is not opened')
  const title = reported.split('photo: ')[1] ?? ''
  await page.getByRole('dialog').getByText(title).first().waitFor()

  await page.goto(`${url}/t/rim-trail?since=2100-01-01`)
  await untilAlive(page)
  assert.equal(await page.locator('[data-dot]').count(), 0)
  assert.deepEqual(pageErrors, [])
})

void test('a trail without heights shows its photos along a line; one without photos, and in German, works too', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { waymark, origin, url } = await startGallery(t)
  await waymark.addTrail(4713, 'No Line', 'no-line')
  const { page, context, pageErrors } = await browser.visit({ origins: [origin] })
  await page.goto(`${url}/t/rim-trail`)
  await page.getByRole('heading', { name: 'Along the trail', exact: true }).waitFor()
  assert.equal(await page.locator('[data-dot]').count(), 3)
  assert.deepEqual(await findingsInEveryLook(page, 'trail without heights'), [])
  await page.goto(`${url}/t/lake-trail`)
  await page.getByRole('heading', { name: 'No photos yet' }).waitFor()
  assert.equal(await page.locator('[data-dot]').count(), 0)
  assert.deepEqual(await findingsInEveryLook(page, 'trail without photos'), [])
  await page.goto(`${url}/t/no-line`)
  await page.getByRole('heading', { name: 'No photos yet' }).waitFor()
  assert.equal(await page.getByText('Download the line').count(), 0)
  assert.deepEqual(await findingsInEveryLook(page, 'trail without a line'), [])
  await context.setExtraHTTPHeaders({ 'accept-language': 'de' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${url}/t/rim-trail`)
  await page.getByRole('heading', { name: 'Entlang des Weges' }).waitFor()
  assert.deepEqual(await sidewaysScroll(page), [])
  assert.deepEqual(pageErrors, [])
})

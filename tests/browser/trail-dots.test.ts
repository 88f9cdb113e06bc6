// The profile of a trail with more photos than a page of the list: each is a dot and links to its photo.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Image } from '../../src/shared/v2/schemas.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { detailsPart, filePart, readAs, sendForm } from '../images/image-client.ts'
import { rimTrail } from './gallery-scene.ts'
import { openBrowser } from './harness.ts'
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

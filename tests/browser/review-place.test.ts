// Where and when a photo was taken, at the review desk: shown in text and on the map, moved by keyboard and mouse, and
// asking the submitter.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Image } from '../../src/shared/v2/schemas.ts'
import { sendJson } from '../helpers/review-desk.ts'
import { findingsInBothColours, openBrowser, shoot, sidewaysScroll } from './harness.ts'
import {
  becomes,
  movesOf,
  openDesk,
  said,
  seen,
  startDesk,
  trailId,
  until,
  type TestDesk,
} from './review-desk.ts'

const coordinates = [
  [8, 47],
  [8.02, 47.01],
]

async function furnish(desk: TestDesk): Promise<void> {
  const { waymark, ana, ids } = desk
  const admin = await waymark.addPerson({ name: 'Rowan', role: 'admin' })
  const trail = {
    name: 'Heron Lake Loop',
    slug: 'heron-lake-loop',
    geometry: { type: 'LineString', coordinates },
  }
  const put = await sendJson(waymark, 'PUT', `/v2/trails/${trailId}`, { body: trail, person: admin })
  assert.equal(put.status, 200, await put.text())
  const body = {
    lat: 47.0062,
    lon: 8.0105,
    takenAt: '2023-05-14T09:08:07+02:00',
    positionSource: 'track',
    positionAccuracy: 140,
    direction: 64,
    altitude: 1_204,
  }
  const answer = await sendJson(waymark, 'PATCH', `/v2/images/${ids[0]}`, { body, person: ana })
  assert.equal(answer.status, 200, await answer.text())
}

const imageOf = async ({ waymark, sue }: TestDesk, imageId = 0): Promise<Image> =>
  (await (await waymark.fetch(`/v2/images/${imageId}`, { token: sue.token })).json()) as Image

const part = (page: Page) =>
  page
    .locator('section')
    .filter({ has: page.getByRole('heading', { level: 2, name: 'Location', exact: true }) })

const drawn = (page: Page) => part(page).last().locator('[aria-busy=false]').waitFor()

void test('a reviewer sees time, direction, source and accuracy, moves the photo, and undoes it', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const desk = await startDesk(t, 2)
  await furnish(desk)
  const [one = 0] = desk.ids
  const { page, pageErrors } = await openDesk(browser, desk)
  await seen(page, 'Photo 1')
  await said(page, 'From a track, ± 459 ft')
  await said(page, 'It may have been taken on the trail: its location is only accurate to 459 ft.')
  await said(page, /May 14, 2023, 9:08.AM \(UTC\+2\)/)
  await said(page, 'NE, 64°')
  await said(page, '3,950 ft')
  await drawn(page)
  await page.locator('[data-direction="64"] path').waitFor({ state: 'attached' })
  await part(page).last().scrollIntoViewIfNeeded()
  assert.deepEqual(await findingsInBothColours(page, 'review-place'), [])
  await shoot(page, 'review-place')

  // By keyboard: the button, the fields, Enter; the focus returns.
  const move = page.getByRole('button', { name: 'Move photo' })
  await move.focus()
  await page.keyboard.press('Enter')
  const lat = page.getByRole('textbox', { name: 'Latitude' })
  await lat.and(page.locator(':focus')).waitFor()
  await lat.fill('north')
  await page.keyboard.press('Enter')
  await said(page, 'Latitude must be between')
  await lat.fill('47.0044')
  await drawn(page)
  assert.deepEqual(await findingsInBothColours(page, 'review-move'), [])
  await shoot(page, 'review-move')
  await lat.press('Enter')
  await said(page, 'Location saved: Photo 1')
  await move.and(page.locator(':focus')).waitFor()
  await until('moved', async () => (await imageOf(desk, one)).lat === 47.0044)
  const moved = await imageOf(desk, one)
  assert.deepEqual([moved.lon, moved.positionSource, moved.positionAccuracy], [8.0105, 'given', null])
  assert.equal(moved.takenAt, '2023-05-14T09:08:07+02:00')
  await said(page, 'Entered by hand')

  await page.keyboard.press('u')
  await said(page, 'Previous location restored: Photo 1')
  const back = await imageOf(desk, one)
  assert.deepEqual([back.lat, back.positionSource, back.positionAccuracy], [47.0062, 'track', 140])
  await said(page, 'From a track, ± 459 ft') // otherwise the form would begin with the other location

  // By mouse: the marker is dragged.
  await move.click()
  await drawn(page)
  const handle = part(page).last().locator('.maplibregl-marker').last()
  await handle.scrollIntoViewIfNeeded()
  const box = await handle.boundingBox()
  assert.ok(box)
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2 + 40, box.y + box.height / 2, { steps: 4 })
  await page.mouse.up()
  await until(
    'dragged',
    async () => Number(await page.getByRole('textbox', { name: 'Longitude' }).inputValue()) > 8.0106,
  )
  await page.getByRole('textbox', { name: 'Longitude' }).press('Escape')
  await page.getByRole('textbox', { name: 'Longitude' }).waitFor({ state: 'detached' })
  assert.equal((await imageOf(desk, one)).lon, 8.0105, 'nothing is saved without being asked to')
  assert.deepEqual(pageErrors, [])
})

void test('a photo without a location: set by the reviewer, or asked of the submitter; on a phone', async (t) => {
  const browser = await openBrowser(t, { hasMaps: true })
  if (!browser) return
  const desk = await startDesk(t, 2)
  await furnish(desk)
  const [, two = 0] = desk.ids
  const { page, pageErrors } = await openDesk(browser, desk, {
    path: `/review/${two}`,
    widthPx: 390,
  })
  await seen(page, 'Photo 2')
  await page.getByRole('button', { name: 'Set location' }).waitFor()
  const ask = page.getByRole('button', { name: 'Ask the submitter' })
  await ask.scrollIntoViewIfNeeded()
  await drawn(page)
  assert.deepEqual(await sidewaysScroll(page), [])
  assert.deepEqual(await findingsInBothColours(page, 'review-ask-phone'), [])
  await shoot(page, 'review-ask-phone')
  await page.getByRole('button', { name: 'Set location' }).click()
  await page.getByRole('textbox', { name: 'Latitude' }).waitFor()
  assert.deepEqual(await sidewaysScroll(page), [])
  await shoot(page, 'review-set-phone')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await ask.press('Enter')
  await becomes(desk, two, 'rejected')
  assert.equal((await movesOf(desk, two)).at(-1)?.reason, 'place-unknown')
  assert.deepEqual(pageErrors, [])
})

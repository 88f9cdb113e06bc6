// Photos without a location on the upload page: the reason, and each remedy, by mouse and by keyboard.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { addMember } from '../helpers/visitor.ts'
import { shoot } from './harness.ts'
import { dropFiles, filesIn, photo, place } from './upload-fixtures.ts'
import { prepareTrail, walkGpx, walkPhotos } from './upload-places-scene.ts'
import { inState, lookAt, open, row, stored, waitForCount, type Room } from './upload-scene.ts'

const cases: Record<string, (t: TestContext, room: Room) => Promise<void>> = {}

/** Counts user actions. */
function createHands(page: Page) {
  let count = 0
  return {
    click: async (name: string) => {
      count += 1
      await page.getByRole('button', { name, exact: true }).click()
    },
    tap: async (x: number, y: number) => {
      count += 1
      await page.mouse.click(x, y)
    },
    press: async (key: string) => {
      count += 1
      await page.keyboard.press(key)
    },
    count: () => count,
  }
}

const panel = (page: Page) => page.getByRole('region', { name: 'Photos without a location' })

async function addWalk(t: TestContext, page: Page, count: number): Promise<void> {
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(await walkPhotos(t, count))
  await waitForCount(inState(page, 'ready'), count, 'ready')
  await panel(page).getByText(`${count} photos have no location`).waitFor()
}

async function waitForMap(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  const canvas = page.getByRole('dialog').locator('.maplibregl-canvas[aria-label]')
  await canvas.waitFor()
  await page.getByRole('dialog').locator('[aria-busy=false]').first().waitFor()
  const box = await canvas.boundingBox()
  assert.ok(box)
  return box
}

cases['50 photos along a trail in four actions: open, two taps, place'] = async (t, room) => {
  const { page, pageErrors } = await open(room)
  await addWalk(t, page, 50)
  await shoot(page, 'upload-placeless')
  const hands = createHands(page)
  await hands.click('On the trail')
  const { x, y, width, height } = await waitForMap(page)
  // The line runs north, in the middle of the map.
  await hands.tap(x + width / 2, y + height * 0.8)
  await hands.tap(x + width / 2, y + height * 0.2)
  await lookAt(page, 'upload-on-trail')
  await hands.click('Place 50 photos')
  assert.ok(hands.count() <= 5, `${hands.count()} actions`)
  await panel(page).waitFor({ state: 'detached' })
  assert.equal(await page.getByText('(along the trail)').count(), 50)
  await page.getByRole('button', { name: 'Undo' }).click()
  await panel(page).getByText('50 photos have no location').waitFor()
  assert.deepEqual(pageErrors, [])
}

cases['50 photos along a trail by keyboard only'] = async (t, room) => {
  const { page, pageErrors } = await open(room)
  await addWalk(t, page, 50)
  const hands = createHands(page)
  await hands.press('l')
  const first = page.getByRole('slider', { name: 'First photo' })
  await first.and(page.locator(':focus')).waitFor()
  await hands.press('PageUp')
  await hands.press('Enter')
  assert.ok(hands.count() <= 5)
  await panel(page).waitFor({ state: 'detached' })
  assert.equal(await page.getByText('(along the trail)').count(), 50)
  assert.deepEqual(pageErrors, [])
}

cases['photos added while the dialog is open for one are spread along the trail'] = async (t, room) => {
  const { page, pageErrors } = await open(room)
  const files = await walkPhotos(t, 8)
  await page.locator('input[type=file]').first().setInputFiles(files.slice(0, 1))
  await waitForCount(inState(page, 'ready'), 1, 'ready')
  await page.keyboard.press('l')
  // Placing one does not limit the line for the others.
  await page.getByRole('slider', { name: 'Position along the trail' }).press('PageUp')
  await dropFiles(page, files.slice(1))
  await page.getByRole('button', { name: 'Place 8 photos' }).click()
  await panel(page).waitFor({ state: 'detached' })
  const places = await page.getByText('(along the trail)').allTextContents()
  assert.equal(new Set(places).size, 8, places.join(', '))
  assert.deepEqual(pageErrors, [])
}

cases['a track dropped with the photos places them; a wrong time zone is corrected by the suggestion'] =
  async (t, room) => {
    const opened = await open(room)
    const { page, pageErrors } = opened
    const files = [
      ...(await walkPhotos(t, 8, 12)),
      ...(await filesIn(t, {
        'walk.gpx': Buffer.from(walkGpx),
        'here.jpg': await photo({ seed: 4, position: place }),
      })),
    ]
    await dropFiles(page, files)
    const dialog = page.getByRole('dialog', { name: 'Place photos from a track' })
    await dialog.getByText('0 of 8 photos on the track').waitFor()
    await dialog.getByText('8 photos are not on the track').click()
    await dialog.getByText('after the track ends').first().waitFor()
    await lookAt(page, 'upload-track-outside')
    await dialog.getByRole('button', { name: '−1:00 would place 8 photos' }).click()
    await dialog.getByText('8 of 8 photos on the track').waitFor()
    await dialog.getByRole('slider', { name: 'Camera clock correction' }).press('ArrowRight')
    await dialog.getByText('−0:59:59').first().waitFor()
    await waitForMap(page)
    await lookAt(page, 'upload-track')
    await dialog.getByRole('button', { name: 'Place 8 photos' }).click()
    await dialog.waitFor({ state: 'detached' })
    await row(page, 'walk-01.jpg').getByText('(from a track)').waitFor()
    await shoot(page, 'upload-placed')
    await page.getByRole('button', { name: 'Upload 9 photos' }).click()
    await waitForCount(inState(page, 'done'), 9, 'done')
    const images = (await stored(opened)).toSorted((one, other) => (one.lat ?? 0) - (other.lat ?? 0))
    const sources = images.map(({ positionSource }) => positionSource)
    assert.deepEqual(
      sources.toSorted((one, other) => (one === 'exif' ? -1 : other === 'exif' ? 1 : 0)),
      ['exif', ...Array.from({ length: 8 }, () => 'track')],
    )
    // A second after 9:00 by the corrected clock: a tenth of the way to the second fix.
    const [first] = images
    assert.deepEqual([first?.takenAt, first?.altitude], ['2026-05-14T11:00:01+02:00', 1200])
    assert.ok(Math.abs((first?.lat ?? 0) - 46.500_026_7) < 1e-6, `${first?.lat}`)
    assert.deepEqual(pageErrors, [])
  }

cases['one of my routes with times places them; one without says so'] = async (t, room) => {
  const member = await addMember(room.site.waymark)
  const token = await room.site.waymark.tokenFor(member.accountId, 'routes:write')
  for (const [name, gpx] of [
    ['Recorded', walkGpx],
    ['Drawn', walkGpx.replaceAll(/<time>[^<]*<\/time>/g, '')],
  ] as const) {
    const answer = await room.site.waymark.fetch(`/v2/accounts/${member.accountId}/routes`, {
      method: 'POST',
      token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, gpx }),
    })
    assert.equal(answer.status, 201, await answer.text())
  }
  const { page, pageErrors } = await open(room, {}, member)
  await addWalk(t, page, 3)
  // In its row, it applies to the one photo.
  await page.getByRole('button', { name: 'From a track: walk-02.jpg' }).click()
  const dialog = page.getByRole('dialog')
  const option = async (name: string): Promise<void> => {
    const label = await dialog.getByRole('option', { name }).textContent()
    await dialog.getByLabel('Or one of your routes').selectOption({ label: label ?? '' })
  }
  await option('Drawn')
  await dialog.getByText('Drawn has no times').waitFor()
  await lookAt(page, 'upload-track-source')
  await option('Recorded')
  await dialog.getByText('1 of 1 photo on the track').waitFor()
  await dialog.getByRole('button', { name: 'Place 1 photo' }).click()
  await row(page, 'walk-02.jpg').getByText('(from a track)').waitFor()
  await panel(page).getByText('2 photos have no location').waitFor()

  await page.getByRole('button', { name: 'On the trail: walk-01.jpg' }).click()
  await dialog.getByRole('slider', { name: 'Position along the trail' }).press('Home')
  await dialog.getByRole('button', { name: 'Place 1 photo' }).click()
  await row(page, 'walk-01.jpg').getByText('46.50000, 7.25000 (along the trail)').waitFor()
  assert.deepEqual(pageErrors, [])
}

void test('photos without a location', async (t) => {
  const room = await prepareTrail(t)
  if (!room) return
  for (const [name, run] of Object.entries(cases)) await t.test(name, (one) => run(one, room))
})

// The route editor in a real browser: by mouse, keyboard and touch; import, save, export.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { readGpxText } from '../../src/shared/gpx/gpx.ts'
import {
  lengthShown,
  mapBox,
  openRoutes,
  recordedFile,
  recordedGpx,
  waitForMap,
  waitForOtherLength,
  waitForPoints,
  waitUntil,
} from './routes-scene.ts'

async function clickAt(page: Page, across: number, down: number): Promise<void> {
  const { x, y, width, height } = await mapBox(page)
  await page.mouse.click(x + width * across, y + height * down)
}

async function save(page: Page): Promise<void> {
  await page.keyboard.press('Control+s')
  await page.getByText('Saved.', { exact: true }).waitFor()
}

/** The first time, the route gets its own URL, which changes before the page. */
async function saveNew(page: Page): Promise<void> {
  await save(page)
  await page.waitForURL(/\/routes\/\d+\/edit$/)
  await page.getByRole('heading', { level: 1, name: 'Edit a route' }).waitFor()
}

void test('a route is drawn with the mouse, undone, redone, saved, exported, and is the same after a reload', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, pageErrors, stored, gpxOf } = scene
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  await page.getByRole('button', { name: /^Draw on the map/ }).click()
  for (const [at, [across, down]] of [
    [0.3, 0.4],
    [0.45, 0.6],
    [0.6, 0.4],
  ].entries()) {
    await clickAt(page, across ?? 0, down ?? 0)
    await waitForPoints(page, at + 1)
  }
  await page.keyboard.press('Control+z')
  await waitForPoints(page, 2)
  await page.keyboard.press('Control+Shift+z')
  await waitForPoints(page, 3)
  await page.keyboard.press('Escape')

  // Dragging a point is one undo step.
  const box = await mapBox(page)
  const length = await lengthShown(page)
  await page.mouse.move(box.x + box.width * 0.45, box.y + box.height * 0.6)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.46, box.y + box.height * 0.65, { steps: 3 })
  await page.mouse.move(box.x + box.width * 0.47, box.y + box.height * 0.7, { steps: 3 })
  await page.mouse.up()
  await waitForOtherLength(page, length)
  await page.getByRole('button', { name: 'Undo: Move a point' }).click()
  assert.equal(await lengthShown(page), length)
  await page.keyboard.press('Control+Shift+z')

  // A click on the line inserts a point there.
  await clickAt(page, 0.3 + 0.085, 0.4 + 0.15)
  await waitForPoints(page, 4)

  await page.getByLabel('Name', { exact: true }).fill('Drawn 🏔️')
  await page.getByText('8 of 1,000 characters').waitFor()
  await saveNew(page)
  const [route] = await stored()
  assert.equal(route?.name, 'Drawn 🏔️')
  assert.equal(route.visibility, 'private')
  assert.equal(route.pointCount, 4)
  const kept = await gpxOf(route.routeID)

  // The editor kept its undo stack at the route's own URL.
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+Shift+z')
  await page.getByRole('button', { name: 'Edit line' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Download GPX' }).click()
  const download = await downloading
  assert.equal(download.suggestedFilename(), 'Drawn 🏔️.gpx')
  assert.equal(await readFile(await download.path(), 'utf8'), kept)

  await page.reload()
  await waitForMap(page)
  await waitForPoints(page, 4)
  assert.equal(await page.getByText('Unsaved changes from').count(), 0)
  assert.deepEqual(pageErrors, [])
})

void test('C33: an imported file is saved byte for byte; edited, it keeps everything except data of moved points', async (t) => {
  const scene = await openRoutes(t)
  if (!scene) return
  const { page, site, pageErrors, stored, gpxOf } = scene
  await page.goto(`${site.url}/routes/new`)
  await waitForMap(page)
  const choosing = page.waitForEvent('filechooser')
  await page.keyboard.press('o')
  await (await choosing).setFiles(recordedFile)
  await waitForPoints(page, 60)
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Ridge walk')
  await page.getByRole('img', { name: /^Elevation along the route/ }).waitFor()
  await page.getByRole('radio', { name: 'Everybody' }).click()
  await saveNew(page)
  const [route] = await stored()
  assert.ok(route)
  assert.equal(route.visibility, 'public')
  assert.equal(await gpxOf(route.routeID), recordedGpx)

  await page.getByRole('heading', { level: 1 }).click()
  for (const key of ['ArrowRight', 'ArrowRight', 'Delete', 'Shift+ArrowUp', 's'])
    await page.keyboard.press(key)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await waitForPoints(page, 59)
  await page.getByText('1 point was moved or added.', { exact: false }).waitFor()
  await save(page)
  await page.getByText('1 point was moved or added.', { exact: false }).waitFor({ state: 'detached' })
  const edited = await gpxOf(route.routeID)
  assert.equal(edited.match(/<hdop>2<\/hdop><extensions><hr/g)?.length, 58)
  assert.doesNotMatch(edited, />10[12]<\/hr>/)
  const reading = readGpxText(edited)
  assert.ok(reading.ok)
  assert.equal(reading.value.counts.trackPoints, 59)
  const [line] = reading.value.tracks[0]?.segments ?? []
  assert.equal(line?.points.ele(line.first + 1), 1_208)
  assert.equal(line.points.timeMs(line.first), Date.UTC(2026, 4, 14, 9))
  assert.ok(Math.abs(line.points.lat(line.first + 1) - (46.5008 + 1 / 111_195)) < 1e-7)

  // Someone else saved in the meantime.
  const {
    site: { waymark },
    member,
  } = scene
  const change = (body: object) =>
    waymark.fetch(`/v2/routes/${route.routeID}`, {
      method: 'PATCH',
      token: member.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  assert.equal((await change({ name: 'From elsewhere' })).status, 200)
  await page.getByLabel('Name', { exact: true }).fill('Mine')
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Load the other version' }).click()
  await waitUntil(
    page,
    `[...document.querySelectorAll('input')].some(({ value }) => value === 'From elsewhere')`,
  )
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('Control+z')
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Mine')
  assert.equal((await change({ description: 'Again' })).status, 200)
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Overwrite with mine' }).click()
  await page.getByText('Saved.', { exact: true }).waitFor()
  assert.equal((await stored())[0]?.name, 'Mine')
  assert.deepEqual(
    pageErrors.filter((pageError) => !/412/.test(pageError)),
    [],
  )
})
